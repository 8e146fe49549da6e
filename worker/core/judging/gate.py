"""What needs no judge: nothing known is about it, or it says what is known in the same words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from worker.core.groups.judgment import Candidacy, Group, Groups, memories_in, ordinal
from worker.core.judging.equal_facts import beside_its_words
from worker.core.judging.novelty import Novelty, repeated
from worker.core.judging.part import part, relabelled
from worker.core.texts.words import normalised

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
    """Settle facts that repeat exactly one memory word for word, and those without candidates.

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
    for fact in candidacy.fact_labels:
        group = _without_a_judge(candidacy, fact)
        if group is None and novelty:
            group = repeated(candidacy, fact, novelty)
        if group is None:
            left.append(fact)
        else:
            settled.append(group)
    while contested := _contested(candidacy, settled, left):
        settled.remove(contested)
        left.append(contested.members[0])
    return settled, sorted(left, key=ordinal)


def _without_a_judge(candidacy: Candidacy, fact: str) -> Group | None:
    """The group that the fact is in for certain, be it alone; nothing where a judge has to say."""
    offered, said = candidacy.offered_to(fact), candidacy.fact(fact)
    if not offered:
        return Group(why=SAID_AGAIN, members=(fact,), relation="same")
    if said.kind == "forget":
        return None
    words = normalised(said.text)
    known = {one: candidacy.shown(one) for one in memories_in(offered)}
    equal = [one for one, memory in known.items() if normalised(memory.text) == words]
    if len(equal) != 1 or beside_its_words(known[equal[0]]) != beside_its_words(said):
        return None
    return Group(why=SAID_AGAIN, members=(fact, equal[0]), relation="same")


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
