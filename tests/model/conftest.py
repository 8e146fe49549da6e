"""Servers of small models for a test session, and chats with them."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.model.server import Server, started
from tests.model.weights import MODELS, Weights, is_here
from worker.adapters.chat import EndpointChat

#: A small model on half of a slow machine.
PATIENT_SECONDS = 300.0

Serve = Callable[[Weights], Server]
Ask = Callable[[float], EndpointChat]


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """Started when first asked for; of what is here: `python -m tests.model get` fetches it."""
    servers: dict[str, Server] = {}
    with ExitStack() as running:

        def asked(weights: Weights) -> Server:
            if not is_here(weights):
                _lacks(weights)
            if weights.name not in servers:
                log = tmp_path_factory.mktemp("model") / "server.log"
                servers[weights.name] = running.enter_context(started(weights, log))
            return servers[weights.name]

        yield asked


def _lacks(weights: Weights) -> None:
    reason = f"{weights.name} is not here: run `python -m tests.model get`"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(params=MODELS)
def weights(request: pytest.FixtureRequest) -> Weights:
    """Each model in turn; a module that is about one overrides it."""
    return MODELS[request.param]


@pytest.fixture
def ask(serve: Serve, weights: Weights) -> Iterator[Ask]:
    """Chats with the model, by the longest wait for a reply."""
    with ExitStack() as opened:

        def chat(timeout_seconds: float = PATIENT_SECONDS) -> EndpointChat:
            made = EndpointChat(weights.name, serve(weights).url, None, timeout_seconds)
            opened.callback(made.close)
            return made

        yield chat


@pytest.fixture
def chat(ask: Ask) -> EndpointChat:
    return ask(PATIENT_SECONDS)
