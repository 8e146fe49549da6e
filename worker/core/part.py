"""A part of a candidacy under labels of its own, and back."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from worker.core.judgment import Candidacy, Groups, memories_in


def part(candidacy: Candidacy, facts: Iterable[str]) -> tuple[Candidacy, dict[str, str]]:
    """Only these facts, and of what they were offered what is left; beside it new label → old label."""
    facts = list(facts)
    offers = [candidacy.offered_to(fact) for fact in facts]
    memories = list(dict.fromkeys(one for offer in offers for one in memories_in(offer)))
    new = {old: f"f{at}" for at, old in enumerate(facts, start=1)}
    new |= {old: f"c{at}" for at, old in enumerate(memories, start=1)}
    labels = {label: old for old, label in new.items()}
    smaller = replace(
        candidacy,
        facts=tuple(candidacy.fact(old) for old in facts),
        vectors=tuple(candidacy.vector(old) for old in facts),
        candidates=tuple(candidacy.candidate(old) for old in memories),
        offered=tuple(tuple(new[one] for one in offer if one in new) for offer in offers),
        cosines={
            (new[one], new[other]): cosine
            for (one, other), cosine in candidacy.cosines.items()
            if one in new and other in new
        },
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
