"""`slowwave sleep`: memories are tidied while nobody talks."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from schemas.scope import Scope
from worker.core.sleeping.markdown import figures, markdown
from worker.core.sleeping.report import Diff, Report
from worker.core.sleeping.withheld import with_reason
from worker.direct.one_night import one_night
from worker.errors import SlowwaveError
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.opening import opened
from worker.interfaces.cli.options import AsJson, scope_of
from worker.interfaces.cli.output import answers, emit, hidden, note, plain, progress, short, table
from worker.interfaces.cli.sleep_due import sleep_those_due
from worker.interfaces.cli.sleep_report import report as report_on
from worker.interfaces.cli.sleep_review import review
from worker.parts import Parts

COLUMNS = ("pass", "what", "id", "before", "after", "why")

sleep = typer.Typer(invoke_without_command=True, rich_markup_mode=None)
sleep.command("review")(review)
sleep.command("report")(report_on)


@sleep.callback()
def _sleep(
    context: typer.Context,
    app: Annotated[
        str | None, typer.Option("--app", metavar="NAME", help="The application of --user.")
    ] = None,
    user: Annotated[
        str | None, typer.Option("--user", metavar="NAME", help="Only this user of --app.")
    ] = None,
    everyone: Annotated[
        bool,
        typer.Option("--all", help="Every scope, one by one; also where Redis lost who is due."),
    ] = False,
    due: Annotated[
        bool,
        typer.Option("--due", help="Every scope that is due, as workers do; for cron without one."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what it would do, and what that costs.")
    ] = False,
    page: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE", help="Write the report there, as Markdown."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tidy memory: write down what has lapsed, join what is about the same thing, look again at what was flagged.

    Only what changed since the last time is looked at. Turns that wait go first. What would change more than
    SLOWWAVE_SLEEP_MAX_SHARE of a scope, leave a question unanswered, or take away what nothing else says, is proposed:
    see `slowwave sleep review`. Each change is archived, and each run can be undone. A dry run asks the model the same
    questions and writes nothing.
    """
    if context.invoked_subcommand:
        return
    if (app is None) != (user is None) or (everyone, due, app is not None).count(True) != 1:
        raise typer.BadParameter("say which: --app with --user, --due, or --all")
    if due and dry_run:
        raise typer.BadParameter("--dry-run goes with --app and --user, or with --all")
    # An empty name is nobody's, never everybody's.
    one = scope_of(app, user) if app is not None and user is not None else None
    reports: list[Report] = []
    with opened() as parts:
        if due:

            def tell(report: Report) -> None:
                reports.append(report)
                emit(report) if as_json else _print(report)

            count, failed = sleep_those_due(parts, tell)
        else:
            scopes = [one] if one else list(parts.store.scopes())
            count = len(scopes)
            failed = _each(parts, scopes, reports, dry_run=dry_run, as_json=as_json)
    if page is not None:
        _write(page, reports)
    if failed:
        raise Failed(f"{failed} of {count} scopes are not done, see above: sleep again later")


def _write(page: Path, reports: Sequence[Report]) -> None:
    try:
        page.write_text(markdown(reports), encoding="utf-8")
    except OSError as error:
        raise Failed(
            f"the night is over, but its report was not written to {page}: {error.strerror};"
            " `slowwave runs` lists what was done"
        ) from error


def _each(
    parts: Parts, scopes: Sequence[Scope], reports: list[Report], *, dry_run: bool, as_json: bool
) -> int:
    """How many scopes were not done. What one scope failed of stops no other, and what was done before is told."""
    failed = 0
    with progress() as bar:
        task = bar.add_task("sleeping", total=len(scopes))
        for scope in scopes:
            told: list[Report] = []
            try:
                report = one_night(parts, scope, dry_run=dry_run, if_it_fails=told.append)
            except SlowwaveError as error:
                note(f"scope {scope.key}: {error}")
                told = [one for one in told if one.passes]
                failed += 1
            else:
                told = [report]
                failed += report.stopped is not None
            with hidden(bar):
                for one in told:
                    emit(one) if as_json else _print(one)
            reports += told
            bar.advance(task)
    return failed


def _print(report: Report) -> None:
    out = answers()
    if rows := list(_rows(report)):
        out.print(table("", COLUMNS, rows))
    would = "would sleep" if report.dry_run else "slept"
    whose = f"{report.scope.app}, {report.scope.user}"
    out.print(plain(f"{would}: {whose}: {figures(report)}"), soft_wrap=True)


def _rows(report: Report) -> Iterator[tuple[object, ...]]:
    for one in report.passes:
        yield from (_row(one.name, change.kind, change) for change in one.changes)
        yield from (_row(one.name, f"{diff.kind}?", diff) for diff in one.proposed)


def _row(name: str, what: str, diff: Diff) -> tuple[object, ...]:
    before, after = diff.before or "–", diff.after or "–"
    return name, what, short(diff.memory_id), before, after, with_reason(diff.why, diff.withheld)
