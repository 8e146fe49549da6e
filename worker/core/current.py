"""What is true at a moment: every read and every judgment asks here, so that all share one notion."""

from datetime import datetime

from schemas.memory import Fact, Memory


def current(memory: Memory, now: datetime) -> Memory | None:
    """The memory as it stands at `now`: itself, what stands again after its end, or nothing."""
    if memory.until is None or now < memory.until:
        return memory
    if memory.after is None:
        return None
    return memory.model_copy(
        update={"text": memory.after, "until": None, "after": None, "since": memory.until}
    )


def first_said(memory: Memory) -> datetime:
    """From when on what it says is taken for true: when it was first said, or came to stand again."""
    return memory.since or memory.said_at


def stands_again(before: Fact | Memory) -> str | None:
    """What is true again once something temporary that replaced it is over."""
    return before.text if before.until is None else before.after
