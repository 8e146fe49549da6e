"""What the worker does about an error decides its class.

SlowwaveError
├── Retryable          tried again later, with back-off
│   └── Unavailable    a dependency is down for everyone: nobody's attempts are used up
├── Unprocessable      parked with its reason; the rest goes on
│   └── PlanConflict   the store is not as the plan was decided on
├── LeaseLost          another worker may hold the scope: stop before the next write
└── Misconfigured      a person has to change a setting; nothing was written
"""


class SlowwaveError(Exception):
    """The message says what happened, to what, and what to do; raised bare, the docstring is the message."""

    def __init__(self, message: str = "") -> None:
        super().__init__(message or self.__doc__)


class Retryable(SlowwaveError):
    """It may work later."""

    def __init__(self, message: str = "", after_seconds: float | None = None) -> None:
        super().__init__(message)
        #: The server's own hint, if it gave one.
        self.after_seconds = after_seconds


class Unavailable(Retryable):
    """A model, a store or an embedder is out of reach for everyone."""


class Unprocessable(SlowwaveError):
    """It will not work however often it is tried."""


class PlanConflict(Unprocessable):
    """The store holds another version than the plan was decided on."""


class LeaseLost(SlowwaveError):
    """The lease on the scope ran out: another worker may hold it."""


class Misconfigured(SlowwaveError):
    """A setting is wrong."""
