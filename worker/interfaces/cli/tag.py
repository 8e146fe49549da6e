"""`slowwave tag`: tags of one memory."""

from typing import Annotated

import typer

from worker.interfaces.cli.options import AppName, AsJson, UserName
from worker.interfaces.cli.writing import IfVersion, MemoryId, Why, change, named


def tag(
    id: MemoryId,
    app: AppName,
    user: UserName,
    add: Annotated[
        list[str] | None,
        typer.Option(metavar="TAG", help="Give it this tag; several times.", show_default=False),
    ] = None,
    remove: Annotated[
        list[str] | None,
        typer.Option(metavar="TAG", help="Take this tag off; several times.", show_default=False),
    ] = None,
    reason: Why = None,
    if_version: IfVersion = None,
    as_json: AsJson = False,
) -> None:
    """Give a memory tags and take them off. They survive every change of it."""
    wanted = named(add_tags=add, remove_tags=remove)
    if not wanted:
        raise typer.BadParameter("say which tags: --add or --remove")
    change(id, app, user, wanted | named(reason=reason, if_version=if_version), as_json=as_json)
