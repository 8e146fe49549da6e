"""What a torture has broken, read from what was said, what is left in the store, and the ledger. Pure."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from bench.torture.ledger import Event, applied_at, overlapping
from bench.torture.traffic import Said
from schemas.memory import Memory
from schemas.plan import Run

#: Before all that was told.
NEVER_TOLD = (-1, -1)
#: Findings that have to be 0.
BROKEN = ("lost", "unlearned", "twice", "out_of_order", "overlapping", "waiting")


@dataclass(frozen=True)
class Remains:
    """What is left once nothing moves any more."""

    #: Applied runs.
    runs: Sequence[Run]
    #: Memory → the turns behind its first version.
    births: Mapping[UUID, tuple[UUID, ...]]
    #: Turns behind any version of any memory.
    stored: frozenset[UUID]
    #: Turns put aside.
    parked: frozenset[UUID]
    #: Turns still in the queue.
    waiting: frozenset[UUID]

    @classmethod
    def of(
        cls,
        runs: Iterable[Run],
        memories: Iterable[Memory],
        parked: Iterable[UUID] = (),
        waiting: Iterable[UUID] = (),
    ) -> "Remains":
        """`memories` in all their versions."""
        births: dict[UUID, tuple[UUID, ...]] = {}
        stored: set[UUID] = set()
        for memory in memories:
            stored.update(memory.turn_ids)
            if memory.version == 1:
                births[memory.id] = memory.turn_ids
        applied = [run for run in runs if run.state == "applied"]
        return cls(applied, births, frozenset(stored), frozenset(parked), frozenset(waiting))


@dataclass(frozen=True)
class Findings:
    """Turns, but for `overlapping`, which are writes."""

    #: Accepted, and in no applied run, not parked and not waiting.
    lost: tuple[Said, ...]
    #: In an applied run, although nothing that is stored goes back to them.
    unlearned: tuple[Said, ...]
    #: In two applied runs, or with two memories born of their one fact.
    twice: tuple[Said, ...]
    #: Applied before one of their conversation that was said earlier.
    out_of_order: tuple[Said, ...]
    overlapping: tuple[Event, ...]
    parked: int
    waiting: int
    batches: int

    @property
    def figures(self) -> dict[str, int]:
        """How many of each."""
        counts = {name: len(getattr(self, name)) for name in BROKEN if name != "waiting"}
        more = {"waiting": self.waiting, "parked": self.parked, "batches": self.batches}
        return {**counts, **more}

    def examples(self, most: int) -> list[str]:
        """What is broken, by ids."""
        turns = {
            "lost": self.lost,
            "unlearned": self.unlearned,
            "twice": self.twice,
            "out of order": self.out_of_order,
        }
        found = [
            f"{name}: turn {one.turn} of scope {one.scope}, {one.conversation} no. {one.number}"
            for name, broken in turns.items()
            for one in broken[:most]
        ]
        return found + [f"overlapping: {one}" for one in self.overlapping[:most]]


def findings(said: Sequence[Said], remains: Remains, events: Sequence[Event]) -> Findings:
    runs_of = Counter(turn for run in remains.runs for turn in run.turn_ids)
    births = Counter(turn for turns in remains.births.values() for turn in turns)
    elsewhere = remains.parked | remains.waiting
    return Findings(
        lost=_those(said, lambda turn: not runs_of[turn] and turn not in elsewhere),
        unlearned=_those(said, lambda turn: runs_of[turn] > 0 and turn not in remains.stored),
        twice=_those(said, lambda turn: runs_of[turn] > 1 or births[turn] > 1),
        out_of_order=tuple(_out_of_order(said, remains.runs, applied_at(events))),
        overlapping=tuple(overlapping(events)),
        parked=len(remains.parked),
        waiting=len(remains.waiting),
        batches=len(remains.runs),
    )


def _those(said: Sequence[Said], wrong: Callable[[UUID], bool]) -> tuple[Said, ...]:
    return tuple(one for one in said if wrong(one.turn))


def _out_of_order(
    said: Sequence[Said], applied: Sequence[Run], order: Mapping[str, tuple[int, int]]
) -> Iterator[Said]:
    known = {one.turn: one for one in said}
    furthest: dict[tuple[str, str], int] = {}
    seen: set[UUID] = set()
    for run in sorted(applied, key=lambda run: order.get(str(run.id), NEVER_TOLD)):
        for turn in run.turn_ids:
            if turn in seen or turn not in known:
                continue
            seen.add(turn)
            one = known[turn]
            talk = (one.scope, one.conversation)
            if one.number < furthest.get(talk, -1):
                yield one
            furthest[talk] = max(one.number, furthest.get(talk, -1))
