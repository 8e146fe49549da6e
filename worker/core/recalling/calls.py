"""How recall asks its parts."""

from collections.abc import Callable
from typing import Literal, Protocol, TypeVar

T = TypeVar("T")

Asked = Literal["embedder", "store", "reranker"]


class Calls(Protocol):
    """Carries out a call of one part; whoever waits only so long raises `Unavailable` for one that is late."""

    def __call__(self, part: Asked, work: Callable[[], T]) -> T: ...


def at_once(part: Asked, work: Callable[[], T]) -> T:  # noqa: ARG001 - all parts alike
    """Whoever waits as long as it takes."""
    return work()
