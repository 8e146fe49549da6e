"""What is down is said, with what to do, and what works still answers."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

import pytest
import structlog

from schemas.scope import Scope
from tests.redis_service import RedisServer
from tests.worker.interfaces.mcp.calling import MODES, Answer, Host, Memory
from worker import wiring
from worker.interfaces.mcp.house import Own
from worker.parts import Parts
from worker.recaller import Recaller
from worker.settings import Settings

T = TypeVar("T")

#: Nothing listens there.
NOWHERE = "127.0.0.1:1"
EVERY: dict[str, dict[str, Any]] = {
    "recall": {"query": "Where does the user live?"},
    "profile": {},
    "remember": {"text": "The user lives in Oslo."},
    "forget": {"query": "Oslo"},
    "history": {"id": "a" * 32},
    "status": {},
}


@pytest.fixture
def on_own_redis(redis_server: RedisServer, settings: Settings) -> Iterator[Own]:
    chosen = settings.model_copy(update={"redis_url": redis_server.url})
    parts = wiring.open_parts(chosen)
    made = Own(chosen, Recaller(chosen), lambda: parts)
    yield made
    made.close()
    wiring.close()


def test_without_redis_recall_answers_and_writing_says_what_is_wrong(
    on_own_redis: Own, redis_server: RedisServer, scope: Scope
) -> None:
    memory = Memory(on_own_redis, scope)
    memory.call("remember", text="The user lives in Oslo.")
    redis_server.kill()

    for tool in ("recall", "profile"):
        told = memory.call(tool, **EVERY[tool])
        assert [one["text"] for one in told.fields["memories"]] == ["The user lives in Oslo."]
    for tool in ("remember", "status"):
        wrong = memory.call(tool, **EVERY[tool]).wrong
        assert "Try again in a few seconds" in wrong
        assert "127.0.0.1" not in wrong
        assert str(redis_server.port) not in wrong


@pytest.mark.parametrize("tool", EVERY)
def test_without_the_store_every_tool_says_so(settings: Settings, scope: Scope, tool: str) -> None:
    chosen = settings.model_copy(
        update={"store_url": f"weaviate://{NOWHERE}?grpc_port=2", "recall_deadline_seconds": 5}
    )
    house = Own(chosen, Recaller(chosen), lambda: wiring.open_parts(chosen))
    try:
        wrong = Memory(house, scope).call(tool, **EVERY[tool]).wrong
    finally:
        house.close()
        wiring.close()

    assert "Try again in a few seconds" in wrong
    assert "Traceback" not in wrong
    assert "127.0.0.1" not in wrong


class Broken:
    """A house whose parts have a bug."""

    def __init__(self, house: Own) -> None:
        self.settings, self.recaller, self.now = house.settings, house.recaller, house.now

    async def with_parts(self, work: Callable[[Parts], T]) -> T:
        raise KeyError("s3cret of somebody")


@pytest.mark.parametrize("mode", MODES)
def test_a_bug_is_told_to_the_log_and_not_to_the_model(house: Own, scope: Scope, mode: str) -> None:
    with structlog.testing.capture_logs() as logs:
        wrong = Memory(Broken(house), scope, mode).call("status").wrong

    assert wrong == "this should not have happened: whoever runs the server finds it in its log"
    assert [(one["event"], one["tool"]) for one in logs] == [("tool_failed", "status")]
    assert isinstance(logs[0]["exc_info"], KeyError)


@pytest.mark.parametrize("mode", MODES)
def test_a_call_that_is_given_up_is_finished_and_the_next_is_answered(
    house: Own, scope: Scope, mode: str
) -> None:
    begun, go_on, done = threading.Event(), threading.Event(), threading.Event()

    def slow() -> Parts:
        begun.set()
        assert go_on.wait(60)
        return house.open_parts()

    class Slow(Own):
        async def with_parts(self, work: Callable[[Parts], T]) -> T:
            def told(parts: Parts) -> T:
                try:
                    return work(parts)
                finally:
                    done.set()

            return await self.blocking.with_parts(self.open_parts, told)

    made = Slow(house.settings, house.recaller, slow)

    async def talk(host: Host) -> Answer:
        writing = asyncio.ensure_future(host("remember", text="The user lives in Oslo."))
        await asyncio.to_thread(begun.wait, 60)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        meanwhile = await host("recall", query="Oslo")
        assert meanwhile.fields["memories"] == []
        go_on.set()
        await asyncio.to_thread(done.wait, 60)
        return await host("recall", query="Oslo")

    told = Memory(made, scope, mode)(talk)
    made.blocking.close()

    assert [one["text"] for one in told.fields["memories"]] == ["The user lives in Oslo."]


def test_what_an_operator_has_to_mend_is_said_to_be_theirs(house: Own, scope: Scope) -> None:
    wrong_settings = house.settings.model_copy(update={"embedder": "nanoe6"})
    made = replace(house, open_parts=lambda: wiring.open_parts(wrong_settings))

    wrong = Memory(made, scope).call("status").wrong

    assert "Whoever runs the server has to mend its settings" in wrong
