"""`slowwave undo`: a run is taken back."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated

import typer

from schemas.plan import Add, Plan, Revise, Run
from schemas.scope import Scope
from worker.core.planning.runs import applied
from worker.core.ports import Reader
from worker.direct.undoing import planned, undo, unfinished
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.opening import opened, reading
from worker.interfaces.cli.options import AppName, AsJson, UserName, scope_of
from worker.interfaces.cli.output import answers, emit, note, plain, short, table
from worker.interfaces.cli.runs import RunId, run_id
from worker.interfaces.cli.telling_runs import COLUMNS, rows
from worker.interfaces.runs_told import Told, told
from worker.interfaces.undone import brings_back, forgotten_by, undone_of


def undo_run(
    id: RunId,
    app: AppName,
    user: UserName,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what it would do.", show_default=False)
    ] = False,
    remember_again: Annotated[
        bool,
        typer.Option(
            "--remember-again",
            help="Also where that brings back what a person asked to forget.",
            show_default=False,
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Take back what a run changed, unless a later run built on it: then it says which.

    Every memory is again what it was before, as its next version. The run's turns are free: published again they are
    learned anew. An undo is a run as well, and can be undone.
    """
    scope, now = scope_of(app, user), datetime.now(UTC)
    if dry_run:
        with reading() as memories:
            store = memories.store
            run = run_id(store, scope, id)
            plan = planned(store, scope, run, now)
            _tell(store, scope, plan, unfinished(store, scope), as_json=as_json)
            if count := forgotten_by(store, scope, run):
                note(f"{brings_back(count)}: it will ask for --remember-again")
        return
    with opened() as parts:
        run = run_id(parts.store, scope, id)
        if not remember_again and (count := forgotten_by(parts.store, scope, run)):
            raise Failed(
                f"{brings_back(count)}: say --remember-again if that is meant; nothing was done"
            )
        plan = undo(parts, scope, run, now)
        _tell(parts.store, scope, plan, None, as_json=as_json)


def _tell(
    store: Reader, scope: Scope, plan: Plan, first: list[Run] | None, *, as_json: bool
) -> None:
    """What is finished `first` is known of a dry run alone."""
    done = undone_of(store, plan, first)
    for run in first or ():
        note(
            f"run {run.id} is half done and would be finished first: what that changes is not in this"
        )
    if as_json:
        emit(done)
        return
    found = with_foreseen(told(store, scope, applied(plan)), plan)
    did = f"would undo run {plan.undoes}" if first is not None else f"undid run {plan.undoes}"
    out = answers()
    if found.run.changes:
        out.print(table("", COLUMNS, rows(found)))
    out.print(
        plain(f"{did} (run {short(plan.run)}); {len(done.turn_ids)} turns are free"), soft_wrap=True
    )


def with_foreseen(found: Told, plan: Plan) -> Told:
    """Also the words that no record has yet, where those of an earlier version that may be shown are the same."""
    shown = {(id, text) for (id, _), text in found.texts.items()}
    made = [one.record.memory for one in plan.changes if isinstance(one, Add | Revise)]
    foreseen = {(one.id, one.version): one.text for one in made if (one.id, one.text) in shown}
    return replace(found, texts={**found.texts, **foreseen})
