"""What says nothing that a better answer does not say."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from schemas.memory import Memory
from worker.core.finding.twins import same_subject
from worker.core.groups.guard import Reader, details
from worker.core.judging.novelty import differ
from worker.core.recalling.links import are_linked
from worker.core.recalling.pool import Entry, LeftOut, Pool, Stage, best_first
from worker.core.recalling.signals import likeness


def without_copies(cosine: float | None) -> Stage:
    """Leaves out copies of better ones: near to one of them, and alike in every number, name, code, date and "not".

    What is history is looked at after what stands, so no correction goes for its likeness to what it corrects; nor
    does one that stands beside another unresolved, or was shown in an earlier version.
    """
    if cosine is None:
        return lambda pool: pool

    def stage(pool: Pool) -> Pool:
        read = lru_cache(maxsize=None)(details)
        entries = sorted(best_first(pool.entries), key=lambda one: one.superseded)
        gone: dict[int, Memory] = {}
        for at, before in _near(entries, cosine).items():
            better = (entries[one] for one in before if one not in gone)
            of = next((one for one in better if _is_copy(entries[at], one, read)), None)
            if of is not None:
                gone[at] = of.memory
        left_out = [
            LeftOut(entries[at].memory, "copy", f"it says what {memory.id} says")
            for at, memory in gone.items()
        ]
        kept = [entry for at, entry in enumerate(entries) if at not in gone]
        return Pool(tuple(best_first(kept)), (*pool.left_out, *left_out))

    return stage


def _near(entries: Sequence[Entry], cosine: float) -> dict[int, list[int]]:
    """Place → the places before it that are near, both in order."""
    near: dict[int, list[int]] = {}
    for at, before in np.argwhere(np.tril(likeness(entries) >= cosine, -1)).tolist():
        near.setdefault(at, []).append(before)
    return near


def _is_copy(entry: Entry, better: Entry, read: Reader) -> bool:
    one, other = entry.memory, better.memory
    if entry.is_correction:
        return False
    if one.authority != other.authority or not same_subject(one.subject, other.subject):
        return False
    if set(one.identifiers) != set(other.identifiers) or are_linked(entry, better):
        return False
    return not differ(one, other, read)
