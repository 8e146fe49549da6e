"""Facts of one batch that might be about the same thing as one another."""

from collections.abc import Sequence

from schemas.memory import Fact
from worker.core.vectors import Matrix
from worker.core.words import normalised

#: For each fact the places of its twins, closest first, with the cosine (−1 to 1).
Twins = tuple[dict[int, float], ...]


def same_subject(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def _alike(fact: Fact, other: Fact) -> bool:
    """Whether they settle the same attribute, or share a code."""
    slot = fact.attribute is not None and fact.attribute == other.attribute
    return slot or not set(fact.identifiers).isdisjoint(other.identifiers)


def twins(
    facts: Sequence[Fact],
    near: Matrix,
    choices: Sequence[Sequence[int]],
    floor: float,
    top_k: int,
) -> Twins:
    """Pairs of one subject that are near or share a candidate, slot or identifier, both ways: the closest of either.

    Those of the same words always are: a sentence said ten times is one memory.
    """
    words = [normalised(fact.text) for fact in facts]
    offered = [set(choice) for choice in choices]
    found: list[dict[int, float]] = [{} for _ in facts]
    for at, fact in enumerate(facts):
        peers = [
            peer
            for peer, other in enumerate(facts)
            if peer != at
            and same_subject(fact.subject, other.subject)
            and (near[at, peer] >= floor or offered[at] & offered[peer] or _alike(fact, other))
        ]
        closest = sorted(peers, key=lambda peer: (-near[at, peer], peer))[:top_k]
        equal = [peer for peer in peers if words[at] == words[peer]]
        for peer in (*closest, *equal):
            found[at][peer] = found[peer][at] = float(near[at, peer])
    return tuple(dict(sorted(one.items(), key=lambda item: (-item[1], item[0]))) for one in found)
