"""All contestants on the streams of one set."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.quality.contestants import Contestant, Played, add_only, newest_wins, same_slot
from bench.quality.marks import Marks, marked
from bench.quality.stream import Stream
from schemas.base import Vector
from schemas.memory import Fact

#: Cosines from which the nearest fact gives way, of which the best is told.
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.84, 0.87, 0.9, 0.92, 0.94, 0.96, 0.98)


@dataclass(frozen=True)
class Row:
    """What one contestant came to on one set."""

    of: str
    contestant: str
    marks: Marks
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    parked: int = 0

    def figures(self) -> dict[str, Any]:
        """All counts, and what a thousand turns cost."""
        each = 1000 / max(1, self.marks.turns)
        return {
            "set": self.of,
            "contestant": self.contestant,
            **asdict(self.marks),
            "parked": self.parked,
            "calls_per_1000_turns": round(self.calls * each),
            "tokens_per_1000_turns": round(self.tokens * each),
            "seconds_per_1000_turns": round(self.seconds * each, 1),
        }


Heard = Mapping[str, Sequence[Fact]]


def played(of: str, who: Contestant, streams: Sequence[Stream], heard: Heard) -> tuple[Row, Heard]:
    """`heard` has the facts of each stream; what the contestant itself worked from comes back."""
    row, found = Row(of, who.name, Marks()), dict[str, Sequence[Fact]]()
    for stream in streams:
        one = who.play(stream, heard.get(stream.name, ()))
        found[stream.name] = one.facts
        row = _with(row, stream, one)
    return row, found


def _with(row: Row, stream: Stream, one: Played) -> Row:
    return Row(
        row.of,
        row.contestant,
        row.marks + marked(stream.truth, one.held, one.statements, stream.turns),
        row.calls + one.calls,
        row.tokens + one.tokens,
        row.seconds + one.seconds,
        row.parked + one.parked,
    )


def baselines(
    of: str, streams: Sequence[Stream], heard: Heard, vectors: Mapping[str, Vector]
) -> Iterator[Row]:
    """`vectors` has every fact's text. Of the thresholds only the one that gets most right is told."""
    for who in (add_only(), same_slot()):
        yield played(of, who, streams, heard)[0]
    tried = (played(of, newest_wins(least, vectors), streams, heard)[0] for least in THRESHOLDS)
    yield best(tried)


def best(rows: Iterable[Row]) -> Row:
    return max(rows, key=lambda row: row.marks.slots_right + row.marks.things_right)
