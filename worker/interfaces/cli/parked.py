"""`slowwave parked`: the dead letters, and what waits for a person's word."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer
from pydantic import JsonValue

from worker.adapters.inbox import Inbox
from worker.adapters.parking import Letter
from worker.direct.reviewing import accept
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.letters import letters_table, what
from worker.interfaces.cli.opening import opened, watching
from worker.interfaces.cli.options import AsJson, scope_of
from worker.interfaces.cli.output import answers, emit, note, plain, short
from worker.interfaces.letters import exported
from worker.interfaces.settled_letters import Decided, each, replayed

OnlyApp = Annotated[
    str | None, typer.Option("--app", metavar="NAME", help="Only those of --user in this app.")
]
OnlyUser = Annotated[
    str | None, typer.Option("--user", metavar="NAME", help="Only those of this user of --app.")
]
Ids = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[ID]...", help="As listed, or its first characters.", show_default=False
    ),
]

parked = typer.Typer(invoke_without_command=True, rich_markup_mode=None)


@parked.callback()
def _list(
    context: typer.Context, app: OnlyApp = None, user: OnlyUser = None, as_json: AsJson = False
) -> None:
    """List turns that were put aside: what failed for good, and what waits for review.

    With --json each line is one of them, whole, with what was queued: this is how they are exported.
    """
    if context.invoked_subcommand:
        return
    with watching() as inbox:
        found = inbox.parking.letters(_scope_key(app, user))
        if as_json:
            for letter in found:
                emit(exported(letter))
            return
        letters = list(found)
    if letters:
        answers().print(letters_table(letters))
    else:
        note("nothing is parked")


@parked.command()
def replay(
    ids: Ids = None,
    app: OnlyApp = None,
    user: OnlyUser = None,
    everything: Annotated[bool, typer.Option("--all", help="All that is parked.")] = False,
    accepting: Annotated[
        bool,
        typer.Option(
            "--accept", help="Carry out what is proposed for a turn held for review, as it stands."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Put parked turns back into the queue, to be tried afresh.

    They come after what waits by now and are due at once. With --accept a turn's proposal is applied instead, unless
    the memories that it would change have changed since: then nothing is done.
    """
    _ask_for_some(ids, app, user, everything=everything)
    if accepting:
        with opened() as parts:
            chosen = _chosen(parts.inbox, ids, app, user)
            done = each(chosen, lambda one: accept(parts, one, datetime.now(UTC)))
    else:
        with watching() as inbox:
            done = replayed(inbox, _chosen(inbox, ids, app, user))
    word = "accepted" if accepting else "replayed"
    _report(word, done, as_json=as_json)


@parked.command()
def drop(
    ids: Ids = None,
    app: OnlyApp = None,
    user: OnlyUser = None,
    everything: Annotated[bool, typer.Option("--all", help="All that is parked.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Give parked turns up for good, after asking.

    Nothing is learned from them. `slowwave parked --json` exports them before; who still has a turn may publish it
    again.
    """
    _ask_for_some(ids, app, user, everything=everything)
    with watching() as inbox:
        chosen = _chosen(inbox, ids, app, user)
        if chosen and not yes:
            for letter in chosen:
                note(f"{short(letter.id)}  {what(letter)}")
            typer.confirm(f"Give up these {len(chosen)} turns for good?", abort=True, err=True)
        gone = inbox.parking.drop(chosen)
    if as_json:
        listed: list[JsonValue] = [letter.id for letter in chosen]
        emit({"dropped": gone, "ids": listed})
        return
    for letter in chosen:
        answers().print(plain(f"gone: {letter.id}  {what(letter)}"), soft_wrap=True)
    answers().print(plain(f"dropped {gone}"))


def _ask_for_some(
    ids: Sequence[str] | None, app: str | None, user: str | None, *, everything: bool
) -> None:
    ways = [bool(ids), bool(app or user), everything]
    if sum(ways[1:]) > 1 or not any(ways) or (ids and everything):
        raise typer.BadParameter("say which: IDs, --app with --user, or --all")


def _scope_key(app: str | None, user: str | None) -> str | None:
    if app is None and user is None:
        return None
    if app is None or user is None:
        raise typer.BadParameter("--app and --user go together")
    return scope_of(app, user).key


def _chosen(
    inbox: Inbox, ids: Sequence[str] | None, app: str | None, user: str | None
) -> list[Letter]:
    """Raises `Failed` for an id that is not parked, or that begins several."""
    letters = list(inbox.parking.letters(_scope_key(app, user)))
    if not ids:
        return letters
    chosen: dict[str, Letter] = {}
    for given in ids:
        found = [letter for letter in letters if letter.id.startswith(given.lower())]
        if len(found) != 1:
            several = f"{len(found)} parked turns begin with {given}: give more of the id"
            raise Failed(several if found else f"{given} is not parked: see `slowwave parked`")
        chosen[found[0].id] = found[0]
    return list(chosen.values())


def _report(word: str, done: Decided, *, as_json: bool) -> None:
    """Raises `Failed` where something was not done."""
    if as_json:
        listed: list[JsonValue] = [one.model_dump() for one in done.problems]
        emit({word: done.count, "problems": listed})
    else:
        for one in done.problems:
            answers().print(plain(f"{short(one.id)}: {one.message}"), soft_wrap=True)
        answers().print(plain(f"{word} {done.count}"))
    if done.problems:
        raise Failed(f"{len(done.problems)} parked turns stay as they are, see above")
