"""`slowwave history`: how a memory came to be what it is."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

import typer
from rich.table import Table

from schemas.memory import Archive, Memory
from schemas.scope import Scope
from worker.core.ports import Reader
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.opening import reading
from worker.interfaces.cli.options import AppName, AsJson, UserName, scope_of
from worker.interfaces.cli.output import answers, day, emit, short, table
from worker.interfaces.cli.versions import Texts, newest_first, reasoned, successor, texts_in

#: Digits of an id, at least the first four.
PREFIX = re.compile(r"[0-9a-f]{4,32}")
DIGITS = 32

LIVE_COLUMNS = ("v", "memory", "said", "written", "turns")
SAID_COLUMNS = ("words", "why", "run")
ARCHIVE_COLUMNS = ("id", "memory", "said", "replaced by", "when", "why", "run", "turns")


@dataclass(frozen=True)
class History:
    """A memory's live record, if it still has one, and what came before, newest first."""

    id: UUID
    live: Memory | None
    archives: tuple[Archive, ...]


def history(
    id: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="The memory's id, or the first four or more of its digits."
        ),
    ],
    app: AppName,
    user: UserName,
    as_json: AsJson = False,
) -> None:
    """Show how a memory came to be what it is.

    Its earlier versions, and for each what replaced it, when, why and in which run.
    """
    scope = scope_of(app, user)
    digits = id.lower().replace("-", "")
    if not PREFIX.fullmatch(digits):
        raise typer.BadParameter(
            f"{id!r} is no id: write four or more of its hexadecimal digits", param_hint="ID"
        )
    with reading() as memories:
        found = history_of(memories.store, scope, digits)
        texts = {} if as_json else texts_around(memories.store, scope, found)
        said = [] if as_json else list(_said(memories.store, scope, found))
    if as_json:
        for record in (*([found.live] if found.live else []), *found.archives):
            emit(record)
    else:
        _show(found, texts, said)


def history_of(store: Reader, scope: Scope, digits: str) -> History:
    """Of the memory whose id begins so; a whole id is looked up without reading the scope.

    Raises `Failed` where there is none in this scope, or more than one.
    """
    id = UUID(digits) if len(digits) == DIGITS else _the_one(store, scope, digits)
    live = next((record.memory for record in store.memories(scope, [id])), None)
    archives = newest_first(record.archive for record in store.archives(scope, id))
    if live is None and not archives:
        raise _not_found(digits)
    return History(id, live, archives)


def texts_around(store: Reader, scope: Scope, history: History) -> Texts:
    """The words that its table needs: its own versions, and what stands in their place."""
    successors = {one.replaced_by for one in history.archives if one.replaced_by}
    live = store.memories(scope, {history.id, *successors})
    return texts_in(history.archives, (record.memory for record in live))


def _the_one(store: Reader, scope: Scope, digits: str) -> UUID:
    live = (record.memory.id for record in store.memories(scope))
    earlier = (record.archive.memory.id for record in store.archives(scope))
    found = {id for ids in (live, earlier) for id in ids if id.hex.startswith(digits)}
    if not found:
        raise _not_found(digits)
    if len(found) > 1:
        raise Failed(f"{len(found)} memories begin with {digits}: write more of the id")
    return found.pop()


def _not_found(digits: str) -> Failed:
    return Failed(
        f"memory {digits} is not found in this scope: `slowwave memories` lists what is there"
    )


def _said(store: Reader, scope: Scope, history: History) -> Iterator[tuple[object, ...]]:
    """Other words that its turns brought and that were called the same."""
    versions = [*([history.live] if history.live else []), *(a.memory for a in history.archives)]
    ids = {memory.id for memory in versions}
    for run in store.runs(scope, {id for memory in versions for id in memory.turn_ids}):
        for change in run.changes:
            if change.memory_id in ids:
                yield from ((words, change.why, short(run.id)) for words in change.said)


def _show(found: History, texts: Texts, said: Sequence[tuple[object, ...]]) -> None:
    out = answers()
    out.print(f"memory {found.id}")
    if found.live:
        out.print(table("stands", LIVE_COLUMNS, [_live_row(found.live)]))
    else:
        out.print("no longer stands")
    if found.archives:
        out.print(archives_table("came before", found.archives, texts))
    if said:
        out.print(table("was called the same", SAID_COLUMNS, said))


def archives_table(title: str, archives: Sequence[Archive], texts: Texts) -> Table:
    return table(title, ARCHIVE_COLUMNS, [_archive_row(one, texts) for one in archives])


def _live_row(memory: Memory) -> tuple[object, ...]:
    return (
        memory.version,
        memory.text,
        day(memory.said_at),
        day(memory.updated_at),
        turns(memory),
    )


def _archive_row(archive: Archive, texts: Texts) -> tuple[object, ...]:
    memory = archive.memory
    return (
        f"{short(memory.id)} v{memory.version}",
        memory.text,
        day(memory.said_at),
        successor(archive, texts),
        day(archive.archived_at),
        reasoned(archive.reason, archive.why),
        short(archive.run),
        turns(memory),
    )


def turns(memory: Memory) -> str:
    return " ".join(short(id) for id in memory.turn_ids)
