"""Which sizes fit into the time that there is. Pure."""

from collections.abc import Mapping, Sequence

from bench.all.plan import SIZES, Entry, Size

#: Of the time; a busy machine takes the rest.
SHARE = 0.8


def chosen(entries: Sequence[Entry], minutes: float, runs: int) -> dict[str, Size]:
    """The size of each: all begin small, and the first to come are the first to grow while everything still fits.

    Where even the small ones do not fit they stay: what there is no time for is left out as it comes.
    """
    left = 60 * minutes * SHARE - sum(cost(one, "small", runs) for one in entries)
    sizes: dict[str, Size] = {one.name: "small" for one in entries}
    for size in SIZES[1:]:
        for one in entries:
            more = cost(one, size, runs) - cost(one, sizes[one.name], runs)
            if more <= left:
                sizes[one.name] = size
                left -= more
    return sizes


def cost(entry: Entry, size: Size, runs: int) -> float:
    """Seconds of all its runs."""
    return entry.scale(size).seconds * times(entry, runs)


def times(entry: Entry, runs: int) -> int:
    """How often it is run."""
    return runs if entry.varies else 1


def rounds(entries: Sequence[Entry], runs: int) -> list[tuple[Entry, int]]:
    """Each with the number of its run: all once, then again, so that a machine that slows down slows all."""
    return [(one, at) for at in range(1, runs + 1) for one in entries if at <= times(one, runs)]


def words(entry: Entry, size: Size, has: Mapping[str, str]) -> str:
    """Its arguments, in the words of the plan. `has` names what the machine has."""
    gained = [more for need, more in entry.gains.items() if need in has]
    return " ".join(part for part in (entry.scale(size).arguments, *gained) if part)
