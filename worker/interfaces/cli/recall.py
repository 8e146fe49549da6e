"""`slowwave recall`: what is known that bears on a question."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated

import typer
from pydantic import JsonValue
from rich.table import Table

from worker.interfaces.cli.moments import AsOf, ValidAt
from worker.interfaces.cli.opening import reading
from worker.interfaces.cli.options import AppName, AsJson, UserName, scope_of
from worker.interfaces.cli.output import answers, day, emit, note, short, table
from worker.recall import Recalled
from worker.recall import recall as recalled


def recall(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What is asked, in plain words.")],
    app: AppName,
    user: UserName,
    limit: Annotated[
        int, typer.Option(min=1, max=50, metavar="N", help="Memories at most, up to 50.")
    ] = 10,
    as_of: AsOf = None,
    valid_at: ValidAt = None,
    as_json: AsJson = False,
) -> None:
    """Find the memories that answer a question, the best first.

    Among what is known now, or among what was believed at a moment or true at one, as `slowwave memories` lists it.
    """
    scope = scope_of(app, user)
    if not query.strip():
        raise typer.BadParameter("is empty: ask something", param_hint="QUERY")
    with reading() as memories:
        found = recalled(
            memories.store,
            memories.embedder,
            scope,
            query,
            now=datetime.now(UTC),
            limit=limit,
            as_of=as_of,
            valid_at=valid_at,
        )
    if as_json:
        for one in found:
            emit(scored(one))
    elif found:
        answers().print(recalled_table("", found))
    else:
        note("nothing found; `slowwave memories` lists what is known")


def scored(one: Recalled) -> dict[str, JsonValue]:
    """A memory with its score, for JSON."""
    return {**one.memory.model_dump(mode="json"), "score": one.score}


def recalled_table(title: str, found: Iterable[Recalled]) -> Table:
    rows = [
        (f"{one.score:.2f}", short(one.memory.id), one.memory.text, day(one.memory.said_at))
        for one in found
    ]
    return table(title, ("score", "id", "memory", "said"), rows, tall=False)
