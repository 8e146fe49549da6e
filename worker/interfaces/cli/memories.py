"""`slowwave memories`: what is known."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.table import Table

from schemas.memory import Memory
from worker.interfaces.cli.moments import AsOf, ValidAt
from worker.interfaces.cli.opening import reading
from worker.interfaces.cli.options import AppName, AsJson, UserName, scope_of
from worker.interfaces.cli.output import answers, day, emit, note, short, table
from worker.recall import known

NOTHING = "no memories yet; `slowwave status` shows what is still waiting"
NOTHING_THEN = (
    "nothing is known for then; without the time `slowwave memories` lists what is known now"
)
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
    as_of: AsOf = None,
    valid_at: ValidAt = None,
    as_json: AsJson = False,
) -> None:
    """List what is known of a user, the latest change first.

    Or what was believed at a moment, or true at one: a statement counts as true from when it was first said until it
    ended or something said later replaced it. What was forgotten is shown for no moment.
    """
    scope, now = scope_of(app, user), datetime.now(UTC)
    with reading() as memories:
        found = known(memories.store, scope, now, as_of=as_of, valid_at=valid_at)
    shown = found[:limit]
    if as_json:
        for memory in shown:
            emit(memory)
        return
    if not found:
        note(NOTHING if as_of is None and valid_at is None else NOTHING_THEN)
        return
    answers().print(memories_table("", shown))
    if len(shown) < len(found):
        note(f"{len(shown)} of {len(found)} memories")


def memories_table(title: str, shown: Sequence[Memory]) -> Table:
    """The end is a column only where something ends."""
    ends = any(memory.until for memory in shown)
    columns = (*COLUMNS, "until") if ends else COLUMNS
    return table(title, columns, [_row(memory)[: len(columns)] for memory in shown])


def said(memory: Memory) -> str:
    """When; of what nobody said, that it was derived."""
    return "derived" if memory.derived else day(memory.said_at)


def _row(memory: Memory) -> tuple[object, ...]:
    return (
        short(memory.id),
        memory.text,
        " / ".join(memory.slot) if memory.slot else memory.subject,
        said(memory),
        memory.version,
        memory.confirmations,
        day(memory.until),
    )
