"""Streams of the `openai` package that are heard when they end."""

from collections.abc import AsyncIterator, Iterator, Sequence
from types import TracebackType
from typing import Any, Self

from openai import AsyncStream, Stream
from openai.types.chat.chat_completion_chunk import ChoiceDelta, ChoiceDeltaToolCall

from producers.producer import Message
from worker.interfaces.frameworks.chat_memory import ChatMemory


class Hearing:
    """The question is heard at once, so that nobody has to read or close a stream for it; what is said, once."""

    def __init__(self, memory: ChatMemory, messages: Sequence[Message]) -> None:
        self._memory, self._messages = memory, messages
        self._deltas: list[ChoiceDelta] = []
        self._is_told = False
        memory.hear(messages)

    def take(self, chunk: Any) -> None:
        """A chunk of whatever an endpoint sends; those without a choice tell of usage."""
        for choice in getattr(chunk, "choices", None) or ():
            if choice.index == 0 and choice.delta is not None:
                self._deltas.append(choice.delta)

    def end(self) -> None:
        if self._is_told:
            return
        self._is_told = True
        if reply := together(self._deltas):
            self._memory.hear(self._messages, reply)


def together(deltas: Sequence[ChoiceDelta]) -> dict[str, Any] | None:
    """The message that the pieces make, as a whole answer has it; nothing where they say nothing."""
    said: dict[str, Any] = {}
    for name in ("content", "refusal"):
        if text := "".join(getattr(one, name) or "" for one in deltas):
            said[name] = text
    calls: dict[int, dict[str, Any]] = {}
    for piece in (piece for one in deltas for piece in one.tool_calls or ()):
        calls[piece.index] = _grown(calls.get(piece.index), piece)
    if calls:
        said["tool_calls"] = [calls[index] for index in sorted(calls)]
    return {"role": "assistant", **said} if said else None


def _grown(call: dict[str, Any] | None, piece: ChoiceDeltaToolCall) -> dict[str, Any]:
    had = call or {"id": "", "function": {"name": "", "arguments": ""}}
    more, function = piece.function, had["function"]
    return {
        "id": had["id"] or piece.id or "",
        "type": "function",
        "function": {
            "name": function["name"] + ((more and more.name) or ""),
            "arguments": function["arguments"] + ((more and more.arguments) or ""),
        },
    }


class HeardStream(Stream[Any]):
    """The package's stream, with its attributes."""

    def __init__(self, stream: Stream[Any], hearing: Hearing) -> None:
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


class HeardAsyncStream(AsyncStream[Any]):
    """The same for asyncio."""

    def __init__(self, stream: AsyncStream[Any], hearing: Hearing) -> None:
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
