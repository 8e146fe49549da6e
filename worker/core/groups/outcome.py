"""What a group comes to: who lives on, in which words, and what stands again later.

The rules ask here what would be written and the plan writes it, so that what is checked is what stands.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from schemas.memory import Memory, Statement
from worker.core.current import stands_again
from worker.core.groups import merging
from worker.core.groups.judgment import Candidacy, Group
from worker.core.groups.members import Member, is_sound, members_newest_first
from worker.core.groups.saying import says
from worker.core.groups.setting import Resolver
from worker.core.groups.standing import fullest, standing, told_again
from worker.core.texts.words import carriers, is_blank, normalised

NO_UPDATE = "a request to forget is no update"
PINNED = "it would change a pinned memory"
UNFAITHFUL = "called the same, but a detail would get lost"


@dataclass(frozen=True)
class Outcome:
    """`beside` is the kind where the group changes nothing, `late` where its facts are only history."""

    kind: Literal["same", "update", "forget", "late", "beside"]
    #: Whom it concerns, newest first.
    members: tuple[Member, ...] = ()
    #: The memory that lives on; null where a new one is made, or none is left.
    survivor: Member | None = None
    #: The words that stand; null where nothing is written or left.
    text: str | None = None
    #: What stands again once the end has come.
    after: str | None = None
    #: What remains of the survivor after a request to forget still ends when it was to end.
    keeps_end: bool = False
    #: Facts called the same that say what the words that stand do not: history at birth.
    unsaid: tuple[Member, ...] = ()
    #: Called the same, it yet ends the survivor's life earlier: that is a change.
    shortens: bool = False
    #: Facts that it does not concern: they are added as they are.
    beside: tuple[Member, ...] = ()
    #: Derived memories that make way for what was said of the same.
    outdone: tuple[Member, ...] = ()
    #: Why sleep should look at those.
    flag: str | None = None

    @property
    def facts(self) -> tuple[Member, ...]:
        return tuple(one for one in self.members if one.fact)

    @property
    def others(self) -> tuple[Member, ...]:
        """Memories that do not live on."""
        return tuple(one for one in self.members if one.record and one is not self.survivor)

    @property
    def replaced(self) -> tuple[str, ...]:
        """Labels of memories that are retired, end earlier, or are revised other than as the same."""
        if self.kind in {"beside", "late"}:
            return ()
        stays = self.survivor if self.kind == "same" and not self.shortens else None
        return tuple(one.label for one in self.members if one.record and one is not stays)

    @property
    def said(self) -> tuple[str, ...]:
        """Words of facts that were called the same, other than those that stand: they are in no record."""
        if self.kind != "same":
            return ()
        stands = normalised(self.text or "")
        texts = (one.statement.text for one in self.facts if one not in self.unsaid)
        return merging.union(text for text in texts if normalised(text) != stands)


def outcome(candidacy: Candidacy, group: Group, resolver: Resolver = "rewrite") -> Outcome:
    """Of a sound group, by its relation, by who said it, and by when.

    `same` and `forget` come to the same under every resolver.
    """
    group = _with_words(group)
    members = members_newest_first(candidacy, group)
    _, facts = _split(members)
    if group.relation == "forget":
        return _forgotten(group, members)
    if any(fact.is_request for fact in facts):
        return _beside(facts, NO_UPDATE)
    said = [one for one in members if not one.is_derived]
    found = _of_what_was_said(candidacy, group, said, resolver)
    derived = [one for one in members if one.is_derived]
    return _making_way(found, derived, said, group, resolver) if derived else found


def _of_what_was_said(
    candidacy: Candidacy, group: Group, members: Sequence[Member], resolver: Resolver
) -> Outcome:
    _, facts = _split(members)
    if not members[1:]:
        return _beside(facts, None)
    outranked = _outranked(members)
    heard = [one for one in members if one not in outranked]
    if outranked and not is_sound(candidacy, [one.label for one in heard]):
        return _beside(facts, None)
    found = _same(group, heard) if group.relation == "same" else _changed(group, heard, resolver)
    return replace(found, beside=(*found.beside, *outranked))


def _making_way(
    found: Outcome,
    derived: Sequence[Member],
    said: Sequence[Member],
    group: Group,
    resolver: Resolver,
) -> Outcome:
    """What was derived has no say and hands nothing on. It goes where a fact now says it, or something else."""
    is_alone = len(said) == 1
    if is_alone and any(one.memory.pinned for one in derived):
        return replace(found, flag=PINNED)
    is_same = group.relation == "same"
    facts = found.beside if is_alone else found.facts
    if not facts or found.kind == "late" or (resolver == "keep" and not is_same):
        return found
    latest = max(one.statement.said_at for one in facts)
    goes = (one for one in derived if is_same or one.statement.said_at <= latest)
    return replace(found, outdone=tuple(one for one in goes if not one.memory.pinned))


def _with_words(group: Group) -> Group:
    """Texts that say nothing are none."""
    blank = {name: None for name in ("text", "after") if is_blank(getattr(group, name) or "")}
    return group.model_copy(update=blank)


def _changed(group: Group, members: Sequence[Member], resolver: Resolver) -> Outcome:
    """The newest member replaces the rest, if it may."""
    memories, facts = _split(members)
    newest = members[0]
    if resolver == "keep" or newest.rank < max(one.rank for one in members):
        return _beside(facts, None)
    if any(one.memory.pinned for one in memories):
        return _beside(facts, PINNED)
    if facts and newest.record:
        return Outcome("late", tuple(members), newest)
    if resolver == "replace":
        group = group.model_copy(update={"text": None, "after": None})
    return _updated(group, members)


def _split(members: Iterable[Member]) -> tuple[list[Member], list[Member]]:
    memories, facts = list[Member](), list[Member]()
    for one in members:
        (memories if one.record else facts).append(one)
    return memories, facts


def _survivor(memories: Iterable[Member]) -> Member | None:
    """The most confirmed of the highest rank, else the oldest; the pinned before all, since it may not be retired."""
    return min(
        memories,
        key=lambda m: (
            not m.memory.pinned,
            -m.rank,
            -m.memory.confirmations,
            m.memory.created_at,
            str(m.memory.id),
        ),
        default=None,
    )


def _beside(facts: Iterable[Member], flag: str | None) -> Outcome:
    return Outcome("beside", beside=tuple(facts), flag=flag)


def _outranked(members: Sequence[Member]) -> list[Member]:
    """Facts that a machine said, where the group has something of a higher rank: they have no say in it."""
    highest = max(one.rank for one in members)
    return [one for one in members if one.fact and one.rank < highest]


def _same(group: Group, members: Sequence[Member]) -> Outcome:
    """Said again, in words that keep every detail of all; where none do, the facts stay beside.

    A judge may take another value for the same: what was said last stands, and what the words that stand do not say
    becomes history. By night, where no fact is judged, those stand that say most: nobody has just chosen other words.
    """
    memories, facts = _split(members)
    survivor = _survivor(memories)
    if survivor and survivor.memory.pinned:
        return _said_of_a_pinned(survivor, facts, members)
    text = _words(members, facts, survivor, group.text)
    if text is None:
        return _beside(facts, UNFAITHFUL)
    return Outcome(
        "same",
        tuple(members),
        survivor,
        text,
        unsaid=_unsaid(facts, text),
        shortens=_shortens(survivor, members),
    )


def _words(
    members: Sequence[Member], facts: Sequence[Member], survivor: Member | None, text: str | None
) -> str | None:
    stood = survivor.statement if survivor else None
    if facts:
        return told_again(_statements(members), _statements(facts), stood, text)
    own = (one.statement.text for one in members)
    return fullest(_statements(members), stood.text if stood else None, text, *own)


def _unsaid(facts: Iterable[Member], text: str) -> tuple[Member, ...]:
    return tuple(one for one in facts if not says(text, one.statement.text, one.statement.subject))


def _shortens(survivor: Member | None, members: Iterable[Member]) -> bool:
    if survivor is None:
        return False
    others = (one.shown for one in members if one.record and one is not survivor)
    facts = [one.the_fact for one in members if one.fact]
    return merging.shortens(merging.absorbed(survivor.shown, others), facts)


def _said_of_a_pinned(
    survivor: Member, facts: Sequence[Member], members: Iterable[Member]
) -> Outcome:
    """It may be confirmed, in its own words only; nothing is merged into it."""
    concerned = tuple(one for one in members if one.fact or one is survivor)
    text = standing(_statements(concerned), survivor.memory.text)
    if not facts or text is None or survivor.has_lapsed or _unsaid(facts, text):
        return _beside(facts, PINNED)
    return Outcome("same", concerned, survivor, text)


def _updated(group: Group, members: Sequence[Member]) -> Outcome:
    """The newest member stands, in the judge's words or its own."""
    newest, *older = members
    memories, _ = _split(members)
    return Outcome(
        "update",
        tuple(members),
        _survivor(memories),
        text=group.text or newest.statement.text,
        after=_afterwards(group, newest, older),
    )


