"""`slowwave pin`: a memory that only people change."""

from typing import Annotated

import typer

from worker.interfaces.cli.options import AppName, AsJson, UserName
from worker.interfaces.cli.writing import IfVersion, MemoryId, Why, change, named


def pin(
    id: MemoryId,
    app: AppName,
    user: UserName,
    off: Annotated[bool, typer.Option("--off", help="Let it be changed again.")] = False,
    reason: Why = None,
    if_version: IfVersion = None,
    as_json: AsJson = False,
) -> None:
    """Keep a memory as it is: only direct writes and a person's request to forget change it from then on."""
    wanted: dict[str, object] = {"pinned": not off}
    change(id, app, user, wanted | named(reason=reason, if_version=if_version), as_json=as_json)
