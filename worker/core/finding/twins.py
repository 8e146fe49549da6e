"""Facts of one batch that might be about the same thing as one another."""

from collections.abc import Sequence

from schemas.memory import Fact
from worker.core.finding.vectors import Matrix
from worker.core.texts.words import carriers

#: For each fact the places of its twins, closest first, with the cosine (−1 to 1).
Twins = tuple[dict[int, float], ...]


def same_subject(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def _alike(fact: Fact, other: Fact) -> bool:
    """Whether they settle the same attribute, share a code, or one asks to forget what has a word of the other."""
    slot = fact.attribute is not None and fact.attribute == other.attribute
    if slot or not set(fact.identifiers).isdisjoint(other.identifiers):
        return True
    return fact.kind == "forget" and not carriers(fact.text).isdisjoint(carriers(other.text))


def _may_be_meant(fact: Fact, other: Fact) -> bool:
    """Whether the fact may be offered the other at all."""
    if fact.kind != "forget":
        return other.kind != "forget" and same_subject(fact.subject, other.subject)
    return other.kind == "forget" or other.said_at <= fact.said_at


def twins(
    facts: Sequence[Fact],
    near: Matrix,
    choices: Sequence[Sequence[int]],
    floor: float,
    top_k: int,
) -> Twins:
    """Pairs of one subject that are near or share a candidate, slot or identifier, both ways: the closest of either.

    A request to forget is offered what was said until then, whomever it is about, and only to others of its kind.
    """
    offered = [set(choice) for choice in choices]
    found: list[dict[int, float]] = [{} for _ in facts]
    for at, fact in enumerate(facts):
        peers = [
            peer
            for peer, other in enumerate(facts)
            if peer != at
            and _may_be_meant(fact, other)
            and (near[at, peer] >= floor or offered[at] & offered[peer] or _alike(fact, other))
        ]
        closest = sorted(peers, key=lambda peer: (-near[at, peer], peer))[:top_k]
        for peer in closest:
            found[at][peer] = float(near[at, peer])
            if _may_be_meant(facts[peer], fact):
                found[peer][at] = float(near[at, peer])
    return tuple(dict(sorted(one.items(), key=lambda item: (-item[1], item[0]))) for one in found)
