"""`slowwave import`: an export, or what another system exported, into the store."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import chain, groupby, islice
from typing import Annotated

import typer
from pydantic import ValidationError

from schemas.exported import EXPORT_FORMAT, Content, End, Head, Line, MemoryLine, line_reader
from schemas.scope import Scope
from worker.adapters.sources.reading import MAX_LINE, Cut, cuts
from worker.core.writing.stated import Stated, checked, stated
from worker.direct.importing import import_lines
from worker.direct.remembering import remember
from worker.errors import Unprocessable
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.foreign_lines import items
from worker.interfaces.cli.lines import source
from worker.interfaces.cli.opening import opened
from worker.interfaces.cli.options import AsJson, DefaultApp, DefaultUser, scope_of
from worker.interfaces.cli.output import answers, emit, note, table, waiting
from worker.parts import Parts

#: Records of one run: of an export or as they stand, and of statements that a judge looks at.
PORTION = 500
JUDGED = 20
#: Bytes of one line: what another system exported may stand on one, and is held in memory as a whole.
LONGEST_DOCUMENT = 2**31
#: What a memory tells of itself when it is judged anew.
TOLD = (
    *("text", "subject", "attribute", "kind", "volatile", "said_by", "authority", "said_at"),
    *("happened_at", "until", "after", "tags", "metadata", "pinned"),
)


@dataclass
class Done:
    """What became of it so far."""

    counts: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


def import_(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="An export of slowwave's or mem0's, or statements: JSON, JSON lines or plain lines; - is stdin.",
        ),
    ],
    app: DefaultApp = None,
    user: DefaultUser = None,
    judge: Annotated[
        bool,
        typer.Option(
            "--judge", help="Judge every statement against what is known, as `remember` does."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Take in what was exported; again is harmless.

    An export of slowwave's comes back as it was: memories, earlier versions and runs, in their scopes. What is here
    already stays, and what was forgotten or erased here since does not come back. Statements of others are added as
    they stand, under --app and --user where they name none; with --judge each is judged first.
    """
    done = Done()
    with opened() as parts, source(file) as stream, waiting("importing"):
        lines = (line for line in cuts(stream, LONGEST_DOCUMENT) if line.raw.strip())
        first = list(islice(lines, 1))
        if first and _is_ours(first[0]):
            _refuse_names(app, user)
            _take_export(parts, lines, done, judge=judge)
        else:
            found = _statements(chain(first, lines), app, user, done)
            _take_statements(parts, found, done, judge=judge)
    _tell(done, as_json=as_json)


def _refuse_names(app: str | None, user: str | None) -> None:
    if app or user:
        raise typer.BadParameter(
            "an export goes back to the scopes that it names: leave --app and --user out"
        )


def _is_ours(first: Cut) -> bool:
    """Raises `Failed` for a format that only a newer version knows."""
    try:
        head = line_reader.validate_json(first.raw)
    except ValidationError:
        return False
    if isinstance(head, Head) and head.format > EXPORT_FORMAT:
        raise Failed(
            f"the export has format {head.format}, this slowwave reads {EXPORT_FORMAT}: upgrade it;"
            " nothing was imported"
        )
    return isinstance(head, Head)


def _take_export(parts: Parts, lines: Iterable[Cut], done: Done, *, judge: bool) -> None:
    for scope, of_scope in groupby(_contents(lines, done), key=lambda line: line.scope):
        if judge:
            memories = (line for line in of_scope if isinstance(line, MemoryLine))
            again = ((scope, _judged_anew(line)) for line in memories)
            _take_statements(parts, again, done, judge=True)
            continue
        while portion := list(islice(of_scope, PORTION)):
            done.counts += import_lines(parts, scope, portion, datetime.now(UTC))


def _contents(lines: Iterable[Cut], done: Done) -> Iterator[Content]:
    """Where no line says that this was all, that is a problem too."""
    for line in lines:
        read = _read(line, done)
        if isinstance(read, End):
            return
        if read is not None and not isinstance(read, Head):
            yield read
    done.problems.append(
        "the export was cut off, its last line is missing: export it again for the rest"
    )


def _read(line: Cut, done: Done) -> Line | None:
    if len(line.raw) > MAX_LINE:
        done.problems.append(f"line {line.number}: is longer than {MAX_LINE:,} bytes")
        return None
    try:
        return line_reader.validate_json(line.raw)
    except ValidationError as error:
        what = error.errors(include_url=False, include_input=False)[0]
        done.problems.append(f"line {line.number}: is no line of an export: {what['msg']}")
        return None


def _judged_anew(line: MemoryLine) -> Stated:
    fields = {name: getattr(line.memory, name) for name in TOLD}
    given = checked(fields | {"external_ref": f"import {line.memory.id}"})
    return stated(given, line.scope, "", datetime.now(UTC))


def _statements(
    lines: Iterable[Cut], app: str | None, user: str | None, done: Done
) -> Iterator[tuple[Scope, Stated]]:
    now = datetime.now(UTC)
    for item in items(lines):
        if item.found is None:
            done.problems.append(f"{item.where}: {item.problem}")
            continue
        owner = item.found.user or user
        if not app:
            raise typer.BadParameter("statements name no application: say --app")
        if not owner:
            raise typer.BadParameter(f"{item.where} names no user: say --user")
        scope = scope_of(app, owner)
        try:
            given = checked(item.found.fields)
        except Unprocessable as error:
            done.problems.append(f"{item.where}: {error}")
        else:
            yield scope, stated(given, scope, item.found.key, now)


def _take_statements(
    parts: Parts, found: Iterable[tuple[Scope, Stated]], done: Done, *, judge: bool
) -> None:
    for scope, pairs in groupby(found, key=lambda pair: pair[0]):
        while portion := [one for _, one in islice(pairs, JUDGED if judge else PORTION)]:
            _remember(parts, scope, portion, done, judge=judge)


def _remember(
    parts: Parts, scope: Scope, portion: Sequence[Stated], done: Done, *, judge: bool
) -> None:
    """One that cannot be written holds up none of the others."""
    try:
        for one in remember(parts, scope, portion, datetime.now(UTC), judge=judge):
            done.counts["there already" if one.duplicate else one.fate] += 1
    except Unprocessable as error:
        if len(portion) == 1:
            done.problems.append(f"{portion[0].fact.text[:40]!r}: {error}")
            return
        for statement in portion:
            _remember(parts, scope, [statement], done, judge=judge)


def _tell(done: Done, *, as_json: bool) -> None:
    """Raises `Failed` where something could not be taken."""
    counts: Mapping[str, int] = {what: count for what, count in done.counts.items() if count}
    if as_json:
        emit({**counts, "refused": len(done.problems), "problems": list(done.problems)})
    elif counts:
        answers().print(table("", ("what", "how many"), list(counts.items()), tall=False))
    if done.problems:
        for problem in done.problems:
            note(problem)
        raise Failed(
            f"{len(done.problems)} could not be taken: mend them and import the file again"
        )
