"""`slowwave sleep report`: what a night came to, told afterwards."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated
from uuid import UUID

import typer

from schemas.plan import Run
from schemas.scope import Scope
from worker.core.ports import Store
from worker.core.sleeping.kept import NIGHTS, Kept
from worker.core.sleeping.markdown import figures, markdown, safe
from worker.core.sleeping.note import read_note
from worker.core.sleeping.report import Diff, diffs
from worker.core.sleeping.retold import Retold, Words, retold
from worker.core.sleeping.withheld import with_reason
from worker.direct.proposals import proposals
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.opening import reading
from worker.interfaces.cli.options import AppName, AsJson, UserName, scope_of
from worker.interfaces.cli.output import answers, emit, note, plain, short, table, when
from worker.interfaces.cli.telling_runs import Told, with_plan
from worker.interfaces.cli.versions import texts_in
from worker.recall import veil_of

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


def told_again(store: Store, scope: Scope, nights: tuple[Kept, ...], nth: int) -> Retold:
    """The nth last night, with the words that the store still has and a read may show."""
    ids = [run for one in nights[-nth].passes for run in one.runs]
    runs = [run for run in (store.run(scope, id) for id in ids) if run is not None]
    waiting = proposals(store, scope)
    words = Words(
        done={one.run.id: _changes(one) for one in _told(store, scope, runs)},
        proposed={one.run.id: diffs([one.plan]) if one.stands else () for one in waiting},
        undone=frozenset(run.id for run in runs if run.state == "undone"),
    )
    return retold(scope, nights, nth, words)


def _told(store: Store, scope: Scope, runs: Collection[Run]) -> list[Told]:
    """As `telling_runs.told`, of many runs."""
    veil = veil_of(store, scope)
    planned = [with_plan(run) for run in runs]
    ids = {change.memory_id for run in planned for change in run.changes}
    snapshots = (record.archive for id in ids for record in store.archives(scope, id))
    live = (record.memory for record in store.memories(scope, ids))
    texts = texts_in(veil.archives(snapshots), live)
    return [Told(veil.run(run), texts) for run in planned]


def _changes(told: Told) -> tuple[Diff, ...]:
    return tuple(
        Diff(
            kind=change.kind,
            memory_id=change.memory_id,
            relation=change.relation,
            reason=change.reason,
            before=told.before(change),
            after=told.after(change),
            replaced_by=change.replaced_by,
            why=change.why,
            run=told.run.id,
        )
        for change in told.run.changes
        if change.kind in {"add", "revise", "retire"}
    )


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
