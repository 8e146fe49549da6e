"""Groups of memories become plans: one question for each, all of a slice at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from schemas.memory import MemoryRecord
from schemas.plan import Plan
from worker.core.groups import merging
from worker.core.groups.judgment import Candidacy, Groups
from worker.core.groups.setting import Account
from worker.core.planning.plan import new_texts, plan
from worker.core.sleeping.night import Slice
from worker.core.sleeping.note import Begun
from worker.core.sleeping.unsaid import Known, vouched
from worker.direct.slices import Decided, Thinking, Unit
from worker.thinking import within_budget


@dataclass(frozen=True)
class _Case:
    """A group that changes something, and what was found of it."""

    group: tuple[MemoryRecord, ...]
    candidacy: Candidacy
    found: Groups


def reorganized(thinking: Thinking, cut: Slice, night: Begun) -> Decided:
    """What belongs together. Raises `OverBudget` before anything is asked, and what the parts raise."""
    if not cut.groups:
        return Decided()
    parts = thinking.parts
    with within_budget(parts, thinking.scope.key, thinking.tally):
        cases = [_candidacy(thinking, group) for group in cut.groups]
        answers = parts.model.each(parts.reorganizing, cases, thinking.tally)
    account = thinking.account()
    found = [
        _Case(group, case, answer)
        for group, case, answer in zip(cut.groups, cases, answers, strict=True)
        if isinstance(answer, Groups)
    ]
    units = _units(thinking, found, cut.parents)
    plans = thinking.allotted(cut.groups, units, account, night)
    return Decided(*plans, misjudged=len(answers) - len(found))


def _units(
    thinking: Thinking, found: Sequence[_Case], parents: Mapping[UUID, Sequence[MemoryRecord]]
) -> list[Unit]:
    vectors = thinking.vectors(
        merging.union(*(new_texts(one.candidacy, one.found) for one in found))
    )
    known = Known(thinking.parts.embedder.same, parents, vectors)
    resolver = thinking.parts.settings.resolver

    def unit(case: _Case) -> Unit:
        found, gone = vouched(case.candidacy, case.found, resolver, known)

        def planned(run: UUID, account: Account) -> Plan:
            return plan(thinking.setting(run), case.candidacy, found, vectors, account)

        return Unit(case.group, planned, gone)

    return [unit(case) for case in found]


def _candidacy(thinking: Thinking, group: tuple[MemoryRecord, ...]) -> Candidacy:
    return Candidacy(facts=(), vectors=(), candidates=group, offered=(), asked_at=thinking.now)
