"""When a scope is due, as workers store it in Redis and scripts read it."""

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.base import FORMAT
from schemas.limits import Limits


def due_figures(limits: Limits) -> list[int]:
    """Turns, tokens, ms of quiet, ms of age: as scripts take them where none are stored."""
    return [
        limits.batch_turns,
        limits.batch_tokens,
        round(limits.quiet_seconds * 1000),
        round(limits.max_wait_seconds * 1000),
    ]


def to_stored(limits: Limits) -> Mapping[Any, int]:
    """Field → figure."""
    batch_turns, batch_tokens, quiet_ms, max_wait_ms = due_figures(limits)
    return {
        "v": FORMAT,
        "batch_turns": batch_turns,
        "batch_tokens": batch_tokens,
        "quiet_ms": quiet_ms,
        "max_wait_ms": max_wait_ms,
        "max_pending": limits.max_pending,
        "seen_ms": limits.seen_seconds * 1000,
    }


def from_stored(stored: Sequence[int]) -> Limits:
    """The values of `to_stored`, in its order."""
    _, batch_turns, batch_tokens, quiet_ms, max_wait_ms, max_pending, seen_ms = stored
    return Limits(
        batch_turns=batch_turns,
        batch_tokens=batch_tokens,
        quiet_seconds=quiet_ms / 1000,
        max_wait_seconds=max_wait_ms / 1000,
        max_pending=max_pending,
        seen_seconds=round(seen_ms / 1000),
    )
