"""The memory of one user beside a chat: what is known goes in before, what was said comes out behind.

Nothing that goes wrong with it ends a chat: it is logged, and the chat goes on without.
"""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import BoundedSemaphore
from types import TracebackType
from typing import Any, Self, get_args

import structlog

from producers.producer import Message, Producer
from schemas.line import Refused, turn_of
from schemas.scope import Scope
from worker.core.recalling.answer import Answer
from worker.core.recalling.ask import Ask
from worker.core.recalling.messages import Place
from worker.core.recalling.options import Options, asking
from worker.errors import SlowwaveError
from worker.interfaces.frameworks.words import INSTRUCTING, plain, question
from worker.recaller import Recaller

log = structlog.get_logger()

#: Chats that wait to be published, at most; what is left out comes with the next call, which sends the chat again.
WAITING = 64
#: What a recall raises for a text that it cannot take, once it is closed, or when the process ends.
FAULTS = (ValueError, TypeError, RuntimeError, OSError, SlowwaveError)


@dataclass
class ChatMemory:
    """Of one user in one conversation; safe from any thread. `close` waits until all that was said is published.

    `options` are those of `Recaller.recall`. Of a conversation everything is told at each call, as the block of the
    call before is in no message that comes. Raises `ValueError` for wrong options and names.
    """

    recaller: Recaller
    producer: Producer
    app: str
    user: str
    conversation: str = "default"
    place: Place = "system"
    options: Options = field(default_factory=Options)
    #: One, so that what is said later is published later.
    _thread: ThreadPoolExecutor = field(init=False, repr=False)
    _room: BoundedSemaphore = field(init=False, repr=False)

    def __post_init__(self) -> None:
        # What is wrong is wrong before the first chat.
        if wrong := self._wrong():
            raise ValueError(wrong)
        asking(Scope(app=self.app, user=self.user), (), self.options, Ask(), 1.0)
        self._thread = ThreadPoolExecutor(1, "slowwave-chat")
        self._room = BoundedSemaphore(WAITING)

    def _wrong(self) -> str | None:
        names = {"app": self.app, "user": self.user, "conversation": self.conversation}
        made = turn_of({**names, "role": "user", "text": "Hello"}, datetime.now(UTC))
        if isinstance(made, Refused):
            return made.message
        if self.place not in get_args(Place):
            return f"`place` is none of {', '.join(get_args(Place))}"
        if "conversation" in self.options:
            return "`conversation` is no option here: a prompt's block is always whole"
        return None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Recaller and producer stay open: they are the caller's."""
        self._thread.shutdown(wait=True)

    def reminded(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """The messages with what is known about the last question of the user."""
        given = [plain(one) for one in messages]
        try:
            query = question(given)
            answer = self.recaller.recall(self.app, self.user, *query, **self.options)
            return self._with(given, answer)
        except FAULTS as error:
            log.warning("chat_goes_on_without_memory", reason=str(error))
            return given

    async def areminded(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """The same without blocking the event loop."""
        given = [plain(one) for one in messages]
        try:
            query = question(given)
            answer = await self.recaller.arecall(self.app, self.user, *query, **self.options)
            return self._with(given, answer)
        except FAULTS as error:
            log.warning("chat_goes_on_without_memory", reason=str(error))
            return given

    def _with(self, messages: Sequence[dict[str, Any]], answer: Answer) -> list[dict[str, Any]]:
        tell_degraded(answer)
        return self.recaller.with_block(messages, answer, self.place)

    def hear(self, messages: Sequence[Message], reply: Message | None = None) -> None:
        """Publish all that was said, behind the caller's back. What was published before is known and costs nothing.

        The messages are the whole chat, or the same end of it each time: a turn without an id is known by its words and
        by how many equal ones came before it.
        """
        plainly = map(plain, (*messages, *([reply] if reply else ())))
        said = [one for one in plainly if one.get("role") not in INSTRUCTING]
        if not self._room.acquire(blocking=False):
            log.warning("chat_is_not_heard", reason=f"{WAITING} others wait to be published")
            return
        try:
            published = self._thread.submit(self._publish, said)
        except RuntimeError:
            self._room.release()
            log.warning("chat_is_not_heard", reason="this memory was closed")
            return
        published.add_done_callback(self._is_published)

    def _is_published(self, published: Future[None]) -> None:
        """Nobody else asks what the thread raised. A traceback may show what was said, so there is none."""
        self._room.release()
        if error := published.exception():
            log.error("chat_is_not_heard", kind=type(error).__name__, reason=str(error))

    def _publish(self, said: Sequence[dict[str, Any]]) -> None:
        whose = {"app": self.app, "user": self.user, "conversation": self.conversation}
        for answer in self.producer.publish_messages(said, **whose):
            if answer.status not in {"accepted", "duplicate"}:
                log.warning("turn_is_not_heard", status=answer.status, reason=answer.message)


def tell_degraded(answer: Answer) -> None:
    """Whoever runs a chat hears that it is reminded of less than is known; the chat does not."""
    if answer.degraded:
        log.warning("recall_is_degraded", reasons=list(answer.degraded))
