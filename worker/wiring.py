"""Settings in, parts out; one set for each process, made when first asked for.

Clients are never made at import: a gRPC channel does not survive a fork.
"""

import atexit
import os
import threading
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Protocol, TypeVar

from pydantic import SecretStr

from worker.adapters.embedded import embedded_redis
from worker.adapters.embedders.opening import OpenedEmbedder, open_embedder
from worker.adapters.inbox import Inbox, connect
from worker.adapters.model import Model
from worker.adapters.ondemand import on_demand
from worker.adapters.stores.opening import open_store
from worker.core.extract import Extraction
from worker.core.judge import Batchwise
from worker.core.ports import Embedder, Store
from worker.pipeline import Parts
from worker.rules.extraction import RuleExtraction
from worker.rules.judgment import RuleJudgment
from worker.settings import Settings, load


class Closable(Protocol):
    def close(self) -> None: ...


Closed = TypeVar("Closed", bound=Closable)

_lock = threading.RLock()
_opened: dict[int, ExitStack] = {}
_parts: dict[int, Parts] = {}
_urls: dict[int, str] = {}


def redis_url(settings: Settings) -> str:
    """The Redis of the settings, or the embedded one: started if it does not run, left when the process ends."""
    if settings.redis_url:
        return settings.redis_url
    with _lock:
        if os.getpid() not in _urls:
            _urls[os.getpid()] = _stack().enter_context(embedded_redis(settings.data_dir))
        return _urls[os.getpid()]


def parts() -> Parts:
    """The parts of this process, from the environment's settings; it works from now on, under its own limits."""
    with _lock:
        if os.getpid() not in _parts:
            made = open_parts(load())
            made.inbox.configure(made.settings.limits)
            _parts[os.getpid()] = made
        return _parts[os.getpid()]


def open_parts(settings: Settings) -> Parts:
    """Reach everything and check it; `close` or the end of the process lets it go.

    Raises `Misconfigured` or `Unavailable`, naming the part and the remedy.
    """
    inbox = open_inbox(settings)
    inbox.check()
    memories, model = open_memories(settings), _kept(open_model(settings))
    rules = settings.model == "rules"
    same, most = memories.embedder.same, settings.max_group
    return Parts(
        settings=settings,
        inbox=inbox,
        store=memories.store,
        embedder=memories.embedder,
        model=model,
        extraction=RuleExtraction() if rules else Extraction(),
        judge=RuleJudgment(same, most) if rules else Batchwise(most),
    )


@dataclass(frozen=True)
class Memories:
    """What reading needs: no queue and no model."""

    store: Store
    embedder: Embedder


def open_memories(settings: Settings) -> Memories:
    """The store under the settings' embedder. Raises as `open_parts`."""
    embedder = _kept(open_the_embedder(settings))
    store = _kept(open_store(settings.store, _plain(settings.store_key)))
    store.open(embedder.fingerprint, embedder.dimensions)
    return Memories(store, embedder)


def open_inbox(settings: Settings) -> Inbox:
    client = connect(redis_url(settings))
    with _lock:
        _stack().callback(client.close)
    return Inbox(client, settings.redis_partitions, settings.lease_seconds, settings.context_turns)


def open_the_embedder(settings: Settings) -> OpenedEmbedder:
    """The caller closes it."""
    return open_embedder(
        settings.embedder,
        settings.embedder_url,
        _plain(settings.embedder_key),
        settings.embedder_dimensions,
    )


def open_model(settings: Settings) -> Model:
    """The settings' model, or one that only takes steps without questions. The caller closes it."""
    if settings.model == "rules":
        return Model(concurrency=1)
    chat = on_demand("worker.adapters.chat", "EndpointChat")(
        settings.model,
        settings.model_url,
        _plain(settings.model_key),
        settings.model_timeout_seconds,
    )
    return Model(chat, settings.model_concurrency)


def close() -> None:
    """Let go of everything that this process has opened."""
    with _lock:
        _parts.pop(os.getpid(), None)
        _urls.pop(os.getpid(), None)
        stack = _opened.pop(os.getpid(), None)
    if stack is not None:
        stack.close()


def _kept(thing: Closed) -> Closed:
    """Closed with everything else of this process."""
    with _lock:
        _stack().callback(thing.close)
    return thing


def _stack() -> ExitStack:
    return _opened.setdefault(os.getpid(), ExitStack())


def _plain(key: SecretStr | None) -> str | None:
    return key.get_secret_value() if key else None


atexit.register(close)
