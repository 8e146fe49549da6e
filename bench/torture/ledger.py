"""What the workers of the torture write down, on a Redis that nobody kills, and what it shows."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Literal, get_args

#: LIST of events in the order in which they were told.
LEDGER = "ledger"
#: HASHes, point → how often a worker died there, and was frozen there.
CRASHES, FREEZES = "crashes", "freezes"
#: Exists from when workers are to stop doing so.
ENOUGH = "enough"

Write = Literal["prepare", "run open", "archives", "live", "removals", "run applied", "run parked"]
STEPS = ("claim", "extraction", "judge", "plan", *get_args(Write), "commit", "park", "fail")
BEFORE, AFTER = "before", "after"
#: What an accepted turn goes by on its way, in its order; before a claim there is nothing to lose.
POINTS = tuple(
    f"{when} {step}"
    for step in STEPS
    for when in (BEFORE, AFTER)
    if f"{when} {step}" != "before claim"
)

#: Where facts are stored and their run is not yet applied: what is decided anew from there on is done twice.
HALF_DONE = ("after live", "before removals", "after removals", "before run applied")


def point(step: str, when: str = BEFORE) -> str:
    """The name of a point at which a worker may die."""
    return f"{when} {step}"


@dataclass(frozen=True)
class Event:
    """A write to a scope, told before it was begun or after it had succeeded."""

    write: Write
    when: Literal["before", "after"]
    scope: str
    fence: int
    #: Of a write of a run, its id.
    run: str = ""

    def json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, payload: bytes) -> "Event":
        return cls(**json.loads(payload))


def overlapping(events: Iterable[Event]) -> list[Event]:
    """Writes that succeeded although they were begun after one under a higher fence had.

    One that was on its way meanwhile is not told from one that came before.
    """
    highest: defaultdict[str, int] = defaultdict(int)
    begun: dict[tuple[str, int], bool] = {}
    found: list[Event] = []
    for event in events:
        holder = (event.scope, event.fence)
        if event.when == "before":
            begun[holder] = event.fence < highest[event.scope]
            continue
        if begun.get(holder):
            found.append(event)
        highest[event.scope] = max(highest[event.scope], event.fence)
    return found


def applied_at(events: Iterable[Event]) -> Mapping[str, tuple[int, int]]:
    """Run → its place in the order in which runs were applied: the fence it was applied under, then the moment told.

    A worker that was frozen after the write tells of it late, when others have gone on. One that died before it could
    tell that it had applied a run is taken by its word that it was about to.
    """
    about_to: dict[str, tuple[int, int]] = {}
    done: dict[str, tuple[int, int]] = {}
    for at, event in enumerate(events):
        if event.write == "run applied" and event.when == "before":
            about_to[event.run] = event.fence, at
        elif event.write == "run applied":
            place = event.fence, at
            done[event.run] = min(done.get(event.run, place), place)
    return {**about_to, **done}
