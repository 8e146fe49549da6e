"""When a scope is due, and how much may wait: stored in Redis by the workers, read by every publish."""

from pydantic import Field

from schemas.base import Frozen


class Limits(Frozen):
    """Defaults hold until a worker has written its own settings to Redis."""

    #: Turns that make a scope due at once, and the most that one batch holds.
    batch_turns: int = Field(default=10, ge=1, le=500)
    #: Tokens (estimated) that make a scope due at once.
    batch_tokens: int = Field(default=4_000, ge=1)
    #: Seconds without a new turn after which a scope is due.
    quiet_seconds: float = Field(default=2.0, ge=0)
    #: Seconds after which the oldest turn makes its scope due, however busy the talk.
    max_wait_seconds: float = Field(default=30.0, ge=0)
    #: Turns of one scope that may wait; the next is answered `full`.
    max_pending: int = Field(default=10_000, ge=1)
    #: Seconds for which a turn id is remembered by the queue.
    seen_seconds: int = Field(default=86_400, ge=1, le=1_000_000_000)
