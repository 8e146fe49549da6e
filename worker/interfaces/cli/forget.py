"""`slowwave forget`: a memory, or what a query names, is gone everywhere."""

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

import typer
from rich.table import Table

from schemas.scope import Scope
from worker.core.forgetting.going import Named
from worker.core.texts.words import carriers
from worker.direct.forgetting import Receipt, Sighted, Wanted, sighted
from worker.direct.forgetting import forget as forget_them
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.naming import LISTED, digits_of
from worker.interfaces.cli.opening import opened
from worker.interfaces.cli.options import AppName, AsJson, UserName, scope_of
from worker.interfaces.cli.output import (
    answers,
    day,
    emit,
    note,
    notes,
    short,
    table,
    waiting,
)
from worker.interfaces.naming import MEMORIES, all_ever, the_one
from worker.parts import Parts

#: Field of `Receipt` → what it counts.
PLACES = {
    "memories": "memories that are gone",
    "redacted": "memories without that part",
    "returned": "memories that stand again by themselves",
    "archives": "earlier versions",
    "runs": "runs that lost their words",
    "pending": "turns that waited",
    "parked": "turns that were put aside",
    "recent": "turns kept as context",
}
#: Not shown again, not even to whoever asks for its words.
HIDDEN = "(forgotten in a conversation, not yet removed)"


def forget(
    app: AppName,
    user: UserName,
    id: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]", help="The memory's id, or the first four or more of its digits."
        ),
    ] = None,
    query: Annotated[
        str | None,
        typer.Option("--query", metavar="TEXT", help="What to forget, in the words it was said."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Forget a memory, or all that names what you say, after asking. Nothing brings it back.

    It leaves what is known, its history, the runs, and the turns that wait, were put aside or serve as context; the
    same turns published again stay out. An ID takes the memory with all it was made of, and its part in what it was
    merged into. A query takes what has all its words; where a memory says more, the rest stays. A worker that is at
    work on the user is stopped and waited for, up to a third of SLOWWAVE_LEASE_SECONDS. Where it failed in between, run
    it again. Backups, and the files of Redis until it rewrites them, hold what they held.
    """
    scope = scope_of(app, user)
    if (id is None) == (query is None):
        raise typer.BadParameter("say which: an ID, or --query TEXT")
    if query is not None and not carriers(query):
        raise typer.BadParameter("names nothing: say what is to go", param_hint="--query")
    if not yes and not sys.stdin.isatty():
        raise typer.BadParameter("nobody can be asked here: say --yes", param_hint="--yes")
    digits = digits_of(id) if id else ""
    with opened() as parts:
        wanted = (
            _by_query(parts, scope, query, yes=yes)
            if query
            else _by_id(parts, scope, digits, yes=yes)
        )
        with waiting("forgetting"):
            receipt = forget_them(parts, scope, wanted, parts.inbox.now())
    if as_json:
        emit(receipt)
    else:
        answers().print(_listed(receipt))


def _by_id(parts: Parts, scope: Scope, digits: str, *, yes: bool) -> Wanted:
    id = the_one(digits, all_ever(parts.store, scope), MEMORIES, LISTED)
    live = [record.memory for record in parts.store.memories(scope, [id])]
    if not yes:
        said = live[0].text if live else "an earlier one, and its part in what came of it"
        note(f"{short(id)}  {said}")
        typer.confirm("Forget it for good?", abort=True, err=True)
    return Wanted((id,))


def _by_query(parts: Parts, scope: Scope, query: str, *, yes: bool) -> Wanted:
    if yes:
        return Wanted(None, query)
    found = sighted(parts, scope, query, datetime.now(UTC))
    _show(found)
    if not found.named:
        typer.confirm("Go on with the turns that are still queued?", abort=True, err=True)
        return Wanted(None, query)
    given = typer.prompt(
        "Forget which for good? Numbers, or all", default="", show_default=False, err=True
    )
    return Wanted(_picked(given, [one.id for one in found.named]), query)


def _show(found: Sighted) -> None:
    """On stderr: it is what is asked about, no answer."""
    if found.named:
        rows = [_row(at, one) for at, one in enumerate(found.named, start=1)]
        notes().print(table("", ("#", "id", "memory", "state", "goes"), rows))
    else:
        note("no memory has all of these words")
    if found.near:
        beside = [(short(one.id), one.text, day(one.said_at)) for one in found.near]
        title = "also near: these stay, unless you give their ID"
        notes().print(table(title, ("id", "memory", "said"), beside))


def _row(number: int, one: Named) -> tuple[object, ...]:
    text = HIDDEN if one.state == "forgotten" else one.text
    return number, short(one.id), text, one.state, "a part" if one.says_more else "all"


def _picked(given: str, ids: Sequence[UUID]) -> tuple[UUID, ...] | None:
    """Null for all. Raises `Failed` where it is not said which."""
    words = given.replace(",", " ").split()
    if words == ["all"]:
        return None
    if not words or not all(word.isdecimal() and 0 < int(word) <= len(ids) for word in words):
        raise Failed(f"say numbers from 1 to {len(ids)}, or all: nothing was forgotten")
    return tuple(ids[int(word) - 1] for word in words)


def _listed(receipt: Receipt) -> Table:
    rows = [(word, getattr(receipt, name)) for name, word in PLACES.items()]
    return table("forgotten", ("what", "how many"), rows, tall=False)
