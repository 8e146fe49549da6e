"""`slowwave restore`: an earlier version stands again."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from worker.direct.restoring import restore
from worker.interfaces.cli.naming import digits_of, memory_ever
from worker.interfaces.cli.opening import opened
from worker.interfaces.cli.options import AppName, AsJson, UserName, scope_of
from worker.interfaces.cli.output import answers, emit, plain, short
from worker.interfaces.cli.writing import MemoryId
from worker.interfaces.restored import brought_back, restored_of


def restore_version(
    id: MemoryId,
    version: Annotated[
        int, typer.Argument(min=1, metavar="VERSION", help="As `slowwave history` shows it.")
    ],
    app: AppName,
    user: UserName,
    as_json: AsJson = False,
) -> None:
    """Let an earlier version of a memory stand again, as its next version.

    What stands now goes to the archive; a memory that no longer stands comes back beside what replaced it.
    """
    scope = scope_of(app, user)
    with opened() as parts:
        memory = memory_ever(parts.store, scope, digits_of(id))
        plan = restore(parts, scope, memory, version, datetime.now(UTC))
    found = brought_back(plan)
    if as_json:
        emit(restored_of(plan, memory, version))
        return
    told = (
        f"memory {short(memory)} v{found.version} (run {short(plan.run)}): {found.text}"
        if found
        else f"nothing to do: version {version} of memory {short(memory)} is what stands"
    )
    answers().print(plain(told), soft_wrap=True)
