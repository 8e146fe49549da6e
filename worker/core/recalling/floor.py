"""What bears on no query at all."""

from uuid import UUID

from worker.core.recalling.pool import Entry, Pool, Signal, Stage


def floored(floor: float | None, *, follow_links: bool) -> Stage:
    """Leaves out what no query is near to: under the cosine, and without an identifier of it.

    What cannot be compared has to share a word, also without a floor. Corrections stay, and where links are followed
    what is linked to by one that stays for its own sake.
    """

    def stage(pool: Pool) -> Pool:
        near = [one for one in pool.entries if any(_is_near(s, floor) for s in one.signals)]
        linked = {id for one in near for id in one.memory.links} if follow_links else set[UUID]()
        kept = {id(one) for one in near}
        return pool.sifted(
            "floor",
            lambda one: (
                None
                if one.is_correction or id(one) in kept or one.memory.id in linked
                else _under(one, floor)
            ),
        )

    return stage


def _is_near(signal: Signal, floor: float | None) -> bool:
    if signal.codes > 0:
        return True
    if signal.cosine is None:
        return signal.bm25 > 0
    return floor is None or signal.cosine >= floor


def _under(entry: Entry, floor: float | None) -> str:
    cosines = [signal.cosine for signal in entry.signals if signal.cosine is not None]
    if not cosines or floor is None:
        return "no vector to compare, and no word in common"
    return f"cosine {max(cosines):.3f}, under {floor:g}"
