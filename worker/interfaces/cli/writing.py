"""What the commands that write one thing share: how they take it and what they tell."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated
from uuid import uuid4

import typer
from pydantic import JsonValue

from worker.core.writing.amending import amendment
from worker.core.writing.written import Written
from worker.direct.editing import amend
from worker.errors import Unprocessable
from worker.interfaces.cli.naming import memory_that_stands
from worker.interfaces.cli.opening import opened
from worker.interfaces.cli.options import scope_of
from worker.interfaces.cli.output import answers, emit, plain, short

MemoryId = Annotated[
    str,
    typer.Argument(metavar="ID", help="The memory's id, or the first four or more of its digits."),
]
Why = Annotated[
    str | None,
    typer.Option(
        "--reason", metavar="TEXT", help="Kept with the change, for people.", show_default=False
    ),
]
Kind = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Such as fact, preference, instruction."),
]
HappenedAt = Annotated[
    str | None,
    typer.Option(metavar="DATE", help="2024, 2024-01, 2024-01-29 or with a time."),
]
Until = Annotated[str | None, typer.Option(metavar="TIME", help="It is true only until then.")]
IfVersion = Annotated[
    int | None,
    typer.Option(
        "--if-version",
        metavar="N",
        help="Only if the memory is at this version.",
        show_default=False,
    ),
]


def change(id: str, app: str, user: str, fields: Mapping[str, object], *, as_json: bool) -> None:
    """Amend the memory of this id and tell what became of it. What is wrong with the fields is wrong usage."""
    scope = scope_of(app, user)
    try:
        wanted = amendment(fields)
    except Unprocessable as error:
        raise typer.BadParameter(str(error)) from error
    with opened() as parts:
        memory = memory_that_stands(parts.store, scope, id)
        done = amend(parts, scope, memory, wanted, key=uuid4().hex, now=datetime.now(UTC))
    tell(done, as_json=as_json)


def fields_of(given: Sequence[str] | None, hint: str = "--meta") -> dict[str, JsonValue]:
    """`KEY=VALUE`, each value as text. What has no `=` is wrong usage."""
    found: dict[str, JsonValue] = {}
    for one in given or ():
        name, is_there, value = one.partition("=")
        if not is_there or not name:
            raise typer.BadParameter(f"{one!r} is no KEY=VALUE", param_hint=hint)
        found[name] = value
    return found


def named(**options: object) -> dict[str, object]:
    """The options that were given."""
    return {name: value for name, value in options.items() if value is not None and value != []}


def tell(done: Written, *, as_json: bool) -> None:
    if as_json:
        emit(done)
    else:
        answers().print(plain(in_words(done)), soft_wrap=True)


def in_words(done: Written) -> str:
    """What became of it, in one line."""
    if done.fate == "unchanged":
        return f"unchanged: memory {short(done.memory)} is so already, nothing was written"
    before = "written before, nothing was done now: " if done.duplicate else ""
    memory = f" memory {short(done.memory)} v{done.version}" if done.memory else ""
    retired = ", ".join(short(id) for id in done.retired)
    instead = f", in place of {retired}" if retired else ""
    why = f": {done.why}" if done.why else ""
    return f"{before}{done.fate}{memory}{instead} (run {short(done.run)}){why}"
