"""A part of a candidacy under labels of its own, and back."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from worker.core.groups.judgment import Candidacy, Groups, memories_in, ordinal


def part(
    candidacy: Candidacy, asked: Iterable[str], beside: Iterable[str] = ()
) -> tuple[Candidacy, dict[str, str]]:
    """Only the facts that are asked about, and of what they were offered what is left; new label → old label.

    Facts `beside` may be joined with them but are not asked about.
    """
    asked = list(asked)
    facts = sorted({*asked, *beside}, key=ordinal)
    offers = {fact: candidacy.offered_to(fact) if fact in asked else () for fact in facts}
    memories = list(dict.fromkeys(one for offer in offers.values() for one in memories_in(offer)))
    new = {old: f"f{at}" for at, old in enumerate(facts, start=1)}
    new |= {old: f"c{at}" for at, old in enumerate(memories, start=1)}
    labels = {label: old for old, label in new.items()}
    smaller = replace(
        candidacy,
        facts=tuple(candidacy.fact(old) for old in facts),
        vectors=tuple(candidacy.vector(old) for old in facts),
        candidates=tuple(candidacy.candidate(old) for old in memories),
        offered=tuple(tuple(new[one] for one in offers[old] if one in new) for old in facts),
        cosines={
            (new[one], new[other]): cosine
            for (one, other), cosine in candidacy.cosines.items()
            if one in new and other in new
        },
        asked=tuple(new[old] for old in facts if old in asked),
    )
    return smaller, labels


def relabelled(groups: Groups, labels: Mapping[str, str]) -> Groups:
    """The same finding under other labels."""
    return Groups(
        groups=tuple(
            group.model_copy(update={"members": tuple(labels[one] for one in group.members)})
            for group in groups.groups
        ),
        new=tuple(labels[one] for one in groups.new),
        flagged={labels[one]: why for one, why in groups.flagged.items()},
    )
