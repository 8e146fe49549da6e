"""What came of each run, kept as a JSON object a line so that what was done can be gone on from."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from bench.all.plan import Size
from bench.all.reading import Reading

#: `late` was ended for its time, `missing` lacked something, for `unstarted` there was no time left.
State = Literal["ran", "failed", "late", "missing", "unstarted"]


@dataclass(frozen=True)
class Outcome:
    """Of one run of one entry."""

    entry: str
    run: int
    size: Size
    #: Its arguments, in the words of the plan.
    words: str
    state: State
    #: Why it did not run.
    why: str = ""
    seconds: float = 0.0
    readings: tuple[Reading, ...] = ()
    #: What it left out, in its own words.
    remarks: tuple[str, ...] = ()
    #: Of its process.
    status: int | None = None

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "Outcome":
        readings = tuple(Reading(**one) for one in told["readings"])
        return cls(**{**told, "readings": readings, "remarks": tuple(told["remarks"])})


@dataclass(frozen=True)
class About:
    """Where and of what it was measured; each by its name."""

    began_at: str
    #: Of the processor's queue, when it began.
    load: str
    machine: Mapping[str, str]
    versions: Mapping[str, str]


class Other(Exception):
    """Results of something else cannot be gone on from; the message says of what."""


@dataclass(frozen=True)
class Results:
    """A file of them: first what they are about."""

    path: Path

    def begin(self, about: About) -> None:
        """Anew."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(asdict(about)) + "\n")

    def resume(self, about: About) -> tuple[About, list[Outcome]]:
        """What is there. Raises `Other` where it is of another version or machine, or no file of results."""
        first, *rest = self._lines()
        try:
            before = About(**first)
            outcomes = [Outcome.of(one) for one in rest]
        except (TypeError, KeyError) as error:
            raise Other(f"{self.path} holds no results of benches: {error}") from error
        if (before.machine, before.versions) != (about.machine, about.versions):
            raise Other(
                f"{self.path} is of another version or machine, of which nothing can be compared with what would"
                " be added: leave --resume out to measure all anew"
            )
        return before, outcomes

    def add(self, outcome: Outcome) -> None:
        with self.path.open("a") as file:
            file.write(json.dumps(asdict(outcome)) + "\n")

    def _lines(self) -> list[dict[str, Any]]:
        if not self.path.is_file():
            raise Other(f"{self.path} is not there: leave --resume out to measure all anew")
        return list(_objects(self.path.read_text())) or [{}]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Whole lines: of the last a crash may have left a part."""
    for line in text.splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue


def done(outcomes: Sequence[Outcome], entry: str, run: int, words: str) -> Outcome | None:
    """What is no use running again."""
    for one in outcomes:
        if (one.entry, one.run, one.words, one.state) == (entry, run, words, "ran"):
            return one
    return None
