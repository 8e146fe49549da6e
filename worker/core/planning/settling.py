"""The outcome of one group becomes changes: finished records."""

from collections.abc import Iterable, Iterator

from schemas.memory import Reason
from schemas.plan import Change
from worker.core.groups import merging
from worker.core.groups.judgment import Group, memories_in
from worker.core.groups.members import Member
from worker.core.groups.outcome import Outcome
from worker.core.planning.draft import Draft
from worker.core.planning.runs import NEVER_STORED


def settle(draft: Draft, group: Group, found: Outcome) -> Iterator[Change]:
    """The changes of a sound group that comes to this."""
    if found.kind == "forget":
        yield from _forget(draft, group, found)
        return
    yield from _made_way(draft, group, found)
    group = _without(group, found.outdone)
    yield from beside(draft, group, found.beside, found.flag)
    if not all(draft.stores(fact) for fact in found.facts):
        yield from beside(draft, group, found.facts, None)
        return
    match found.kind:
        case "same":
            yield from _same(draft, group, found)
            by = found.survivor or found.facts[0]
            yield from _filed(draft, group, found.unsaid, by, "merged")
        case "update":
            yield from _update(draft, group, found)
        case "late" if found.survivor:
            yield from _filed(draft, group, found.facts, found.survivor, "late")
        case _:
            pass


def beside(
    draft: Draft, group: Group, facts: Iterable[Member], flag: str | None
) -> Iterator[Change]:
    """Facts added as they are, linked to the memories they were judged with."""
    links = tuple(draft.candidacy.candidate(one).memory.id for one in memories_in(group.members))
    return draft.stored((fact.label for fact in facts), flag or group.why, links, flag)


def _made_way(draft: Draft, group: Group, found: Outcome) -> Iterator[Change]:
    """What was derived is retired for what somebody says, if that is stored."""
    stored = [fact for fact in (*found.facts, *found.beside) if draft.stores(fact)]
    if stored:
        id = draft.id_of(found.survivor or stored[0])
        yield from (draft.retire(one, id, found, group, "superseded") for one in found.outdone)


def _without(group: Group, members: Iterable[Member]) -> Group:
    labels = {one.label for one in members}
    left = tuple(one for one in group.members if one not in labels)
    return group.model_copy(update={"members": left})


def _same(draft: Draft, group: Group, found: Outcome) -> Iterator[Change]:
    """Said again: one memory is confirmed where its words keep every detail and it ends no earlier, else revised."""
    facts = [one.the_fact for one in found.facts]
    survivor, exact = found.survivor, merging.most_exact(one.statement for one in found.members)
    if survivor is None:
        add = draft.add(found.facts, found.text, group.why, None, exact)
        yield add.model_copy(update={"said": found.said})
        return
    memory = merging.confirmed(survivor.memory, facts, draft.setting.run)
    alike = found.text == memory.text and memory.authority == survivor.memory.authority
    stands = memory.pinned or memory.happened_at == exact
    if alike and stands and not found.others and not found.shortens:
        yield merging.confirmation(survivor.the_record, memory, group.why, found.said)
        return
    memory = merging.absorbed(survivor.shown, [other.shown for other in found.others])
    memory = merging.confirmed(memory, facts, draft.setting.run)
    memory = memory if memory.pinned else memory.model_copy(update={"happened_at": exact})
    reason: Reason = "merged" if found.others else "superseded"
    yield draft.revise(found, survivor, memory, group, "expired" if survivor.has_lapsed else reason)
    yield from _retired(draft, group, found, survivor, "merged")


def _update(draft: Draft, group: Group, found: Outcome) -> Iterator[Change]:
    """The newest stands; what it replaces is archived, older facts become history at birth."""
    newest, survivor = found.members[0], found.survivor
    older = [fact for fact in found.facts if fact is not newest]
    happened_at = _happened_at(group, newest, [survivor] if survivor else older)
    if survivor is None:
        yield draft.add([newest], found.text, group.why, found.after, happened_at)
        yield from _filed(draft, group, older, newest, "superseded")
        return
    memory = merging.restated(
        merging.absorbed(survivor.shown, [other.shown for other in found.others]),
        newest.statement,
        [fact.the_fact for fact in found.facts],
        found.after,
        happened_at,
    )
    yield draft.revise(found, survivor, memory, group, "superseded")
    reason: Reason = "merged" if group.relation == "update" else "superseded"
    yield from _retired(draft, group, found, survivor, reason)
    yield from _filed(draft, group, older, survivor, "superseded")


def _happened_at(group: Group, newest: Member, before: Iterable[Member]) -> str | None:
    """The newest says when it was; what only adds to the same leaves its time as it was, unless it names one."""
    told = [newest, *(before if group.relation == "update" else ())]
    return next((one.statement.happened_at for one in told if one.statement.happened_at), None)


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
    elif found.text and (kept := [fact for fact in told if draft.stores(fact)]):
        yield draft.remaining(kept, found, found.text, group.why)
        told = [fact for fact in told if fact not in kept]
    draft.dropped[NEVER_STORED] += len(told)
    yield from _retired(draft, group, found, survivor, "forgotten")
    labels = (fact.label for fact in found.beside)
    yield from draft.stored(labels, "said since the request to forget")
