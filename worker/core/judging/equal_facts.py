"""Facts of one batch that say the same in the same words are one fact."""

from collections.abc import Iterable, Sequence

from schemas.memory import Fact, Statement
from worker.core.groups.merging import union
from worker.core.texts.words import normalised


def merged(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """Each of them once, in the order of first appearance; requests to forget stay apart.

    The latest stands with its words and time, and has the turns and identifiers of all.
    """
    alike: dict[tuple[object, ...], list[Fact]] = {}
    for at, fact in enumerate(facts):
        alike.setdefault((at,) if fact.kind == "forget" else _what_it_says(fact), []).append(fact)
    return tuple(_one(equal) for equal in alike.values())


def beside_its_words(one: Statement) -> tuple[object, ...]:
    """What makes another thing of the same words: kind, time and end; an end that nobody named is no part of it."""
    return one.kind, one.happened_at, "assumed" if one.until_assumed else one.until


def _what_it_says(fact: Fact) -> tuple[object, ...]:
    """All that a merge must not blur."""
    return (
        normalised(fact.text),
        fact.subject.casefold(),
        fact.authority,
        fact.after,
        *beside_its_words(fact),
    )


def _one(equal: Sequence[Fact]) -> Fact:
    latest = max(reversed(equal), key=lambda fact: fact.said_at)
    return latest.model_copy(
        update={
            "turn_ids": union(*(fact.turn_ids for fact in equal)),
            "identifiers": union(*(fact.identifiers for fact in equal)),
            "attribute": latest.attribute
            or next((f.attribute for f in equal if f.attribute), None),
        }
    )
