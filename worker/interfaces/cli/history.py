"""`slowwave history`: how a memory came to be what it is."""

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer
from rich.table import Table

from schemas.memory import Archive, Memory
from schemas.scope import Scope
from worker.core.current import first_said
from worker.core.ports import Reader
from worker.interfaces.cli.naming import digits_of, memory_ever
from worker.interfaces.cli.opening import reading
from worker.interfaces.cli.options import AppName, AsJson, UserName, scope_of
from worker.interfaces.cli.output import answers, day, emit, plain, short, table
from worker.interfaces.cli.versions import reasoned, successor
from worker.interfaces.histories import History, history_of
from worker.interfaces.versions import Texts, texts_in

LIVE_COLUMNS = ("v", "memory", "since", "said", "written", "turns")
SAID_COLUMNS = ("words", "why", "run")
ARCHIVE_COLUMNS = ("id", "memory", "since", "said", "replaced by", "when", "why", "run", "turns")


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

    Its earlier versions, and for each since when it was said, what replaced it, when, why, in which run, and from which
    turns. What was forgotten is not among them, nor a reason that tells of it.
    """
    scope, digits = scope_of(app, user), digits_of(id)
    with reading() as memories:
        found = history_in(memories.store, scope, digits)
        texts = {} if as_json else texts_around(memories.store, scope, found)
        said = [] if as_json else list(_said(memories.store, scope, found))
    if as_json:
        for record in (*([found.live] if found.live else []), *found.archives):
            emit(record)
    else:
        _show(found, texts, said)


def history_in(store: Reader, scope: Scope, digits: str) -> History:
    """Of the memory whose id begins so. Raises `NotFound`, and `Failed` where several do."""
    return history_of(store, scope, memory_ever(store, scope, digits), digits)


def texts_around(store: Reader, scope: Scope, history: History) -> Texts:
    """The words that its table needs: its own versions, and what stands in their place."""
    successors = {one.replaced_by for one in history.archives if one.replaced_by}
    live = store.memories(scope, {history.id, *successors})
    return texts_in(history.archives, (record.memory for record in live))


def _said(store: Reader, scope: Scope, history: History) -> Iterator[tuple[object, ...]]:
    """Other words that its turns brought and that were called the same."""
    versions = [*([history.live] if history.live else []), *(a.memory for a in history.archives)]
    ids = {memory.id for memory in versions}
    for run in store.runs(scope, {id for memory in versions for id in memory.turn_ids}):
        for change in history.veil.run(run).changes:
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
    if found.removed_until and found.removed:
        versions = "version 1 is" if found.removed == 1 else f"versions 1 to {found.removed} are"
        out.print(
            plain(
                f"{versions} not kept any more: what was archived until {day(found.removed_until)} was removed for"
                " good (SLOWWAVE_SLEEP_KEEP_ARCHIVES_DAYS)"
            ),
            soft_wrap=True,
        )
    if said:
        out.print(table("was called the same", SAID_COLUMNS, said))


def archives_table(title: str, archives: Sequence[Archive], texts: Texts) -> Table:
    return table(title, ARCHIVE_COLUMNS, [_archive_row(one, texts) for one in archives])


def _live_row(memory: Memory) -> tuple[object, ...]:
    return (
        memory.version,
        memory.text,
        day(first_said(memory)),
        day(memory.said_at),
        day(memory.updated_at),
        turns(memory),
    )


def _archive_row(archive: Archive, texts: Texts) -> tuple[object, ...]:
    memory = archive.memory
    return (
        f"{short(memory.id)} v{memory.version}",
        memory.text,
        day(first_said(memory)),
        day(memory.said_at),
        successor(archive, texts),
        day(archive.archived_at),
        reasoned(archive.reason, archive.why),
        short(archive.run),
        turns(memory),
    )


def turns(memory: Memory) -> str:
    return " ".join(short(id) for id in memory.turn_ids)
