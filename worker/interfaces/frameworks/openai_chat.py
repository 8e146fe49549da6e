"""An `openai` client that remembers.

    memory = ChatMemory(recaller, producer, app="acme", user="alice", conversation="42")
    client = remembering(OpenAI(), memory)
    client.chat.completions.create(model="…", messages=messages)

Calls are as ever, and so is what they return. Each is reminded of what is known about the last question, and heard
when it is answered; of a stream when it ends, or as far as it went where it is closed early. Of several choices the
first is heard.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import wraps
from types import TracebackType
from typing import Any, Self, TypeVar

from openai import AsyncOpenAI, OpenAI

from producers.producer import Message
from worker.interfaces.frameworks.chat_memory import ChatMemory

C = TypeVar("C", OpenAI, AsyncOpenAI)

#: Of a model's message; the rest is how the package, or an endpoint, tells it otherwise.
#: Of a model's message; the rest is how the package, or an endpoint, tells it otherwise.
SAID = {"role", "content", "tool_calls", "refusal"}
#: Ways to a model that it could not remind: better an error than a chat that forgets unseen.
REFUSED = (
    "{name} is not reminded of anything: use `chat.completions.create`, or a client without memory"
)


def remembering(client: C, memory: ChatMemory) -> C:
    """A copy of the client, on the same connections; the one that is given stays as it is."""
    made = client.with_options()
    completions = made.chat.completions
    wrap = _async if issubclass(type(client), AsyncOpenAI) else _sync
    for name in ("create", "parse"):
        setattr(completions, name, wrap(getattr(completions, name), memory))
    for name in ("create", "parse", "stream"):
        setattr(made.responses, name, _refused(f"`responses.{name}`"))
    completions.stream = _refused("`chat.completions.stream`")  # type: ignore[method-assign] # an error that teaches
    made.completions.create = _refused("`completions.create`")  # type: ignore[method-assign] # the same
    return made


def _sync(inner: Callable[..., Any], memory: ChatMemory) -> Callable[..., Any]:
    @wraps(inner)
    def create(*, messages: Sequence[Message], **options: Any) -> Any:
        given = list(messages)
        answer = inner(messages=memory.reminded(given), **options)
        if options.get("stream"):
            return HeardStream(answer, Hearing(memory, given))
        memory.hear(given, _first(answer))
        return answer

    return create


def _async(inner: Callable[..., Any], memory: ChatMemory) -> Callable[..., Any]:
    @wraps(inner)
    async def create(*, messages: Sequence[Message], **options: Any) -> Any:
        given = list(messages)
        answer = await inner(messages=await memory.areminded(given), **options)
        if options.get("stream"):
            return HeardAsyncStream(answer, Hearing(memory, given))
        memory.hear(given, _first(answer))
        return answer

    return create


def _refused(name: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(REFUSED.format(name=name))

    return refuse


def _first(answer: Any) -> Message | None:
    """Null where the model said nothing."""
    choices = getattr(answer, "choices", None)
    if not choices:
        return None
    said: dict[str, Any] = choices[0].message.model_dump(include=SAID, exclude_none=True)
    return said if said.keys() - {"role"} else None


class Hearing:
    """What a stream says, put together; told once."""

    def __init__(self, memory: ChatMemory, messages: Sequence[Message]) -> None:
        self._memory, self._messages = memory, messages
        self._parts: list[str] = []
        self._is_told = False

    def take(self, chunk: Any) -> None:
        for choice in getattr(chunk, "choices", ()):
            if choice.index == 0 and choice.delta.content:
                self._parts.append(choice.delta.content)

    def end(self) -> None:
        if self._is_told:
            return
        self._is_told = True
        text = "".join(self._parts)
        self._memory.hear(self._messages, {"role": "assistant", "content": text} if text else None)


class HeardStream:
    """A `Stream` of the package, with its attributes."""

    def __init__(self, stream: Any, hearing: Hearing) -> None:
        self._stream, self._hearing = stream, hearing

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            chunk = next(self._stream)
        except BaseException:
            self._hearing.end()
            raise
        self._hearing.take(chunk)
        return chunk

    def __enter__(self) -> Self:
        self._stream.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._hearing.end()
        self._stream.close()


class HeardAsyncStream:
    """An `AsyncStream` of the package, with its attributes."""

    def __init__(self, stream: Any, hearing: Hearing) -> None:
        self._stream, self._hearing = stream, hearing

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            chunk = await anext(self._stream)
        except BaseException:
            self._hearing.end()
            raise
        self._hearing.take(chunk)
        return chunk

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        self._hearing.end()
        await self._stream.close()
