"""The one place where verdicts become changes; it holds the promises whatever the judge said.

No memory changes twice, none without an archive, none outside the offer, none that is pinned, none
against time or authority, no more than the cap. Every fact ends stored, confirmed, filed as history,
carried out (a `forget`), left out with its reason, or held for review with its turn.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from uuid import UUID

from schemas.base import Vector
from schemas.plan import Change, Confirm, Plan, Retire, Revise
from worker.core import merging
from worker.core.cap import facts_of, over_the_cap
from worker.core.draft import Draft
from worker.core.judgment import Candidacy, Group, Groups
from worker.core.members import member, sound
from worker.core.setting import Account, Setting
from worker.core.settling import beside, settle


def new_texts(groups: Groups) -> tuple[str, ...]:
    """Texts that a plan may store and that no member brings a vector for."""
    return merging.union(group.text for group in groups.groups if group.text)


def plan(
    setting: Setting,
    candidacy: Candidacy,
    groups: Groups,
    vectors: Mapping[str, Vector],
    account: Account | None = None,
) -> Plan:
    """Turn a judgment into changes. `vectors` has one for each of `new_texts(groups)`."""
    account = account or Account()
    draft = Draft(setting, candidacy, vectors)
    kept = sound(candidacy, groups.groups)
    held = over_the_cap(setting, candidacy, kept)
    shut_out = facts_of(candidacy, {one.turn_id for one in held})
    changes = (*_of_groups(draft, kept, shut_out), *_of_the_rest(draft, kept, groups, shut_out))
    return Plan(
        run=setting.run,
        kind=setting.kind,
        scope=setting.scope,
        turn_ids=tuple(turn.id for turn in setting.turns),
        base=_base(changes),
        changes=changes,
        held=held,
        planned_at=setting.now,
        facts=account.facts,
        dropped=dict(Counter(account.dropped) + draft.dropped),
        model=account.model,
        prompts=dict(account.prompts),
        usage=account.usage,
    )


def _of_groups(draft: Draft, groups: Iterable[Group], shut_out: frozenset[str]) -> Iterator[Change]:
    for group in groups:
        if shut_out.isdisjoint(group.members):
            yield from settle(draft, group)
        else:
            rest = [one for one in group.members if one.startswith("f") and one not in shut_out]
            why = "a turn it was judged with is held for review"
            yield from beside(draft, group, (member(draft.candidacy, one) for one in rest), why)


def _of_the_rest(
    draft: Draft, kept: Iterable[Group], groups: Groups, shut_out: frozenset[str]
) -> Iterator[Change]:
    """Facts that no group settles are added, whatever the judge forgot to say about them."""
    settled = shut_out.union(*(group.members for group in kept))
    for at, offered in enumerate(draft.candidacy.offered, start=1):
        if (label := f"f{at}") not in settled:
            flag = groups.flagged.get(label)
            memories = (one for one in offered if flag and one.startswith("c"))
            links = tuple(draft.candidacy.candidate(one).memory.id for one in memories)
            yield from draft.stored([label], flag or "nothing known is about it", links, flag)


def _base(changes: Iterable[Change]) -> dict[UUID, int]:
    """The version that each existing memory was decided on."""
    base: dict[UUID, int] = {}
    for change in changes:
        match change:
            case Revise() | Retire():
                before = change.archive.archive.memory
                base[before.id] = before.version
            case Confirm():
                base[change.record.memory.id] = change.record.memory.version
            case _:
                pass
    return base
