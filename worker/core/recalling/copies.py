"""What says nothing that a better answer does not say."""

from functools import lru_cache

from schemas.memory import Memory
from worker.core.finding.twins import same_subject
from worker.core.groups.guard import Reader, details
from worker.core.judging.novelty import differ
from worker.core.recalling.links import are_linked
from worker.core.recalling.pool import DECIMALS, Entry, LeftOut, Pool, Stage, best_first
from worker.core.recalling.signals import directions, longest


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
        rows = directions([one.vector for one in entries], longest(entries))
        near = ((rows @ rows.T).round(DECIMALS) >= cosine).tolist()
        kept: list[int] = []
        gone: dict[int, Memory] = {}
        for at, entry in enumerate(entries):
            same = (one for one in kept if near[at][one] and _is_copy(entry, entries[one], read))
            of = None if entry.is_correction else next(same, None)
            if of is None:
                kept.append(at)
            else:
                gone[at] = entries[of].memory
        left_out = [
            LeftOut(entries[at].memory, "copy", f"it says what {memory.id} says")
            for at, memory in gone.items()
        ]
        return Pool(tuple(best_first(entries[at] for at in kept)), (*pool.left_out, *left_out))

    return stage


def _is_copy(entry: Entry, better: Entry, read: Reader) -> bool:
    one, other = entry.memory, better.memory
    if one.authority != other.authority or not same_subject(one.subject, other.subject):
        return False
    if set(one.identifiers) != set(other.identifiers) or are_linked(entry, better):
        return False
    return not differ(one, other, read)
