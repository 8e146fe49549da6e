"""A real server that is slow, given up on, or gone: an error of ours each time, and no harm to the next call."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.build import turn
from tests.model.conftest import Ask
from tests.model.server import started
from tests.model.weights import SMOLLM2, Weights
from worker.adapters.chat import EndpointChat
from worker.adapters.model import Completion, Talk
from worker.adapters.prompts import Prompts
from worker.core.hearing.extract import Extraction
from worker.core.hearing.heard import Heard
from worker.errors import SlowwaveError, Unavailable

pytestmark = pytest.mark.model

#: Long enough to reach the server, too short for any answer.
IMPATIENT_SECONDS = 0.3


@pytest.fixture
def weights() -> Weights:
    return SMOLLM2


def asked(chat: EndpointChat, text: str = "I live in Turku.") -> Completion:
    (prompt,) = Extraction().ask(Heard((turn("t1", text),)))
    return chat.complete(
        prompt, Talk.about(prompt, Prompts().system(prompt.job, prompt.addition)).messages
    )


def test_a_reply_that_takes_too_long_is_an_outage_and_the_next_call_is_answered(ask: Ask) -> None:
    with pytest.raises(Unavailable, match="did not answer in time"):
        asked(ask(IMPATIENT_SECONDS), "I live in Tampere and I keep bees.")

    assert asked(ask(300)).completion_tokens > 0


def test_a_call_whose_chat_is_closed_ends_and_the_next_one_is_answered(ask: Ask) -> None:
    closing = ask(30)
    with ThreadPoolExecutor(1) as pool:
        call = pool.submit(asked, closing, "I keep goats in Lahti.")
        while not call.running():
            pass
        closing.close()

        assert isinstance(call.exception(60), SlowwaveError | None)

    assert asked(ask(300)).completion_tokens > 0


def test_a_server_that_dies_while_it_answers_is_an_outage(tmp_path: Path, ask: Ask) -> None:
    ask(1)  # skips where there is no model
    with started(SMOLLM2, tmp_path / "server.log") as server, ThreadPoolExecutor(1) as pool:
        chat = EndpointChat(SMOLLM2.name, server.url, None, 60)
        call = pool.submit(asked, chat)
        with pytest.raises(TimeoutError):
            call.result(IMPATIENT_SECONDS)
        server.process.kill()

        with pytest.raises(Unavailable, match="cannot be reached"):
            call.result(60)
        chat.close()
