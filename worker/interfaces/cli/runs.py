"""`slowwave runs` and `slowwave run`: what changed the memory, when, and how."""

from itertools import islice
from typing import Annotated
from uuid import UUID

import typer

from schemas.plan import Run
from schemas.scope import Scope
from worker.core.ports import Reader
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.naming import digits_of
from worker.interfaces.cli.opening import reading
from worker.interfaces.cli.options import AppName, AsJson, UserName, scope_of
from worker.interfaces.cli.output import answers, emit, note, plain, short, table, when
from worker.interfaces.cli.telling_runs import COLUMNS, counted, in_words, rows
from worker.interfaces.naming import the_one
from worker.interfaces.runs_told import document_of, line_of, told, with_plan

LIST_COLUMNS = ("id", "when", "kind", "state", "turns", "facts", "changes", "calls", "tokens")
RUNS = ("run", "runs")
LISTED = "`slowwave runs` lists what is there"

RunId = Annotated[
    str,
    typer.Argument(metavar="RUN", help="The run's id, or the first four or more of its digits."),
]


def runs(
    app: AppName,
    user: UserName,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Show so many, the latest first.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List what changed a user's memory, the latest first.

    Batches of turns, sleep, direct writes, and what took them back; with how much came in, and what it cost.
    """
    scope = scope_of(app, user)
    with reading() as memories:
        found = [with_plan(run) for run in islice(memories.store.runs(scope), limit)]
    if as_json:
        for run in found:
            emit(line_of(run))
    elif found:
        answers().print(table("", LIST_COLUMNS, [_row(run) for run in found], tall=False))
    else:
        note("no runs yet; `slowwave status` shows what is still waiting")


def one_run(id: RunId, app: AppName, user: UserName, as_json: AsJson = False) -> None:
    """Show what one run changed: what came in, what it cost, and the words before and after, with the reason."""
    scope = scope_of(app, user)
    with reading() as memories:
        found = told(memories.store, scope, the_run(memories.store, scope, id))
    if as_json:
        emit(document_of(found))
        return
    out = answers()
    for line in in_words(found.run):
        out.print(plain(line), soft_wrap=True)
    if found.run.changes:
        title = "changed" if found.run.plan is None else "planned"
        out.print(table(title, COLUMNS, rows(found)))
    else:
        out.print("changed nothing")


def the_run(store: Reader, scope: Scope, given: str) -> Run:
    """The run of which this is the id, or its first digits. Raises as `digits_of` and `the_one`."""
    id = run_id(store, scope, given)
    run = store.run(scope, id)
    if run is None:
        raise Failed(f"run {given} is not found in this scope: {LISTED}")
    return run


def run_id(store: Reader, scope: Scope, given: str) -> UUID:
    """A whole id is taken as it is."""
    return the_one(digits_of(given, "RUN"), (run.id for run in store.runs(scope)), RUNS, LISTED)


def _row(run: Run) -> tuple[object, ...]:
    return (
        short(run.id),
        when(run.started_at),
        run.kind,
        run.state,
        len(run.turn_ids),
        run.facts,
        counted(run),
        run.usage.total_calls,
        run.usage.total_tokens,
    )
