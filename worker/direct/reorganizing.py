"""Groups of memories become plans: one question for each, all of a slice at once."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from schemas.base import Vector
from schemas.memory import MemoryRecord
from schemas.plan import Plan, Usage
from schemas.scope import Scope
from worker.core.groups import merging
from worker.core.groups.judgment import Candidacy, Groups
from worker.core.groups.setting import Account, PassName, Setting
from worker.core.planning.plan import new_texts, plan
from worker.core.sleeping.expire import texts_after, written_down
from worker.core.sleeping.night import Slice
from worker.core.sleeping.note import Begun
from worker.core.sleeping.proposing import proposal_run_id, slice_run_id
from worker.core.sleeping.share import changed_by, joined, within_share
from worker.parts import Parts
from worker.thinking import policy, within_budget


@dataclass(frozen=True)
class Decided:
    """What comes of one slice."""

    #: One plan, or none where nothing changes.
    done: tuple[Plan, ...] = ()
    #: What goes beyond the share: a plan for each group, so that each can be decided on by itself.
    proposed: tuple[Plan, ...] = ()
    #: Groups whose judgment failed.
    misjudged: int = 0
    usage: Usage = field(default_factory=Usage)

    @property
    def changed(self) -> int:
        """Memories that are retired or revised."""
        return sum(map(changed_by, self.done))


@dataclass(frozen=True)
class _Case:
    """A group that changes something, and what was found of it."""

    group: tuple[MemoryRecord, ...]
    candidacy: Candidacy
    found: Groups


@dataclass(frozen=True)
class Thinking:
    """What a slice of one pass is thought about with."""

    parts: Parts
    scope: Scope
    now: datetime
    name: PassName

    def written_down(self, cut: Slice) -> Decided:
        """What has lapsed. Raises what the embedder raises."""
        if not cut.lapsed:
            return Decided()
        run = slice_run_id(self.scope, self.name, [cut.lapsed])
        before = [one.memory for one in cut.lapsed]
        made = Plan(
            run=run,
            kind="sleep",
            scope=self.scope,
            turn_ids=(),
            base={memory.id: memory.version for memory in before},
            base_runs={memory.id: memory.last_run for memory in before},
            changes=written_down(
                self._setting(run), cut.lapsed, self._vectors(texts_after(cut.lapsed))
            ),
            planned_at=self.now,
            embedder=self.parts.embedder.fingerprint,
        )
        return Decided((made,))

    def judged(self, cut: Slice, night: Begun) -> Decided:
        """What belongs together. Raises `OverBudget` before anything is asked, and what the parts raise."""
        with within_budget(self.parts, self.scope.key) as tally:
            cases = [self._candidacy(group) for group in cut.groups]
            answers = self.parts.model.each(self.parts.reorganizing, cases, tally)
        prompts = self.parts.model.prompts
        account = Account(
            model=self.parts.settings.model,
            prompts={job: prompts.fingerprint(job) for job in tally.calls},
            usage=tally.usage(),
            embedder=self.parts.embedder.fingerprint,
        )
        found = [
            _Case(group, case, answer)
            for group, case, answer in zip(cut.groups, cases, answers, strict=True)
            if isinstance(answer, Groups)
        ]
        plans = self._plans(cut, found, account, night)
        return Decided(*plans, misjudged=len(answers) - len(found), usage=account.usage)

    def _plans(
        self, cut: Slice, found: Sequence[_Case], account: Account, night: Begun
    ) -> tuple[tuple[Plan, ...], tuple[Plan, ...]]:
        """What is done, and what is proposed."""
        texts = merging.union(*(new_texts(one.candidacy, one.found) for one in found))
        vectors = self._vectors(texts)

        def planned(case: _Case, run: UUID, account: Account) -> Plan:
            return plan(self._setting(run), case.candidacy, case.found, vectors, account)

        run = slice_run_id(self.scope, self.name, cut.groups)
        plans = [(case, planned(case, run, account)) for case in found]
        plans = [(case, made) for case, made in plans if made.changes]
        allowed = within_share(
            (made for _, made in plans), night, self.parts.settings.sleep_max_share
        )
        done = (joined([made for _, made in plans[:allowed]]),) if allowed else ()
        free = replace(account, usage=Usage())
        proposed = tuple(
            planned(
                case,
                proposal_run_id(self.scope, self.name, case.group),
                # What the slice has asked is told once.
                free if at or allowed else account,
            )
            for at, (case, _) in enumerate(plans[allowed:])
        )
        return done, proposed

    def _candidacy(self, group: tuple[MemoryRecord, ...]) -> Candidacy:
        return Candidacy(facts=(), vectors=(), candidates=group, offered=(), asked_at=self.now)

    def _setting(self, run: UUID) -> Setting:
        return Setting(run, self.scope, (), self.now, "sleep", policy(self.parts.settings))

    def _vectors(self, texts: Sequence[str]) -> dict[str, Vector]:
        if not texts:
            return {}
        return dict(zip(texts, self.parts.embedder.embed(texts), strict=True))
