"""What needs no judge: nothing known is about it, or it says what is known in the same words."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worker.core.judgment import Candidacy, Group, Groups, facts_in, memories_in, ordinal
from worker.core.members import is_sound
from worker.core.novelty import Novelty, repeated
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


def gate(candidacy: Candidacy, novelty: Novelty | None = None) -> Gated:
    """Settle facts that repeat exactly one memory or one another word for word, and those without candidates.

    With `novelty` also those that say hardly anything new.

    A group is settled only if no fact that is left for the judge was offered a member of it: two groups
    must not change one memory.
    """
    settled, left = _settled(candidacy, novelty)
    groups = tuple(group for group in settled if len(group.members) > 1)
    new = tuple(group.members[0] for group in settled if len(group.members) == 1)
    rest, labels = part(candidacy, left)
    return Gated(Groups(groups=groups, new=new), rest, labels)


def _settled(candidacy: Candidacy, novelty: Novelty | None) -> tuple[list[Group], list[str]]:
    """Groups of members that need no judge, a fact alone among them, and the facts that do need one."""
    settled: list[Group] = []
    left: list[str] = []
    for facts in _same_words(candidacy):
        group = _without_a_judge(candidacy, facts)
        if group is None and novelty and len(facts) == 1:
            group = repeated(candidacy, facts[0], novelty)
        if group is None:
            left += facts
        else:
            settled.append(group)
    while contested := _contested(candidacy, settled, left):
        settled.remove(contested)
        left += facts_in(contested.members)
    return settled, sorted(left, key=ordinal)


def _same_words(candidacy: Candidacy) -> Iterator[list[str]]:
    """The facts, those of one subject with the same words together; each request to forget by itself."""
    clusters: dict[tuple[str, str, str], list[str]] = {}
    for label, fact in zip(candidacy.fact_labels, candidacy.facts, strict=True):
        alone = label if fact.kind == "forget" else ""
        key = (normalised(fact.text), fact.subject.casefold(), alone)
        clusters.setdefault(key, []).append(label)
    yield from clusters.values()


def _without_a_judge(candidacy: Candidacy, facts: list[str]) -> Group | None:
    """The group that these facts of the same words are in for certain; nothing where a judge has to say."""
    offered = {one for label in facts for one in candidacy.offered_to(label)}
    if not offered - set(facts):
        return _again(facts) if len(facts) == 1 or is_sound(candidacy, facts) else None
    if candidacy.fact(facts[0]).kind == "forget":
        return None
    words = normalised(candidacy.fact(facts[0]).text)
    memories = memories_in(sorted(offered))
    equal = [one for one in memories if normalised(candidacy.shown(one).text) == words]
    members = [*facts, *equal]
    return _again(members) if len(equal) == 1 and is_sound(candidacy, members) else None


def _again(members: list[str]) -> Group:
    return Group(why=SAID_AGAIN, members=tuple(members), relation="same")


def _contested(candidacy: Candidacy, settled: Sequence[Group], left: Sequence[str]) -> Group | None:
    """A settled group of which a fact that is left was offered a member, or which shares one with another."""
    wanted = {one for label in left for one in candidacy.offered_to(label)}
    claims = Counter(one for group in settled for one in group.members)
    return next(
        (
            g
            for g in settled
            if wanted & set(g.members) or any(claims[one] > 1 for one in g.members)
        ),
        None,
    )
