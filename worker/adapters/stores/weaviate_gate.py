"""The last moment before a write leaves, to ask whether it is still wanted."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from weaviate import WeaviateClient

#: Raises what stops the request; a reading thread has none.
_GATE: ContextVar[Callable[[], None] | None] = ContextVar("gate", default=None)


@contextmanager
def gate(ask: Callable[[], None]) -> Iterator[None]:
    """What this thread sends inside is sent only if `ask` does not raise, asked anew for each try."""
    token = _GATE.set(ask)
    try:
        yield
    finally:
        _GATE.reset(token)


def pass_gate() -> None:
    """Raises what the gate of this thread raises, if it has one."""
    ask = _GATE.get()
    if ask is not None:
        ask()


def put_gate(client: WeaviateClient) -> None:
    """Before every request over gRPC.

    The client tries a refused write again by itself, up to 7 s later, and has no hook of its own for that.
    """
    connection = client._connection  # noqa: SLF001 - see above
    connection._grpc_stub = _Gated(connection._grpc_stub)  # type: ignore[assignment] # noqa: SLF001 - see above


class _Gated:
    """A gRPC stub whose calls pass the gate first."""

    def __init__(self, stub: Any) -> None:
        self._stub = stub

    def __getattr__(self, name: str) -> Callable[..., Any]:
        send = getattr(self._stub, name)

        def call(*arguments: Any, **options: Any) -> Any:
            pass_gate()
            return send(*arguments, **options)

        return call
