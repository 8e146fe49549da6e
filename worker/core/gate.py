"""What needs no judge: nothing known is about it, or it says what is known in the same words."""

from collections.abc import Iterator
from dataclasses import dataclass

from worker.core.judgment import Candidacy, Group, Groups, facts_in, memories_in, ordinal
from worker.core.members import is_sound
from worker.core.part import part, relabelled
from worker.core.words import normalised

SAID_AGAIN = "the same words were said again"


@dataclass(frozen=True)
class Gated:
    """What is settled without a judge, and the rest under labels of its own."""

    settled: Groups
    #: Without facts where nothing is left to ask.
    rest: Candidacy
    #: Label in `rest` → label in the candidacy.
    labels: dict[str, str]

    def joined(self, judged: Groups) -> Groups:
        """The whole finding, under the candidacy's labels."""
        back = relabelled(judged, self.labels)
        return Groups(
            groups=(*self.settled.groups, *back.groups),
            new=(*self.settled.new, *back.new),
            flagged=self.settled.flagged | back.flagged,
        )


def gate(candidacy: Candidacy) -> Gated:
    """Settle facts that repeat exactly one memory or one another word for word, and those without candidates.

    A group is settled only if no fact that is left for the judge was offered a member of it: two groups
    must not change one memory.
    """
    settled, left = _settled(candidacy)
    groups = tuple(
        Group(why=SAID_AGAIN, members=tuple(group), relation="same")
        for group in settled
        if len(group) > 1
    )
    new = tuple(group[0] for group in settled if len(group) == 1)
    rest, labels = part(candidacy, left)
    return Gated(Groups(groups=groups, new=new), rest, labels)


def _settled(candidacy: Candidacy) -> tuple[list[list[str]], list[str]]:
    """Groups of members that need no judge, and the facts that do."""
    settled: list[list[str]] = []
    left: list[str] = []
    for facts in _same_words(candidacy):
        group = _without_a_judge(candidacy, facts)
        if group is None:
            left += facts
        else:
            settled.append(group)
    while contested := _contested(candidacy, settled, left):
        settled.remove(contested)
        left += facts_in(contested)
    return settled, sorted(left, key=ordinal)


def _same_words(candidacy: Candidacy) -> Iterator[list[str]]:
    """The facts, those of one subject with the same words together; each request to forget by itself."""
    clusters: dict[tuple[str, str, str], list[str]] = {}
    for label, fact in zip(candidacy.fact_labels, candidacy.facts, strict=True):
        alone = label if fact.kind == "forget" else ""
        key = (normalised(fact.text), fact.subject.casefold(), alone)
        clusters.setdefault(key, []).append(label)
    yield from clusters.values()


def _without_a_judge(candidacy: Candidacy, facts: list[str]) -> list[str] | None:
    """The group that these facts of the same words are in for certain; nothing where a judge has to say."""
    offered = {one for label in facts for one in candidacy.offered_to(label)}
    if not offered - set(facts):
        return facts if len(facts) == 1 or is_sound(candidacy, facts) else None
    if candidacy.fact(facts[0]).kind == "forget":
        return None
    words = normalised(candidacy.fact(facts[0]).text)
    memories = memories_in(sorted(offered))
    equal = [one for one in memories if normalised(candidacy.shown(one).text) == words]
    group = [*facts, *equal]
    return group if len(equal) == 1 and is_sound(candidacy, group) else None


def _contested(candidacy: Candidacy, settled: list[list[str]], left: list[str]) -> list[str] | None:
    """A settled group of which a fact that is left was offered a member."""
    wanted = {one for label in left for one in candidacy.offered_to(label)}
    return next((group for group in settled if wanted & set(group)), None)
