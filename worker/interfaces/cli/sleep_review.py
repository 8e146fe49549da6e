"""`slowwave sleep review`: what sleep would not do by itself."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

import typer

from worker.core.sleeping.withheld import with_reason
from worker.direct.proposals import Proposal, accept, proposals, refuse
from worker.errors import SlowwaveError
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.naming import digits_of
from worker.interfaces.cli.opening import opened, reading
from worker.interfaces.cli.options import AppName, AsJson, UserName, scope_of
from worker.interfaces.cli.output import answers, emit, note, plain, short, table, when
from worker.interfaces.naming import the_one
from worker.interfaces.nights import proposal_of, shown

COLUMNS = ("run", "when", "what", "id", "before", "after", "why")
PROPOSALS = ("proposal", "proposals")
LISTED = "`slowwave sleep review` lists what waits"
STALE = "its memories have changed since: refuse it"


def review(
    app: AppName,
    user: UserName,
    accepting: Annotated[
        list[str] | None,
        typer.Option("--accept", metavar="RUN", help="Carry it out.", show_default=False),
    ] = None,
    refusing: Annotated[
        list[str] | None,
        typer.Option("--refuse", metavar="RUN", help="Drop it.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List what sleep only proposed, or decide: it would change too much, leave a question unanswered, or lose words.

    --accept and --refuse take the run's id, or its first digits, and may be repeated. What is accepted is done only
    where its memories are as they were, and can be undone.
    """
    scope = scope_of(app, user)
    if not accepting and not refusing:
        with reading() as memories:
            _list(list(proposals(memories.store, scope)), as_json=as_json)
        return
    with opened() as parts:
        waiting = [one.run.id for one in proposals(parts.store, scope)]
        accepted = [_named(one, waiting, "--accept") for one in accepting or ()]
        refused = [_named(one, waiting, "--refuse") for one in refusing or ()]
        done = {
            "accepted": _each(accepted, lambda run: accept(parts, scope, run, datetime.now(UTC))),
            "refused": _each(refused, lambda run: refuse(parts, scope, run, datetime.now(UTC))),
        }
    _tell(done, as_json=as_json)
    if left := len({*accepted, *refused}) - sum(map(len, done.values())):
        raise Failed(f"{left} proposals stay as they are, see above")


def _named(given: str, waiting: Sequence[UUID], option: str) -> UUID:
    return the_one(digits_of(given, option), waiting, PROPOSALS, LISTED)


def _each(ids: Sequence[UUID], act: Callable[[UUID], object]) -> list[UUID]:
    """Those that it went well with."""
    done = []
    for id in dict.fromkeys(ids):
        try:
            act(id)
        except SlowwaveError as error:
            note(f"{short(id)}: {error}")
        else:
            done.append(id)
    return done


def _tell(done: dict[str, list[UUID]], *, as_json: bool) -> None:
    if as_json:
        emit({word: [str(id) for id in ids] for word, ids in done.items()})
        return
    for word, ids in done.items():
        if ids:
            answers().print(plain(f"{word} {' '.join(map(short, ids))}"), soft_wrap=True)


def _list(found: Sequence[Proposal], *, as_json: bool) -> None:
    if as_json:
        for one in found:
            emit(proposal_of(one))
    elif found:
        answers().print(table("", COLUMNS, [row for one in found for row in _rows(one)]))
    else:
        note("nothing waits for review")


def _rows(one: Proposal) -> Iterator[tuple[object, ...]]:
    begins = short(one.run.id), when(one.run.started_at)
    for diff in shown(one):
        texts = diff.before or "–", diff.after or "–", with_reason(diff.why, diff.withheld)
        yield *begins, diff.kind, short(diff.memory_id), *texts
    if not one.stands:
        yield *begins, "–", "–", "–", "–", STALE
