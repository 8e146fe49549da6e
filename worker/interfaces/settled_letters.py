"""What becomes of parked turns that somebody decides on."""

from collections.abc import Callable, Sequence

from schemas.base import Frozen
from worker.adapters.inbox import Inbox
from worker.adapters.parking import Letter
from worker.errors import SlowwaveError

NO_TURN = "is no turn: it can only be exported or dropped"


class Kept(Frozen):
    """One that stays as it is, and why."""

    id: str
    message: str


class Decided(Frozen):
    """How many it went well with, and the others."""

    count: int
    problems: tuple[Kept, ...] = ()


def replayed(inbox: Inbox, chosen: Sequence[Letter]) -> Decided:
    """Back into the queue. Raises `Unavailable`."""
    problems = tuple(Kept(id=one.id, message=NO_TURN) for one in chosen if one.turn is None)
    count = inbox.parking.replay([one for one in chosen if one.turn])
    return Decided(count=count, problems=problems)


def each(chosen: Sequence[Letter], act: Callable[[Letter], object]) -> Decided:
    """What one fails of stops no other."""
    done, problems = 0, list[Kept]()
    for letter in chosen:
        try:
            act(letter)
        except SlowwaveError as error:
            problems.append(Kept(id=letter.id, message=str(error)))
        else:
            done += 1
    return Decided(count=done, problems=tuple(problems))
