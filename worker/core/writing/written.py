"""What became of a direct write, for who wrote it."""

from typing import Literal
from uuid import UUID

from schemas.base import Frozen
from schemas.plan import Run

Fate = Literal["added", "confirmed", "revised", "filed", "left out", "unchanged"]

FATES: dict[str, Fate] = {
    "file": "filed",
    "add": "added",
    "confirm": "confirmed",
    "revise": "revised",
}


class Written(Frozen):
    """`filed`: something later is known, so it is history. `left out`: by what the run says it dropped."""

    fate: Fate
    #: The memory that came of it or that it went into; of what is filed its own id, under which `history` knows it.
    memory: UUID | None = None
    version: int | None = None
    #: Null where nothing was written.
    run: UUID | None = None
    why: str = ""
    #: Memories that no longer stand because of it.
    retired: tuple[UUID, ...] = ()
    #: It had been written before: nothing happened now.
    duplicate: bool = False


def written(run: Run, turn: UUID, *, duplicate: bool = False) -> Written:
    """What the applied run did for the statement behind this turn."""
    mine = [change for change in run.changes if turn in change.turn_ids]
    main = next((one for kind in FATES for one in mine if one.kind == kind), None)
    if main is None:
        return Written(fate="left out", run=run.id, duplicate=duplicate)
    return Written(
        fate=FATES[main.kind],
        memory=main.memory_id,
        version=main.version,
        run=run.id,
        why=main.why,
        retired=tuple(change.memory_id for change in mine if change.kind == "retire"),
        duplicate=duplicate,
    )
