"""What sleep has written itself is settled: it is not looked at again before somebody else changes it."""

from collections.abc import Iterable, Sequence
from uuid import UUID

from schemas.plan import Run

#: What was archived for these reasons lives on in nothing that anybody judged.
WITHOUT_JUDGMENT = frozenset({"expired", "faded"})


def is_settled(chain: Sequence[Run]) -> bool:
    """Whether a run is sleep's own judgment, or took one back: what a person undid is not done again.

    The chain is the run, the one that it took back, and so on. What merely lapsed says something else now: that is
    looked at.
    """
    return bool(chain) and chain[-1].kind == "sleep" and (len(chain) > 1 or _judged(chain[0]))


def has_joined(run: Run | None) -> bool:
    """Whether what the run archived lives on in what it wrote."""
    return run is not None and run.kind == "sleep" and run.state == "applied" and _judged(run)


def joined_in(runs: Iterable[Run]) -> frozenset[UUID]:
    """Memories in which sleep has joined what was another's, or their own earlier words."""
    changes = (change for run in runs if has_joined(run) for change in run.changes)
    into = (one.memory_id if one.kind == "revise" else one.replaced_by for one in changes)
    return frozenset(id for id in into if id is not None)


def _judged(run: Run) -> bool:
    return any(change.reason not in WITHOUT_JUDGMENT for change in run.changes)
