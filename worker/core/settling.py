"""One group becomes changes: by its relation, by who said it, and by when."""

from collections.abc import Iterable, Iterator

from schemas.memory import Fact, Memory
from schemas.plan import Change, Retire
from worker.core import merging
from worker.core.current import stands_again
from worker.core.draft import Draft
from worker.core.judgment import Group
from worker.core.members import Member, members_newest_first, survivor_first
from worker.core.standing import standing

AUTHORITY = {"tool": 0, "assistant": 1, "user": 2}


def settle(draft: Draft, group: Group) -> Iterator[Change]:
    """The changes of a sound group."""
    members = members_newest_first(draft.candidacy, group)
    memories = [member for member in members if member.record]
    facts = [member for member in members if member.fact]
    forgets = [member for member in facts if member.the_fact.kind == "forget"]
    if group.relation == "forget":
        return _forget(draft, group, facts, memories)
    if forgets:
        return beside(draft, group, facts, "a request to forget is no update")
    if _outranked(facts, memories):
        return beside(draft, group, facts, None)
    if group.relation == "same":
        return _same(draft, group, facts, memories)
    if any(member.memory.pinned for member in memories):
        return beside(draft, group, facts, "it would change a pinned memory")
    if members[0].record:
        return _late(draft, group, members[0], facts)
    return _update(draft, group, facts, memories)


def beside(
    draft: Draft, group: Group, facts: Iterable[Member], flag: str | None
) -> Iterator[Change]:
    """Facts added as they are, linked to the memories they were judged with."""
    links = tuple(
        draft.candidacy.candidate(label).memory.id
        for label in group.members
        if label.startswith("c")
    )
    return draft.stored((member.label for member in facts), flag or group.why, links, flag)


def _outranked(facts: list[Member], memories: list[Member]) -> bool:
    """Whether something a machine said would touch what a person said."""
    ranks = [AUTHORITY[member.statement.authority] for member in (*facts, *memories)]
    return any(AUTHORITY[member.the_fact.authority] < max(ranks) for member in facts)


def _same(
    draft: Draft, group: Group, facts: list[Member], memories: list[Member]
) -> Iterator[Change]:
    """Said again, in words that keep every detail of all; where none do, the facts stay beside."""
    statements = [draft.stands(one) if one.record else one.the_fact for one in (*facts, *memories)]
    if not memories:
        yield from _twins(
            draft, group, facts, standing(statements, group.text, facts[0].the_fact.text)
        )
        return
    survivor, *others = survivor_first(memories)
    stood = draft.stands(survivor)
    own = [member.statement.text for member in (facts[0], *others)]
    text = standing(statements, stood.text, group.text, *own)
    vector = draft.vector_of(text, (*facts, *memories)) if text else None
    changes_words = bool(others) or text != survivor.memory.text
    if text is None or vector is None or (survivor.memory.pinned and changes_words):
        yield from beside(draft, group, facts, "called the same, but a detail would get lost")
        return
    memory = merging.confirmed(
        merging.absorbed(stood, [other.memory for other in others]),
        [member.the_fact for member in facts],
        draft.setting.run,
    )
    if not changes_words:
        yield merging.confirmation(survivor.the_record, memory, group.why)
        return
    yield draft.worded(survivor, memory, text, vector, group, "merged" if others else "superseded")
    for other in others:
        yield draft.retire(other, survivor.memory.id, group, "merged")


def _twins(draft: Draft, group: Group, facts: list[Member], text: str | None) -> Iterator[Change]:
    """Several facts of the batch that say the same: one memory."""
    is_stored = facts[0].the_fact.authority == "user" or draft.setting.policy.remember_assistant
    if text is None:
        yield from beside(draft, group, facts, "called the same, but a detail would get lost")
    elif is_stored:
        yield draft.add(facts, text, group.why)
    else:
        yield from beside(draft, group, facts, None)


def _update(
    draft: Draft, group: Group, facts: list[Member], memories: list[Member]
) -> Iterator[Change]:
    """The newest fact stands; what it replaces is archived, older facts become history at birth."""
    newest, *older = facts
    if not memories:
        after = _afterwards(group, newest.the_fact, older[0].the_fact)
        add = draft.add([newest], group.text, group.why, after)
        yield add
        for fact in older:
            yield draft.file(fact, add.record.memory.id, group, "superseded")
        return
    survivor, *others = survivor_first(memories)
    memory = merging.restated(
        merging.absorbed(survivor.memory, [other.memory for other in others]),
        newest.the_fact,
        [member.the_fact for member in older],
        _afterwards(group, newest.the_fact, draft.stands(survivor)),
    )
    yield draft.revise(survivor, memory, newest, group, "superseded")
    for other in others:
        yield draft.retire(
            other,
            survivor.memory.id,
            group,
            "merged" if group.relation == "update" else "superseded",
        )
    for fact in older:
        yield draft.file(fact, survivor.memory.id, group, "superseded")


def _afterwards(group: Group, newest: Fact, before: Fact | Memory) -> str | None:
    """What stands again once a temporary state is over: by default what stood before it."""
    if newest.until is None:
        return None
    return group.after or stands_again(before)


def _late(draft: Draft, group: Group, newest: Member, facts: list[Member]) -> Iterator[Change]:
    """Later said wins: what arrives late becomes history at birth, the memory stands as it is."""
    for fact in facts:
        yield draft.file(fact, newest.memory.id, group, "late")


def _forget(
    draft: Draft, group: Group, facts: list[Member], memories: list[Member]
) -> Iterator[Change]:
    """What a person asks to forget goes; what was not meant, or said since, stays.

    The request itself is not stored.
    """
    asked = [member for member in facts if member.the_fact.kind == "forget"]
    others = [member for member in facts if member not in asked]
    if not asked or any(member.the_fact.authority != "user" for member in asked):
        draft.dropped["only a person may ask to forget"] += len(asked)
        yield from beside(draft, group, others, None)
        return
    at = max(member.the_fact.said_at for member in asked)
    yield from beside(draft, group, (m for m in others if m.statement.said_at > at), None)
    draft.dropped["forgotten on request"] += sum(m.statement.said_at <= at for m in others)
    meant = survivor_first([member for member in memories if member.memory.said_at <= at])
    if meant and group.text and group.text in draft.vectors:
        memory = merging.absorbed(meant[0].memory, [member.memory for member in meant[1:]])
        memory = memory.model_copy(update={"after": group.after})
        yield draft.revise(meant[0], memory, meant[0], group, "forgotten")
        yield from _gone(draft, group, meant[1:], meant[0])
    else:
        yield from _gone(draft, group, meant, None)


def _gone(
    draft: Draft, group: Group, memories: Iterable[Member], kept: Member | None
) -> Iterator[Retire]:
    by = kept.memory.id if kept else None
    return (draft.retire(member, by, group, "forgotten") for member in memories)
