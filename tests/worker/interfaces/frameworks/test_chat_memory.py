"""What a chat's memory does when its own parts are slow, broken or wrongly given; the parts are fakes."""

import asyncio
from threading import Event
from typing import Any, cast

import pytest
from structlog.testing import capture_logs

from producers.producer import Producer
from worker.core.recalling.answer import Answer
from worker.errors import Unavailable
from worker.interfaces.frameworks.chat_memory import WAITING, ChatMemory
from worker.interfaces.frameworks.words import question
from worker.recaller import Recaller

ASK = {"role": "user", "content": "Where do I live?"}


class Parts:
    """A recaller and a producer; both raise `error` where there is one, and publishing waits for `go`."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error, self.go = error, Event()
        self.published: list[list[dict[str, Any]]] = []

    def recall(self, *_: Any, **__: Any) -> Answer:
        if self.error:
            raise self.error
        return Answer()

    async def arecall(self, *_: Any, **__: Any) -> Answer:
        return self.recall()

    def with_block(self, messages: list[dict[str, Any]], *_: Any) -> list[dict[str, Any]]:
        return [{"role": "system", "content": "block"}, *messages]

    def publish_messages(self, messages: list[dict[str, Any]], **_: Any) -> list[Any]:
        assert self.go.wait(60)
        if self.error:
            raise self.error
        self.published.append(messages)
        return []

    def memory(self, **options: Any) -> ChatMemory:
        names = {"app": "acme", "user": "ann", **options}
        return ChatMemory(cast("Recaller", self), cast("Producer", self), **names)


@pytest.mark.parametrize(
    "error",
    [ValueError("x"), TypeError("x"), RuntimeError("x"), OSError("x"), Unavailable("x")],
    ids=lambda error: type(error).__name__,
)
def test_what_a_memory_meets_is_logged_and_the_chat_goes_on(error: Exception) -> None:
    parts = Parts(error)
    parts.go.set()

    with capture_logs() as logs, parts.memory() as memory:
        assert memory.reminded([ASK]) == [ASK]
        assert asyncio.run(memory.areminded([ASK])) == [ASK]
        memory.hear([ASK])
        memory.close()

    assert [one["event"] for one in logs] == [
        "chat_goes_on_without_memory",
        "chat_goes_on_without_memory",
        "chat_is_not_heard",
    ]


def test_a_bug_in_publishing_is_logged_without_what_was_said() -> None:
    parts = Parts(KeyError("bug"))
    parts.go.set()

    with capture_logs() as logs, parts.memory() as memory:
        memory.hear([ASK])
        memory.close()

    assert logs == [
        {
            "event": "chat_is_not_heard",
            "log_level": "error",
            "kind": "KeyError",
            "reason": "'bug'",
        }
    ]


def test_a_chat_waits_for_no_publishing_and_too_many_are_left_out() -> None:
    parts = Parts()
    memory = parts.memory()

    with capture_logs() as logs:
        for number in range(WAITING + 2):
            memory.hear([{"role": "user", "content": str(number)}])
    assert parts.published == []
    parts.go.set()
    memory.close()

    assert [one["content"] for (one,) in parts.published] == [str(n) for n in range(WAITING)]
    assert [one["event"] for one in logs] == ["chat_is_not_heard"] * 2


@pytest.mark.parametrize("error", [None, OSError("x")])
def test_there_is_room_again_once_chats_are_published(error: Exception | None) -> None:
    parts = Parts(error)
    parts.go.set()
    memory = parts.memory()
    for _ in range(WAITING):
        memory.hear([ASK])
    memory._thread.submit(int).result()

    parts.error = None
    memory.hear([{"role": "user", "content": "last"}])
    memory.close()

    assert parts.published[-1] == [{"role": "user", "content": "last"}]


def test_a_memory_that_is_closed_hears_nothing_and_says_so() -> None:
    parts = Parts()
    memory = parts.memory()
    memory.close()

    with capture_logs() as logs:
        memory.hear([ASK])

    assert parts.published == []
    assert [one["event"] for one in logs] == ["chat_is_not_heard"]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"app": ""}, "app"),
        ({"user": " "}, "user"),
        ({"conversation": ""}, "conversation"),
        ({"conversation": None}, "conversation"),
        ({"conversation": "secret" * 99}, "conversation"),
        ({"place": "secret"}, "place"),
        ({"options": {"limit": "secret"}}, "limit"),
        ({"options": {"conversation": "secret"}}, "conversation"),
    ],
)
def test_what_is_wrongly_given_is_told_at_once(options: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named) as told:
        Parts().memory(**options)

    assert "secret" not in str(told.value)


@pytest.mark.parametrize(
    ("messages", "asked"),
    [
        ([], ()),
        ([{"role": "system", "content": "Be brief."}], ()),
        ([{"role": "user", "content": "  "}], ()),
        ([ASK, {"role": "assistant", "content": "In Oslo."}], ("Where do I live?",)),
        ([{"role": "user", "content": "Hello"}, ASK], ("Where do I live?",)),
        ([{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}], ()),
        ([{"role": "user", "content": ["a", {"type": "text", "text": "b"}]}], ("a b",)),
    ],
)
def test_what_the_user_said_last_is_the_question(
    messages: list[dict[str, Any]], asked: tuple[str, ...]
) -> None:
    assert question(messages) == asked
