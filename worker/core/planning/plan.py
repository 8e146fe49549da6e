"""The one place where verdicts become changes; it holds the promises whatever the judge said.

No memory changes twice, none without an archive, none outside the offer, none that is pinned, none
against time or authority, no more than the cap. Every fact ends stored, confirmed, filed as history,
carried out (a `forget`), left out with its reason, or held for review with its turn.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from uuid import UUID

from schemas.base import Vector
from schemas.memory import Memory
from schemas.plan import Change, Confirm, Held, Plan, Retire, Revise
from worker.core.groups import merging
from worker.core.groups.judgment import Candidacy, Group, Groups, facts_in, memories_in
from worker.core.groups.members import labels, member, sound
from worker.core.groups.outcome import Outcome
from worker.core.groups.setting import Account, Setting
from worker.core.planning.cap import MISJUDGED, SHARED, facts_of, held, unheard
from worker.core.planning.draft import Draft
from worker.core.planning.settling import beside, settle


def new_texts(candidacy: Candidacy, groups: Groups) -> tuple[str, ...]:
    """Texts that a plan may store and that no member brings a vector for."""
    named = {label for group in groups.groups for label in memories_in(group.members)}
    known = (member(candidacy, label) for label in candidacy.memory_labels if label in named)
    return merging.union(
        (group.text for group in groups.groups if group.text),
        (one.statement.text for one in known if one.has_lapsed),
    )


def plan(
    setting: Setting,
    candidacy: Candidacy,
    groups: Groups,
    vectors: Mapping[str, Vector],
    account: Account | None = None,
) -> Plan:
    """Turn a judgment into changes. `vectors` has one for each of `new_texts(candidacy, groups)`."""
    account = account or Account()
    draft = Draft(setting, candidacy, vectors)
    kept = sound(candidacy, groups.groups)
    settled = [(group, draft.outcome(group)) for group in kept]
    failed = unheard(candidacy, settled, groups)
    parked = held(setting, candidacy, settled, failed)
    aside = {one.turn_id for one in parked}
    shut_out = facts_of(candidacy, aside)
    changes = (
        *_of_groups(draft, settled, shut_out),
        *_of_the_rest(draft, kept, groups, shut_out),
    )
    before = _before(candidacy, changes)
    return Plan(
        run=setting.run,
        kind=setting.kind,
        scope=setting.scope,
        turn_ids=tuple(turn.id for turn in setting.turns if turn.id not in aside),
        base={memory.id: memory.version for memory in before},
        base_runs={memory.id: memory.last_run for memory in before},
        changes=changes,
        held=tuple(_proposed(draft, kept, shut_out, failed, parked)),
        planned_at=setting.now,
        facts=account.facts,
        dropped=dict(Counter(account.dropped) + draft.dropped),
        model=account.model,
        prompts=dict(account.prompts),
        usage=account.usage,
        embedder=account.embedder,
    )


def _of_groups(
    draft: Draft, groups: Iterable[tuple[Group, Outcome]], shut_out: frozenset[str]
) -> Iterator[Change]:
    for group, found in groups:
        if shut_out.isdisjoint(group.members):
            yield from settle(draft, group, found)
        else:
            rest = [one for one in facts_in(group.members) if one not in shut_out]
            yield from beside(draft, group, (member(draft.candidacy, one) for one in rest), SHARED)


def _of_the_rest(
    draft: Draft, kept: Iterable[Group], groups: Groups, shut_out: frozenset[str]
) -> Iterator[Change]:
    """Facts that no group settles are added, whatever the judge forgot to say about them."""
    settled = shut_out.union(*(group.members for group in kept))
    misjudged = {label for group in groups.groups for label in group.members}
    known = labels(draft.candidacy)
    for label in draft.candidacy.fact_labels:
        if label not in settled:
            flag = groups.flagged.get(label) or (MISJUDGED if label in misjudged else None)
            offered = draft.candidacy.offered_to(label) if flag else ()
            memories = (one for one in memories_in(offered) if one in known)
            links = tuple(draft.candidacy.candidate(one).memory.id for one in memories)
            yield from draft.stored([label], flag or "nothing known is about it", links, flag)


def _proposed(
    draft: Draft,
    kept: Iterable[Group],
    shut_out: frozenset[str],
    failed: Iterable[str],
    parked: Iterable[Held],
) -> Iterator[Held]:
    """With what would be done for each turn if a person accepts it; facts that are stored without it have no part.

    What several turns say together is proposed once, with the first of them. Where a wish to forget failed, to accept
    the rest would settle the turn without it: nothing is proposed, and the turn can be put back.
    """
    unsettled = {id for label in failed for id in draft.candidacy.fact(label).turn_ids}
    parts = (_without(group, draft.candidacy, shut_out) for group in kept)
    groups = sound(draft.candidacy, parts)
    trial = Draft(draft.setting, draft.candidacy, draft.vectors)
    by = dict[str, UUID]()
    for one in parked:
        if one.turn_id in unsettled:
            yield one
            continue
        facts = facts_of(draft.candidacy, {one.turn_id})
        concerned = [group for group in groups if not facts.isdisjoint(group.members)]
        mine = [group for group in concerned if by.keys().isdisjoint(group.members)]
        alone = facts.difference(by, *(group.members for group in groups))
        first = {by[label]: None for label in (*facts, *_members(concerned)) if label in by}
        by |= dict.fromkeys((*alone, *_members(mine)), one.turn_id)
        changes = [
            change for group in mine for change in settle(trial, group, trial.outcome(group))
        ]
        yield one.model_copy(
            update={
                "reason": "; ".join([one.reason, *(f"see also turn {id}" for id in first)]),
                "proposal": (*changes, *trial.stored(alone, "accepted by a person")),
            }
        )


def _members(groups: Iterable[Group]) -> list[str]:
    return [label for group in groups for label in group.members]


def _without(group: Group, candidacy: Candidacy, shut_out: frozenset[str]) -> Group:
    """Its memories, and of its facts those that are held."""
    stay = tuple(one for one in group.members if one in shut_out or one in candidacy.memory_labels)
    return group.model_copy(update={"members": stay})


def _before(candidacy: Candidacy, changes: Iterable[Change]) -> list[Memory]:
    """The existing memories that the changes are decided on, as they were offered."""
    offered = {record.memory.id: record.memory for record in candidacy.candidates}
    changed: list[Memory] = []
    for change in changes:
        match change:
            case Revise() | Retire():
                changed.append(change.archive.archive.memory)
            case Confirm():
                changed.append(offered[change.record.memory.id])
            case _:
                pass
    return changed
