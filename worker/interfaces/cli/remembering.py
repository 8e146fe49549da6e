"""Many statements from lines of JSON, in portions of one run each."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import uuid4

from pydantic import JsonValue

from schemas.scope import Scope
from worker.core.writing.stated import Stated, checked, stated
from worker.core.writing.written import Written
from worker.direct.remembering import remember
from worker.errors import SlowwaveError, Unprocessable
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.lines import Read, portions, source
from worker.interfaces.cli.output import answers, emit, note, plain, progress
from worker.interfaces.cli.writing import in_words
from worker.parts import Parts

#: Statements of one run: about what fits one call of a judge.
PORTION = 20
TOLD = ("added", "confirmed", "revised", "filed", "left out", "duplicate", "refused")
FIELDS = "a `text`"


@dataclass(frozen=True)
class Numbered:
    """A statement and the line that it stands on."""

    number: int
    statement: Stated


@dataclass
class Tally:
    """What became of the lines so far, told as it goes."""

    as_json: bool
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, number: int, done: Written) -> None:
        self.counts["duplicate" if done.duplicate else done.fate] += 1
        document: dict[str, JsonValue] = {"line": number, **done.model_dump(mode="json")}
        self._tell(document, f"line {number}: {in_words(done)}")

    def refuse(self, number: int, message: str) -> None:
        self.counts["refused"] += 1
        document: dict[str, JsonValue] = {"line": number, "fate": "refused", "why": message}
        self._tell(document, f"line {number}: refused: {message}")

    def _tell(self, document: dict[str, JsonValue], words: str) -> None:
        if self.as_json:
            emit(document)
        else:
            answers().print(plain(words), soft_wrap=True)


@dataclass(frozen=True)
class Writing:
    """Where the lines go."""

    parts: Parts
    scope: Scope
    tally: Tally
    judge: bool

    def portion(self, reads: Sequence[Read], now: datetime) -> None:
        lines = list(self._checked(reads, now))
        if lines:
            self._write(lines, now)

    def _checked(self, reads: Sequence[Read], now: datetime) -> Iterator[Numbered]:
        for read in reads:
            try:
                yield Numbered(read.number, self._stated(read, now))
            except Unprocessable as error:
                self.tally.refuse(read.number, str(error))

    def _stated(self, read: Read, now: datetime) -> Stated:
        if read.turn is None:
            raise Unprocessable(read.problem)
        return stated(checked(read.turn), self.scope, uuid4().hex, now)

    def _write(self, lines: Sequence[Numbered], now: datetime) -> None:
        """Where one of them is refused, each goes alone, so that the others are in."""
        statements = [line.statement for line in lines]
        try:
            done = remember(self.parts, self.scope, statements, now, judge=self.judge)
        except Unprocessable as error:
            if len(lines) == 1:
                self.tally.refuse(lines[0].number, str(error))
                return
            for line in lines:
                self._write([line], now)
            return
        except SlowwaveError as error:
            raise Failed(
                f"line {lines[0].number}: {error}. What is told of above is written; write the rest again"
            ) from error
        for line, one in zip(lines, done, strict=True):
            self.tally.add(line.number, one)


def write_lines(parts: Parts, scope: Scope, name: str, *, judge: bool, as_json: bool) -> None:
    """Tell what becomes of each line. Raises `Failed` unless all are in."""
    writing = Writing(parts, scope, Tally(as_json), judge)
    counts = writing.tally.counts
    with source(name) as stream, progress() as bar:
        task = bar.add_task("remembering", total=None)
        for portion in portions(stream, {}, size=PORTION, fields=FIELDS):
            writing.portion(portion, datetime.now(UTC))
            bar.update(task, description=f"remembered {counts.total():,} statements")
    note(", ".join(f"{fate} {counts[fate]}" for fate in TOLD if counts[fate] or fate == "added"))
    if refused := counts["refused"]:
        raise Failed(f"{refused} lines of {name} were refused: mend them and write them again")
