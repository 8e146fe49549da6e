"""`slowwave edit`: other words or fields for one memory."""

from enum import StrEnum
from typing import Annotated

import typer
from pydantic import JsonValue

from worker.interfaces.cli.options import AppName, AsJson, UserName
from worker.interfaces.cli.writing import (
    HappenedAt,
    IfVersion,
    Kind,
    MemoryId,
    Until,
    Why,
    change,
    fields_of,
    named,
)


class Clearable(StrEnum):
    """What a memory can do without."""

    attribute = "attribute"
    happened_at = "happened_at"
    until = "until"


def edit(
    id: MemoryId,
    app: AppName,
    user: UserName,
    text: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The new words.", show_default=False)
    ] = None,
    attribute: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="What of its subject it tells, such as home.", show_default=False
        ),
    ] = None,
    kind: Kind = None,
    happened_at: HappenedAt = None,
    until: Until = None,
    clear: Annotated[
        list[Clearable] | None,
        typer.Option(help="Take this field out; several times.", show_default=False),
    ] = None,
    meta: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Set a field of your own, as text; several times."),
    ] = None,
    unset_meta: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", help="Take a field of your own out; several times."),
    ] = None,
    reason: Why = None,
    if_version: IfVersion = None,
    as_json: AsJson = False,
) -> None:
    """Change one memory's words or fields; the version before goes to the archive.

    New words count as said now, so that what was said before and is heard late does not win over them.
    """
    gone: dict[str, JsonValue] = dict.fromkeys(unset_meta or ())
    wanted = named(
        text=text,
        attribute=attribute,
        kind=kind,
        happened_at=happened_at,
        until=until,
        metadata={**fields_of(meta), **gone} or None,
    )
    wanted |= dict.fromkeys(one.value for one in clear or ())
    if not wanted:
        raise typer.BadParameter("say what to change")
    change(
        id, app, user, {**wanted, **named(reason=reason, if_version=if_version)}, as_json=as_json
    )
