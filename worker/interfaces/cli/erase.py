"""`slowwave erase`: all that there is of a user goes."""

import sys
from typing import Annotated

import typer
from rich.table import Table

from schemas.scope import Scope
from worker.direct.erasing import Contents, contents
from worker.direct.erasing import erase as erase_scope
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.opening import opened
from worker.interfaces.cli.options import AppName, AsJson, UserName, scope_of
from worker.interfaces.cli.output import answers, emit, note, notes, plain, table, waiting
from worker.parts import Parts

#: Field of `Contents` → what it counts.
PLACES = {
    "memories": "memories",
    "archives": "earlier versions",
    "runs": "runs",
    "pending": "turns that wait",
    "parked": "turns that were put aside",
    "seen": "turn ids",
    "recent": "turns kept as context",
    "plans": "plans of a batch in flight",
    "spent": "days of model calls counted",
    "served": "questions that recall answered",
}


def erase(
    app: AppName,
    user: UserName,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Erase all that there is of a user, in the queue and in the store, after asking. Nothing brings it back.

    A worker that is at work on it is stopped and waited for, up to a third of SLOWWAVE_LEASE_SECONDS. What was said
    until now is not learned even if it is published again; what is said later is. Where it failed in between, run it
    again: it ends what it began. Backups, and the files of Redis until it rewrites them, hold what they held.
    """
    scope = scope_of(app, user)
    if not yes and not sys.stdin.isatty():
        raise typer.BadParameter("nobody can be asked here: say --yes", param_hint="--yes")
    with opened() as parts:
        if not yes:
            _ask(parts, scope)
        with waiting("erasing"):
            receipt = erase_scope(parts, scope, parts.inbox.now())
    if as_json:
        emit(receipt)
        return
    answers().print(_listed("erased", receipt.gone))
    until = f"{receipt.erased_at:%Y-%m-%d %H:%M:%S} UTC"
    told = f"of {receipt.scope_key}; what was said until {until} stays out"
    answers().print(plain(told), soft_wrap=True)


def _ask(parts: Parts, scope: Scope) -> None:
    notes().print(_listed("there is", contents(parts, scope)))
    note("Type the name of the user to erase all of it for good:")
    if sys.stdin.readline().strip() != scope.user:
        raise Failed("that is not the name: nothing was erased")


def _listed(title: str, found: Contents) -> Table:
    rows = [(word, getattr(found, name)) for name, word in PLACES.items()]
    return table(title, ("what", "how many"), rows, tall=False)
