"""What sleep has written itself is settled: it is not looked at again before somebody else changes it."""

from collections.abc import Sequence

from schemas.plan import Run


def is_settled(chain: Sequence[Run]) -> bool:
    """Whether a run is sleep's own judgment, or took one back: what a person undid is not done again.

    The chain is the run, the one that it took back, and so on. What merely lapsed says something else now: that is
    looked at.
    """
    return bool(chain) and chain[-1].kind == "sleep" and (len(chain) > 1 or _judged(chain[0]))


def has_joined(run: Run | None) -> bool:
    """Whether what the run archived lives on in what it wrote."""
    return run is not None and run.kind == "sleep" and run.state == "applied" and _judged(run)


def _judged(run: Run) -> bool:
    return any(change.reason != "expired" for change in run.changes)
