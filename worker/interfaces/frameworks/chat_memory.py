"""The memory of one user beside a chat: what is known goes in before, what was said comes out behind.

Nothing that goes wrong with it ends a chat: it is logged, and the chat goes on without.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import structlog
from pydantic import BaseModel

from producers.producer import Message, Producer
from schemas.scope import Scope
from worker.core.recalling.answer import Answer
from worker.core.recalling.ask import Ask
from worker.core.recalling.messages import Place
from worker.core.recalling.options import Options, asking
from worker.errors import SlowwaveError
from worker.recaller import Recaller

log = structlog.get_logger()

#: Whoever instructs a model says nothing about the user.
INSTRUCTING = frozenset({"system", "developer"})
#: What a recall raises for a text that it cannot take, or once the recaller is closed; messages may be anything.
FAULTS = (ValueError, TypeError, SlowwaveError)


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

    def __post_init__(self) -> None:
        # Wrong options are wrong before the first chat.
        asking(Scope(app=self.app, user=self.user), (), self.options, Ask(), 1.0)
        if "conversation" in self.options:
            raise ValueError("`conversation` is no option here: a prompt's block is always whole")
        self._thread = ThreadPoolExecutor(1, "slowwave-chat")

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
        plain = [_plain(one) for one in messages]
        try:
            query = question(plain)
            answer = self.recaller.recall(self.app, self.user, *query, **self.options)
            return self._with(plain, answer)
        except FAULTS as error:
            log.warning("chat_goes_on_without_memory", reason=str(error))
            return plain

    async def areminded(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """The same without blocking the event loop."""
        plain = [_plain(one) for one in messages]
        try:
            query = question(plain)
            answer = await self.recaller.arecall(self.app, self.user, *query, **self.options)
            return self._with(plain, answer)
        except FAULTS as error:
            log.warning("chat_goes_on_without_memory", reason=str(error))
            return plain

    def _with(self, messages: Sequence[dict[str, Any]], answer: Answer) -> list[dict[str, Any]]:
        return self.recaller.with_block(messages, answer, self.place)

    def hear(self, messages: Sequence[Message], reply: Message | None = None) -> None:
        """Publish all that was said, behind the caller's back. What was published before is known and costs nothing.

        The messages are the whole chat, or the same end of it each time: a turn without an id is known by its words and
        by how many equal ones came before it.
        """
        said = [_plain(one) for one in (*messages, *([reply] if reply else ()))]
        said = [one for one in said if one.get("role") not in INSTRUCTING]
        try:
            self._thread.submit(self._publish, said)
        except RuntimeError:
            log.warning("chat_is_not_heard", reason="this memory was closed")

    def _publish(self, said: Sequence[dict[str, Any]]) -> None:
        try:
            answers = self.producer.publish_messages(
                said, app=self.app, user=self.user, conversation=self.conversation
            )
        except FAULTS as error:
            log.warning("chat_is_not_heard", reason=str(error))
            return
        for answer in answers:
            if answer.status not in {"accepted", "duplicate"}:
                log.warning("turn_is_not_heard", status=answer.status, reason=answer.message)


def _plain(message: Message) -> dict[str, Any]:
    if isinstance(message, BaseModel):
        return message.model_dump(exclude_none=True)
    return dict(message)


def question(messages: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What the user said last; nothing, and then the profile is recalled, where it has no words."""
    last = next((one for one in reversed(messages) if one.get("role") == "user"), None)
    text = text_of(last.get("content")) if last else ""
    return (text,) if text else ()


def text_of(content: object) -> str:
    """The words of a content that is a text, or a list of parts as OpenAI and LangChain have it."""
    if isinstance(content, str):
        return content.strip()
    if not isinstance(content, list):
        return ""
    parts = (
        one if isinstance(one, str) else one.get("text")
        for one in content
        if isinstance(one, str | dict)
    )
    return " ".join(part for part in parts if isinstance(part, str)).strip()
