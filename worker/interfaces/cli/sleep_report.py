"""`slowwave sleep report`: what a night came to, told afterwards."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from worker.core.sleeping.kept import NIGHTS
from worker.core.sleeping.markdown import figures, markdown, safe
from worker.core.sleeping.note import read_note
from worker.core.sleeping.report import Diff
from worker.core.sleeping.retold import Retold
from worker.core.sleeping.withheld import with_reason
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.opening import reading
from worker.interfaces.cli.options import AppName, AsJson, UserName, scope_of
from worker.interfaces.cli.output import answers, emit, note, plain, short, table, when
from worker.interfaces.nights import told_again

COLUMNS = ("pass", "what", "id", "before", "after", "why")


def report(
    app: AppName,
    user: UserName,
    night: Annotated[
        int, typer.Option("--night", min=1, metavar="N", help="The Nth last; 1 is the latest.")
    ] = 1,
    page: Annotated[
        Path | None,
        typer.Option("--markdown", metavar="FILE", help="Write it there, as Markdown."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tell what a night came to: what each pass did and cost, and the words before and after.

    The last nights in which anything was asked or changed are kept, without words: those come from the archive, so
    what was forgotten since is told no more.
    """
    scope = scope_of(app, user)
    with reading() as memories:
        store = memories.store
        nights = read_note(store.about(scope).sleep, scope).nights
        if not nights:
            note("no night is kept: none has asked or changed anything yet")
            return
        if night > len(nights):
            raise Failed(f"there is no night {night}: {len(nights)} are kept, of at most {NIGHTS}")
        found = told_again(store, scope, nights, night)
    if page is not None:
        _write(page, found)
    emit(found) if as_json else _print(found)


def _write(page: Path, report: Retold) -> None:
    since = "".join(f"{safe(line)}\n\n" for line in _since(report))
    try:
        page.write_text(markdown([report]) + since, encoding="utf-8")
    except OSError as error:
        raise Failed(
            f"the report was not written to {page}: {error.strerror}; nothing else failed"
        ) from error


def _print(report: Retold) -> None:
    out = answers()
    if rows := list(_rows(report)):
        out.print(table("", COLUMNS, rows))
    begun = f"night {report.night} of {report.nights}, begun {when(report.began_at)}"
    for line in (f"{begun}: {figures(report)}", *_since(report)):
        out.print(plain(line), soft_wrap=True)


def _since(report: Retold) -> Iterator[str]:
    """What a night that was only just slept has not to tell."""
    if report.times > 1:
        yield f"gone on with {report.times - 1} times, last {when(report.last_at)}"
    if report.undone:
        yield f"undone since: {' '.join(map(short, report.undone))}"
    if report.unnamed:
        yield f"{report.unnamed} further runs are not named here: see `slowwave runs`"


def _rows(report: Retold) -> Iterator[tuple[object, ...]]:
    undone: set[UUID] = {*report.undone}
    for one in report.passes:
        for diff in one.changes:
            yield _row(one.name, f"{diff.kind}, undone" if diff.run in undone else diff.kind, diff)
        yield from (_row(one.name, f"{diff.kind}?", diff) for diff in one.proposed)


def _row(name: str, what: str, diff: Diff) -> tuple[object, ...]:
    why = with_reason(diff.why, diff.withheld)
    return name, what, short(diff.memory_id), diff.before or "–", diff.after or "–", why
