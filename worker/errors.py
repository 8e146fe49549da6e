"""What the worker does about an error decides its class.

SlowwaveError
├── Retryable          tried again later, with back-off
│   ├── Unavailable    a dependency does not answer: attempts count only where it fails one scope alone
│   │   └── TooSlow    it did not answer in time
│   └── OverBudget     this scope alone waits for its next day, its attempts are not used up
├── Unprocessable      parked with its reason; the rest goes on
│   ├── NotFound       what a direct act names is not there
│   ├── TooLong        a shorter text would do
│   └── PlanConflict   the store is not as the plan was decided on
│       └── VersionMoved  a memory is not at the version that the caller has seen
├── LeaseLost          another worker may hold the scope: stop before the next write
└── Misconfigured      a person has to change a setting; nothing was written
"""

from typing import Literal

#: What a batch needs from the outside, beside the queue.
Part = Literal["model", "embedder", "store"]


class SlowwaveError(Exception):
    """The message says what happened, to what, and what to do; raised bare, the docstring is the message."""

    #: What failed, where it may fail for everyone.
    part: Part | None = None
    #: Whether what was sent may be why: a key that is refused is nobody's text, a fault of the server may be.
    may_be_text: bool = False

    def __init__(self, message: str = "") -> None:
        super().__init__(message or self.__doc__)


class Retryable(SlowwaveError):
    """It may work later."""

    def __init__(
        self,
        message: str = "",
        after_seconds: float | None = None,
        *,
        part: Part | None = None,
        may_be_text: bool = False,
    ) -> None:
        super().__init__(message)
        #: The server's own hint, if it gave one.
        self.after_seconds = after_seconds
        self.part, self.may_be_text = part, may_be_text


class Unavailable(Retryable):
    """A model, a store or an embedder is out of reach."""


class TooSlow(Unavailable):
    """A part did not answer in time: too busy, or asked for too much."""


class OverBudget(Retryable):
    """A scope has asked of models what it may ask in a day."""


class Unprocessable(SlowwaveError):
    """It will not work however often it is tried."""


class NoRoom(Unprocessable):
    """The scope was never written to, or was erased."""


class NotFound(Unprocessable):
    """What is named is not there, or is somebody else's."""


class TooLong(Unprocessable):
    """The model takes no text of this length."""


class PlanConflict(Unprocessable):
    """The store holds another version than the plan was decided on."""


class VersionMoved(PlanConflict):
    """A memory has another version than the caller has seen."""

    def __init__(self, message: str = "", version: int = 0) -> None:
        super().__init__(message)
        #: The one that it has.
        self.version = version


class LeaseLost(SlowwaveError):
    """The lease on the scope ran out: another worker may hold it."""


class Misconfigured(SlowwaveError):
    """A setting is wrong."""

    def __init__(
        self, message: str = "", *, part: Part | None = None, may_be_text: bool = False
    ) -> None:
        super().__init__(message)
        self.part, self.may_be_text = part, may_be_text