def _afterwards(group: Group, newest: Member, older: Iterable[Member]) -> str | None:
    """By default what last held without an end; what was itself only for a while does not come back."""
    if newest.statement.until is None:
        return None
    before = (stands_again(one.statement) for one in older)
    return group.after or newest.statement.after or next(filter(None, before), None)


def _forgotten(group: Group, members: Sequence[Member]) -> Outcome:
    """What a person asks to forget goes; what was not meant, or said since, stays."""
    _, facts = _split(members)
    asked = [one for one in facts if one.is_request and one.statement.authority == "user"]
    if not asked:
        return _beside(facts, None)
    at = asked[0].statement.said_at
    apart = [
        one
        for one in members
        if one.statement.said_at > at or (one.is_request and one not in asked)
    ]
    concerned = tuple(one for one in members if one not in apart)
    memories, told = _split(one for one in concerned if not one.is_request)
    text = group.text if memories or told else None
    survivor = _survivor(memories) if text else None
    keeps_end = survivor is not None and _is_temporary(survivor.shown, group)
    return Outcome(
        "forget",
        concerned,
        survivor,
        text=text,
        after=group.after if keeps_end else None,
        keeps_end=keeps_end,
        beside=tuple(one for one in apart if one.fact),
    )


def _is_temporary(memory: Memory, group: Group) -> bool:
    """Whether what remains is still only for a while: not where it is what would have stood again."""
    if memory.until is None:
        return False
    return group.after is not None or carriers(group.text or "") <= carriers(memory.text)


def _statements(members: Iterable[Member]) -> list[Statement]:
    return [one.statement for one in members]
