"""`slowwave history`: how a memory came to be what it is."""

import re
from collections.abc import Sequence
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
from worker.interfaces.cli.versions import Texts, newest_first, reasoned, successor, texts_of

#: Digits of an id, at least the first four.
PREFIX = re.compile(r"[0-9a-f]{4,32}")
DIGITS = 32

LIVE_COLUMNS = ("v", "memory", "said", "written", "turns")
ARCHIVE_COLUMNS = ("id", "memory", "said", "replaced by", "when", "why", "run", "turns")


@dataclass(frozen=True)
class History:
    """A memory's live record, if it still has one, and what came before, newest first."""

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
        memory = _the_one(memories.store, scope, digits)
        found = history_of(memories.store, scope, memory)
        texts = texts_of(memories.store, scope)
    if as_json:
        for record in (*([found.live] if found.live else []), *found.archives):
            emit(record)
    else:
        _show(memory, found, texts)


def _the_one(store: Reader, scope: Scope, digits: str) -> UUID:
    """The memory whose id begins so. Raises `Failed` where there is none in this scope, or more than one."""
    live = (record.memory.id for record in store.memories(scope))
    earlier = (record.archive.memory.id for record in store.archives(scope))
    found = {id for ids in (live, earlier) for id in ids if id.hex.startswith(digits)}
    if not found:
        raise Failed(
            f"memory {digits[:DIGITS]} is not found in this scope: `slowwave memories` lists what is there"
        )
    if len(found) > 1:
        raise Failed(f"{len(found)} memories begin with {digits}: write more of the id")
    return found.pop()


def history_of(store: Reader, scope: Scope, memory: UUID) -> History:
    live = next((record.memory for record in store.memories(scope, [memory])), None)
    archives = (record.archive for record in store.archives(scope, memory))
    return History(live, newest_first(archives))


def _show(memory: UUID, found: History, texts: Texts) -> None:
    out = answers()
    out.print(f"memory {memory}")
    if found.live:
        out.print(table("stands", LIVE_COLUMNS, [_live_row(found.live)]))
    else:
        out.print("no longer stands")
    if found.archives:
        out.print(archives_table("came before", found.archives, texts))


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
