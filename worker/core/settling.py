"""One group becomes changes: by its relation, by who said it, and by when."""

from collections.abc import Iterable, Iterator

from schemas.memory import Fact, Memory
from schemas.plan import Change, Retire
from worker.core import merging
from worker.core.draft import Draft
from worker.core.judgment import Group
from worker.core.members import Member, members_newest_first
from worker.core.words import normalised

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
    """Said again: one memory is confirmed; of several one survives and takes over the others' turns and counts."""
    if not memories:
        if facts[0].the_fact.authority == "user" or draft.setting.policy.remember_assistant:
            yield draft.add(facts, group.text, group.why)
        else:
            yield from beside(draft, group, facts, None)
        return
    survivor, *others = _survivor_first(memories)
    if any(other.memory.pinned for other in others):
        yield from beside(draft, group, facts, "it would merge a pinned memory")
        return
    memory = merging.confirmed(
        merging.absorbed(survivor.memory, [other.memory for other in others]),
        [member.the_fact for member in facts],
        draft.setting.run,
    )
    if others and not survivor.memory.pinned and _is_richer(draft, group, survivor):
        yield draft.revise(survivor, memory, survivor, group, "merged")
    else:
        yield merging.confirmation(survivor.the_record, memory, group.why)
    for other in others:
        yield draft.retire(other, survivor.memory.id, group, "merged")


def _is_richer(draft: Draft, group: Group, survivor: Member) -> bool:
    return (
        group.text in draft.vectors
        and group.text is not None
        and normalised(group.text) != normalised(survivor.memory.text)
    )


def _update(
    draft: Draft, group: Group, facts: list[Member], memories: list[Member]
) -> Iterator[Change]:
    """The newest fact stands; what it replaces is archived, older facts become history at birth."""
    newest, *older = facts
    if not memories:
        add = draft.add([newest], group.text, group.why)
        yield add
        for fact in older:
            yield draft.file(fact, add.record.memory.id, group, "superseded")
        return
    survivor, *others = _survivor_first(memories)
    memory = merging.restated(
        merging.absorbed(survivor.memory, [other.memory for other in others]),
        newest.the_fact,
        [member.the_fact for member in older],
        _afterwards(group, newest.the_fact, survivor.memory),
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


def _afterwards(group: Group, newest: Fact, survivor: Memory) -> str | None:
    """What stands again once a temporary state is over: by default what stood before it."""
    if newest.until is None:
        return None
    return group.after or survivor.after or survivor.text


def _late(draft: Draft, group: Group, newest: Member, facts: list[Member]) -> Iterator[Change]:
    """Later said wins: what arrives late becomes history at birth, the memory stands as it is."""
    for fact in facts:
        yield draft.file(fact, newest.memory.id, group, "late")


def _forget(
    draft: Draft, group: Group, facts: list[Member], memories: list[Member]
) -> Iterator[Change]:
    """What a person asks to forget goes; what was not meant stays. The request itself is not stored."""
    asked = [member for member in facts if member.the_fact.kind == "forget"]
    others = [member for member in facts if member not in asked]
    if not asked or any(member.the_fact.authority != "user" for member in asked):
        draft.dropped["only a person may ask to forget"] += len(asked)
        yield from beside(draft, group, others, None)
        return
    draft.dropped["forgotten on request"] += len(others)
    if memories and group.text and group.text in draft.vectors:
        survivor, *rest = _survivor_first(memories)
        memory = merging.absorbed(survivor.memory, [member.memory for member in rest])
        yield draft.revise(survivor, memory, survivor, group, "forgotten")
        yield from _gone(draft, group, rest, survivor)
    else:
        yield from _gone(draft, group, memories, None)


def _gone(
    draft: Draft, group: Group, memories: Iterable[Member], kept: Member | None
) -> Iterator[Retire]:
    by = kept.memory.id if kept else None
    return (draft.retire(member, by, group, "forgotten") for member in memories)


def _survivor_first(memories: list[Member]) -> list[Member]:
    """The most confirmed first, else the oldest; the pinned before all, since it may not be retired."""
    return sorted(
        memories,
        key=lambda m: (
            not m.memory.pinned,
            -m.memory.confirmations,
            m.memory.created_at,
            str(m.memory.id),
        ),
    )
