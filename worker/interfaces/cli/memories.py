"""`slowwave memories`: what is known."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.table import Table

from schemas.memory import Memory
from schemas.scope import Scope
from worker.core.current import current
from worker.core.ports import Reader
from worker.interfaces.cli.opening import reading
from worker.interfaces.cli.options import AppName, AsJson, UserName, scope_of
from worker.interfaces.cli.output import answers, day, emit, note, short, table

COLUMNS = ("id", "memory", "about", "said", "v", "times")


def memories(
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
    """List what is known of a user, the latest change first."""
    scope = scope_of(app, user)
    with reading() as memories:
        found = known(memories.store, scope, datetime.now(UTC))
    shown = found[:limit]
    if as_json:
        for memory in shown:
            emit(memory)
        return
    if not found:
        note("no memories yet; `slowwave status` shows what is still waiting")
        return
    answers().print(memories_table("", shown))
    if len(shown) < len(found):
        note(f"{len(shown)} of {len(found)} memories")


def known(store: Reader, scope: Scope, now: datetime) -> list[Memory]:
    """Memories that are true at `now`, the latest change first."""
    standing = (current(record.memory, now) for record in store.memories(scope))
    found = [memory for memory in standing if memory is not None]
    return sorted(found, key=lambda memory: (memory.updated_at, memory.said_at), reverse=True)


def memories_table(title: str, shown: Sequence[Memory]) -> Table:
    """The end is a column only where something ends."""
    ends = any(memory.until for memory in shown)
    columns = (*COLUMNS, "until") if ends else COLUMNS
    return table(title, columns, [_row(memory)[: len(columns)] for memory in shown])


def _row(memory: Memory) -> tuple[object, ...]:
    return (
        short(memory.id),
        memory.text,
        " / ".join(memory.slot) if memory.slot else memory.subject,
        day(memory.said_at),
        memory.version,
        memory.confirmations,
        day(memory.until),
    )
