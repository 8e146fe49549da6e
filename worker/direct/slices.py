"""What every pass thinks with, and what its slices come to."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from schemas.base import Vector
from schemas.memory import MemoryRecord
from schemas.plan import Plan, Usage
from schemas.scope import Scope
from worker.adapters.model import Tally
from worker.core.groups.setting import Account, PassName, Setting
from worker.core.sleeping.note import Begun
from worker.core.sleeping.proposing import proposal_run_id, slice_run_id
from worker.core.sleeping.share import changed_by, joined, within_share
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
    usage: Usage = field(default_factory=Usage)
    #: Whether it uses up the night's share.
    counts: bool = True

    @property
    def changed(self) -> int:
        """Memories that are retired or revised, of the night's share."""
        return sum(map(changed_by, self.done)) if self.counts else 0


@dataclass(frozen=True)
class Unit:
    """Memories that change together or not at all; planned under whatever run carries it out."""

    group: tuple[MemoryRecord, ...]
    planned: Callable[[UUID, Account], Plan]


@dataclass(frozen=True)
class Thinking:
    """What a slice of one pass is thought about with."""

    parts: Parts
    scope: Scope
    now: datetime
    name: PassName

    def setting(self, run: UUID) -> Setting:
        return Setting(run, self.scope, (), self.now, "sleep", policy(self.parts.settings))

    def vectors(self, texts: Sequence[str]) -> dict[str, Vector]:
        """Raises what the embedder raises."""
        if not texts:
            return {}
        return dict(zip(texts, self.parts.embedder.embed(texts), strict=True))

    def account(self, tally: Tally) -> Account:
        prompts = self.parts.model.prompts
        return Account(
            model=self.parts.settings.model,
            prompts={job: prompts.fingerprint(job) for job in tally.calls},
            usage=tally.usage(),
            embedder=self.parts.embedder.fingerprint,
        )

    def allotted(
        self,
        groups: Sequence[Sequence[MemoryRecord]],
        units: Sequence[Unit],
        account: Account,
        night: Begun,
    ) -> tuple[tuple[Plan, ...], tuple[Plan, ...]]:
        """Of a slice of these groups what is done, as one plan, and what is proposed for want of a share."""
        run = slice_run_id(self.scope, self.name, groups)
        plans = [(unit, unit.planned(run, account)) for unit in units]
        plans = [(unit, made) for unit, made in plans if made.changes]
        share = self.parts.settings.sleep_max_share
        allowed = within_share((made for _, made in plans), night, share)
        done = (joined([made for _, made in plans[:allowed]]),) if allowed else ()
        free = replace(account, usage=Usage())
        proposed = tuple(
            unit.planned(
                proposal_run_id(self.scope, self.name, unit.group),
                # What the slice has asked is told once.
                free if at or allowed else account,
            )
            for at, (unit, _) in enumerate(plans[allowed:])
        )
        return done, proposed
