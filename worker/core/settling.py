"""One group becomes changes: what its outcome says, as finished records."""

from collections.abc import Iterable, Iterator

from schemas.memory import Reason
from schemas.plan import Change
from worker.core import merging
from worker.core.draft import Draft
from worker.core.judgment import Group, memories_in
from worker.core.members import Member
from worker.core.outcome import Outcome, outcome


def settle(draft: Draft, group: Group) -> Iterator[Change]:
    """The changes of a sound group."""
    found = outcome(draft.candidacy, group)
    match found.kind:
        case "same":
            yield from _same(draft, group, found)
        case "update":
            yield from _update(draft, group, found)
        case "late" if found.survivor:
            yield from _filed(draft, group, found.facts, found.survivor, "late")
        case "forget":
            yield from _forget(draft, group, found)
        case _:
            yield from beside(draft, group, found.beside, found.flag)


def beside(
    draft: Draft, group: Group, facts: Iterable[Member], flag: str | None
) -> Iterator[Change]:
    """Facts added as they are, linked to the memories they were judged with."""
    links = tuple(draft.candidacy.candidate(one).memory.id for one in memories_in(group.members))
    return draft.stored((fact.label for fact in facts), flag or group.why, links, flag)


def _same(draft: Draft, group: Group, found: Outcome) -> Iterator[Change]:
    """Said again: one memory is confirmed where its words keep every detail, else it takes other words."""
    facts = [one.the_fact for one in found.facts]
    survivor = found.survivor
    if survivor is None:
        yield from _added(draft, group, found, found.facts)
        return
    if not found.others and found.text == survivor.memory.text:
        memory = merging.confirmed(survivor.memory, facts, draft.setting.run)
        yield merging.confirmation(survivor.the_record, memory, group.why)
        return
    memory = merging.absorbed(survivor.shown, [other.shown for other in found.others])
    memory = merging.confirmed(memory, facts, draft.setting.run)
    reason: Reason = "merged" if found.others else "superseded"
    yield draft.revise(found, survivor, memory, group, "expired" if survivor.has_lapsed else reason)
    yield from _retired(draft, group, found, survivor, "merged")


def _added(draft: Draft, group: Group, found: Outcome, facts: Iterable[Member]) -> Iterator[Change]:
    """One new memory of these facts, if who said them may be stored."""
    newest, *twins = facts
    if draft.stores(newest):
        yield draft.add((newest, *twins), found.text, group.why, found.after)
    else:
        yield from beside(draft, group, found.facts, None)


def _update(draft: Draft, group: Group, found: Outcome) -> Iterator[Change]:
    """The newest stands; what it replaces is archived, older facts become history at birth."""
    newest, survivor = found.members[0], found.survivor
    older = [fact for fact in found.facts if fact is not newest]
    if survivor is None:
        yield from _added(draft, group, found, [newest])
        if draft.stores(newest):
            yield from _filed(draft, group, older, newest, "superseded")
        return
    memory = merging.restated(
        merging.absorbed(survivor.shown, [other.shown for other in found.others]),
        newest.statement,
        [fact.the_fact for fact in found.facts],
        found.after,
    )
    yield draft.revise(found, survivor, memory, group, "superseded")
    reason: Reason = "merged" if group.relation == "update" else "superseded"
    yield from _retired(draft, group, found, survivor, reason)
    yield from _filed(draft, group, older, survivor, "superseded")


def _filed(
    draft: Draft, group: Group, facts: Iterable[Member], by: Member, reason: Reason
) -> Iterator[Change]:
    return (draft.file(fact, draft.id_of(by), group, reason) for fact in facts)


def _retired(
    draft: Draft, group: Group, found: Outcome, by: Member | None, reason: Reason
) -> Iterator[Change]:
    id = draft.id_of(by) if by else None
    return (draft.retire(other, id, found, group, reason) for other in found.others)


def _forget(draft: Draft, group: Group, found: Outcome) -> Iterator[Change]:
    """What a person asked to forget goes, what remains stays. The request itself is not stored."""
    told = [fact for fact in found.facts if not fact.is_request]
    survivor = found.survivor
    if not told and not survivor and not found.others:
        draft.dropped["nothing known to forget"] += len(found.facts)
    if survivor and found.text:
        memory = merging.absorbed(survivor.shown, [other.shown for other in found.others])
        memory = merging.remaining(memory, survivor.shown, found.after, keeps_end=found.keeps_end)
        yield draft.revise(found, survivor, memory, group, "forgotten")
    elif found.text:
        yield from _added(draft, group, found, told)
        told = []
    draft.dropped["forgotten on request"] += len(told)
    yield from _retired(draft, group, found, survivor, "forgotten")
    labels = (fact.label for fact in found.beside)
    yield from draft.stored(labels, "said since the request to forget")
