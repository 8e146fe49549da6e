"""What a night would take away unsaid.

By day somebody has just said something, which may well overturn what was known. By night nobody has: memories that
stood side by side become one only where what goes is said by what stands, or is plainly the other value of the same.
A judge's word alone is no reason; what goes without another waits for a person.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from schemas.base import Vector
from schemas.memory import MemoryRecord
from worker.core.finding.vectors import cosines
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.groups.members import Member
from worker.core.groups.outcome import Outcome, outcome
from worker.core.groups.saying import is_revalued, is_reworded, is_within
from worker.core.groups.setting import Resolver
from worker.core.judging.group_rules import complaints


@dataclass(frozen=True)
class Known:
    """What a night knows of the memories beside their words."""

    #: The embedder's cosine for one statement in two wordings.
    same: float
    #: Of what sleep has joined before → what it was made of.
    parents: Mapping[UUID, Sequence[MemoryRecord]] = field(default_factory=dict)
    #: Of texts that no memory of the group has.
    vectors: Mapping[str, Vector] = field(default_factory=dict)


def unsaid(
    candidacy: Candidacy, groups: Groups, resolver: Resolver, known: Known
) -> tuple[UUID, ...]:
    """Memories of which what would stand does not say enough, each once; those that it was made of count as it."""
    found: list[UUID] = []
    for group in groups.groups:
        comes_to = outcome(candidacy, group, resolver)
        if comes_to.text is not None and comes_to.kind in {"same", "update"}:
            found += _Joined.of(comes_to, group, known).unsaid()
    return tuple(dict.fromkeys(found))


def vouched(
    candidacy: Candidacy, groups: Groups, resolver: Resolver, known: Known
) -> tuple[Groups, tuple[UUID, ...]]:
    """The finding, and what it would take away unsaid.

    Where the rest of a group can do without those members, they stay beside it as if the judge had left them out.
    """
    gone = unsaid(candidacy, groups, resolver, known)
    if not gone:
        return groups, ()
    lean = Groups(groups=tuple(_without(candidacy, one, gone) for one in groups.groups), new=())
    is_sound = all(len(one.members) > 1 for one in lean.groups) and not complaints(
        candidacy, lean, max(len(one.members) for one in lean.groups), resolver
    )
    if is_sound and not unsaid(candidacy, lean, resolver, known):
        return lean, ()
    return groups, gone


def _without(candidacy: Candidacy, group: Group, gone: Collection[UUID]) -> Group:
    """In no words of the judge's own: those may speak for all."""
    stay = [one for one in group.members if candidacy.candidate(one).memory.id not in gone]
    texts = [candidacy.shown(one).text for one in stay]
    drops = tuple(drop for drop in group.drops if any(drop in text for text in texts))
    update = {"members": tuple(stay), "text": None, "after": None, "drops": drops}
    return group.model_copy(update=update)


@dataclass(frozen=True)
class _Joined:
    """A group as it would stand."""

    found: Outcome
    group: Group
    known: Known
    #: What would be read of it, now or later.
    stands: str
    #: Each wording of the group with its vector.
    wordings: Sequence[tuple[str, Vector | None]]

    @classmethod
    def of(cls, found: Outcome, group: Group, known: Known) -> "_Joined":
        texts = [one for one in (found.text, found.after) if one]
        own = ((one.statement.text, one.vector) for one in found.members)
        new = ((text, known.vectors.get(text)) for text in texts)
        return cls(found, group, known, "\n".join(texts), (*own, *new))

    def unsaid(self) -> list[UUID]:
        return [one.memory.id for one in self.found.members if not self._is_kept(one)]

    def _is_kept(self, one: Member) -> bool:
        text, subject = one.statement.text, one.statement.subject
        if self._is_said(text, one.vector, subject):
            return all(self._still_says(parent, text) for parent in self._made_of(one))
        is_older = one is not self.found.members[0]
        return (
            self.found.kind == "update"
            and is_older
            and is_revalued(text, self.stands, subject, self.group.drops)
        )

    def _made_of(self, one: Member) -> Sequence[MemoryRecord]:
        return self.known.parents.get(one.memory.id, ())

    def _still_says(self, parent: MemoryRecord, text: str) -> bool:
        """Of what the memory was made of, it loses no more at this step and all before than at one."""
        said, subject = parent.memory.text, parent.memory.subject
        is_over = not (is_within(said, text, subject) or is_reworded(said, text, subject))
        return is_over or self._is_said(said, parent.vector, subject)

    def _is_said(self, text: str, vector: Vector, subject: str) -> bool:
        """By its words, or by those of another wording that the embedder takes for the same."""
        if is_within(text, self.stands, subject):
            return True
        return any(
            is_within(other, self.stands, subject)
            and is_reworded(text, other, subject)
            and self._is_near(vector, theirs)
            for other, theirs in self.wordings
        )

    def _is_near(self, vector: Vector, other: Vector | None) -> bool:
        if other is None or len(other) != len(vector):
            return False
        return float(cosines([vector], [other])[0, 0]) >= self.known.same
