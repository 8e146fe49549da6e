"""All contestants on the streams of one set."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from bench.quality.contestants import Contestant, Costs, Heard, Played
from bench.quality.likeness import Likeness
from bench.quality.marks import Marks, marked
from bench.quality.questions import Asked, asked
from bench.quality.rules import add_only, newest_wins, same_slot
from bench.quality.stream import Stream

#: Cosines from which the nearest fact gives way, of which the best is told.
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.84, 0.87, 0.9, 0.92, 0.94, 0.96, 0.98)
COSTS = ("calls", "tokens", "seconds")
#: Behind the point; what is not here is a whole number.
DIGITS = {"seconds": 1}


@dataclass(frozen=True)
class Set:
    """Streams that are counted together."""

    name: str
    streams: Sequence[Stream]
    #: By which they were made; null where they were not.
    seed: int | None = None

    @property
    def turns(self) -> int:
        return sum(stream.turns for stream in self.streams)


@dataclass(frozen=True)
class Row:
    """What one contestant came to on one set, at one of its moments."""

    of: str
    contestant: str
    marks: Marks
    asked: Asked = field(default_factory=Asked)
    #: Null where nothing is asked of anybody, and at all moments but the last.
    costs: Costs | None = None
    parked: int = 0
    seed: int | None = None
    #: What was chosen for it on this very set.
    detail: str = ""
    lacks: frozenset[str] = frozenset()
    is_rule: bool = False

    def figures(self) -> dict[str, Any]:
        """All counts, and what a thousand turns cost; null is what cannot be told."""
        each = 1000 / max(1, self.marks.turns)
        counts = {**asdict(self.marks), "parked": self.parked, **asdict(self.asked)}
        spent = asdict(self.costs or Costs())
        told = {name: round(each * n, DIGITS.get(name)) for name, n in spent.items()}
        return {
            "set": self.of if self.seed is None else f"{self.of}, seed {self.seed}",
            "seed": self.seed,
            "contestant": self.contestant,
            "detail": self.detail,
            **{name: None if name in self.lacks else n for name, n in counts.items()},
            **{f"{name}_per_1000_turns": told[name] if self.costs else None for name in COSTS},
        }


def played(
    of: Set, who: Contestant, heard: Mapping[str, Heard]
) -> tuple[list[Row], dict[str, Heard]]:
    """A row for each moment, the end last. `heard` has the facts of each stream; what it worked from comes back."""
    made = {stream.name: who.play(stream, heard.get(stream.name, ())) for stream in of.streams}
    names = dict.fromkeys(one.name for stream in of.streams for one in stream.moments)
    rows = [_row(of, who, name, made) for name in names]
    return rows, {name: one.heard for name, one in made.items()}


def _row(of: Set, who: Contestant, moment: str, made: Mapping[str, Played]) -> Row:
    named = ", ".join(filter(None, (of.name, moment)))
    row = Row(named, who.name, Marks(), seed=of.seed, lacks=who.lacks)
    for stream in of.streams:
        one = made[stream.name]
        row = replace(row, marks=row.marks + _marks(stream, moment, one))
        if not moment:
            row = _with_the_end(row, stream, one)
    return row


def _marks(stream: Stream, moment: str, one: Played) -> Marks:
    found = Marks()
    for it, look in zip(stream.moments, one.looks, strict=True):
        if it.name == moment:
            turns = sum(map(len, stream.sessions[: it.after]))
            found += marked(it.truth, look.held, look.statements, turns)
    return found


def _with_the_end(row: Row, stream: Stream, one: Played) -> Row:
    hits = one.looks[-1].hits
    costs = one.costs and (row.costs or Costs()) + one.costs
    told = asked(stream.questions, hits) if hits else Asked()
    return replace(row, asked=row.asked + told, costs=costs, parked=row.parked + one.parked)


def baselines(of: Set, heard: Mapping[str, Heard], likeness: Likeness) -> Iterator[Row]:
    """Of the thresholds only the one that gets most right is told."""
    for who in (add_only(likeness), same_slot(likeness)):
        yield from (replace(row, is_rule=True) for row in played(of, who, heard)[0])
    tried = (played(of, newest_wins(least, likeness), heard)[0] for least in THRESHOLDS)
    for row in best(tried):
        name, _, least = row.contestant.partition(" ")
        yield replace(row, contestant=name, detail=least, is_rule=True)


def best(tries: Iterable[Sequence[Row]]) -> Sequence[Row]:
    """By the end."""
    return max(tries, key=lambda rows: rows[-1].marks.slots_right + rows[-1].marks.things_right)
