"""What every pass thinks with, and what its slices come to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from schemas.base import Vector
from schemas.memory import MemoryRecord
from schemas.plan import Plan, Usage, Withheld
from schemas.scope import Scope
from worker.adapters.model import Tally
from worker.core.groups.setting import Account, PassName, Setting
from worker.core.sleeping.note import Begun
from worker.core.sleeping.proposing import proposal_run_id, slice_run_id
from worker.core.sleeping.share import joined, within_share
from worker.direct.canaries import Canaries
from worker.direct.nights import Looks
from worker.parts import Parts
from worker.thinking import policy


@dataclass(frozen=True)
class Decided:
    """What comes of one slice."""

    #: One plan, or none where nothing changes.
    done: tuple[Plan, ...] = ()
    #: What goes beyond the share: a plan for each group, so that each can be decided on by itself.
    proposed: tuple[Plan, ...] = ()
    #: Groups whose judgment failed.
    misjudged: int = 0
    #: Whether it uses up the night's share.
    counts: bool = True
    #: About whom the first group is that there was no room for: the next night begins with it.
    rest: UUID | None = None
    #: Whether the pass has done enough for a night.
    is_enough: bool = False

    @property
    def is_full(self) -> bool:
        """Whether something was proposed for want of a share: the night's is used up then."""
        return any(one.withheld is not None and one.withheld.beyond_share for one in self.proposed)


@dataclass(frozen=True)
class Unit:
    """Memories that change together or not at all; planned under whatever run carries it out."""

    group: tuple[MemoryRecord, ...]
    planned: Callable[[UUID, Account], Plan]
    #: Memories of it that would go though nothing that stands says what they say.
    unsaid: tuple[UUID, ...] = ()


@dataclass(frozen=True)
class Thinking:
    """What a slice of one pass is thought about with."""

    parts: Parts
    scope: Scope
    now: datetime
    name: PassName
    canaries: Canaries
    looks: Looks
    #: What the slice asks of a model.
    tally: Tally = field(default_factory=Tally)

    def setting(self, run: UUID) -> Setting:
        return Setting(run, self.scope, (), self.now, "sleep", policy(self.parts.settings))

    def vectors(self, texts: Sequence[str]) -> dict[str, Vector]:
        """Raises what the embedder raises."""
        if not texts:
            return {}
        return dict(zip(texts, self.parts.embedder.embed(texts), strict=True))

    def account(self) -> Account:
        prompts = self.parts.model.prompts
        return Account(
            model=self.parts.settings.model,
            prompts={job: prompts.fingerprint(job) for job in self.tally.calls},
            usage=self.tally.usage(),
            embedder=self.parts.embedder.fingerprint,
        )

    def allotted(
        self,
        groups: Sequence[Sequence[MemoryRecord]],
        units: Sequence[Unit],
        account: Account,
        night: Begun,
    ) -> tuple[tuple[Plan, ...], tuple[Plan, ...]]:
        """Of a slice of these groups what is done, as one plan, and what is proposed: each of it says why.

        Proposed is what goes beyond the share, with all that comes after it; and what would take something away unsaid,
        or cost a canary its answer after all that is done before it, while the others go on.
        """
        run = slice_run_id(self.scope, self.name, groups)
        plans = [(unit, unit.planned(run, account)) for unit in units]
        plans = [(unit, made) for unit, made in plans if made.changes]
        done, withheld = self._sorted(plans, night)
        free = replace(account, usage=Usage())
        proposed = tuple(
            unit.planned(
                proposal_run_id(self.scope, self.name, unit.group),
                # What the slice has asked is told once.
                free if at or done else account,
            ).model_copy(update={"withheld": why})
            for at, (unit, why) in enumerate(withheld)
        )
        return ((joined(done),) if done else ()), proposed

    def _sorted(
        self, plans: Sequence[tuple[Unit, Plan]], night: Begun
    ) -> tuple[list[Plan], list[tuple[Unit, Withheld]]]:
        """What is done, and what is not and why."""
        if not plans:
            return [], []
        before = self.canaries.before()
        done: list[Plan] = []
        withheld: list[tuple[Unit, Withheld]] = []
        seen: list[MemoryRecord] = []
        share, is_full = self.parts.settings.sleep_max_share, False
        for unit, made in plans:
            next_up = [*done, made]
            lost = before.lost(next_up, [*seen, *unit.group])
            is_good = not (lost or unit.unsaid)
            is_full = is_full or (is_good and within_share(next_up, night, share) < len(next_up))
            if is_full or not is_good:
                why = Withheld(beyond_share=is_full, lost=lost, unsaid=unit.unsaid)
                withheld.append((unit, why))
            else:
                done, seen = next_up, [*seen, *unit.group]
        return done, withheld
