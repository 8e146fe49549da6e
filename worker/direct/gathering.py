"""What was derived and lost its ground goes; what follows from several memories is derived from them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import structlog

from schemas.base import Vector
from schemas.memory import MemoryRecord
from schemas.plan import Plan, Usage
from worker.core.groups.setting import Account, PassName
from worker.core.judging.derive import Insight, Material
from worker.core.sleeping.derived import derived, is_new, run_of
from worker.core.sleeping.insights import derived_tonight
from worker.core.sleeping.night import Glance, Slice
from worker.core.sleeping.note import Begun
from worker.core.sleeping.proposing import slice_run_id
from worker.core.sleeping.unfounded import retired
from worker.direct.slices import Decided, Thinking
from worker.thinking import within_budget

log = structlog.get_logger()


def grounded(names: Sequence[PassName], model: str) -> list[PassName]:
    """What was derived is looked after before more is derived; without a model nothing is, and a line says so."""
    found = list(names)
    if "insights" in found and "unfounded" not in found:
        found.insert(found.index("insights"), "unfounded")
    if "insights" in found and model == "rules":
        log.warning("no_insights", reason="the rules derive nothing: set SLOWWAVE_MODEL")
        found.remove("insights")
    return found


def let_go(thinking: Thinking, cut: Slice, _: Begun) -> Decided:
    """Uses up no share: nothing that was said goes."""
    if not cut.records:
        return Decided()
    run = slice_run_id(thinking.scope, thinking.name, [cut.records])
    before = [one.memory for one in cut.records]
    made = Plan(
        run=run,
        kind="sleep",
        scope=thinking.scope,
        turn_ids=(),
        base={memory.id: memory.version for memory in before},
        base_runs={memory.id: memory.last_run for memory in before},
        changes=retired(thinking.setting(run), cut.records),
        planned_at=thinking.now,
        embedder=thinking.parts.embedder.fingerprint,
    )
    return Decided((made,), counts=False)


@dataclass
class Gathering:
    """The insights of one night, slice by slice."""

    #: Insights of one night.
    most: int
    #: So many may still be derived; null before the first slice.
    left: int | None = field(default=None, init=False)

    def decided(self, thinking: Thinking, cut: Slice, _: Begun) -> Decided:
        """Each insight is a run of its own, so that each can be undone by itself; none changes what was said.

        Raises `OverBudget` before anything is asked, and what the parts raise.
        """
        if not cut.groups:
            return Decided()
        left = self._left(thinking)
        groups, beyond = cut.groups[:left], cut.groups[left:]
        parts = thinking.parts
        with within_budget(parts, thinking.scope.key, thinking.tally):
            items = [_material(group) for group in groups]
            answers = parts.model.each(parts.deriving, items, thinking.tally)
        found = [answer for answer in answers if isinstance(answer, tuple)]
        account = thinking.account()
        insights = [one for some in found for one in some]
        plans = self._plans(thinking, cut, insights, account)
        self.left = left - len(plans)
        return Decided(
            plans,
            misjudged=len(answers) - len(found),
            counts=False,
            rest=beyond[0][0].memory.id if beyond else None,
            is_enough=self.left == 0,
        )

    def _left(self, thinking: Thinking) -> int:
        """What was derived before the night was broken off counts as well."""
        if self.left is None:
            live = (one.memory for one in thinking.looks.memories(thinking.scope))
            self.left = max(0, self.most - derived_tonight(map(Glance.of, live), thinking.now))
        return self.left

    def _plans(
        self, thinking: Thinking, cut: Slice, insights: Sequence[Insight], account: Account
    ) -> tuple[Plan, ...]:
        left, plans = self._left(thinking), list[Plan]()
        vectors = thinking.vectors(list(dict.fromkeys(one.text for one in insights)))
        known = [one for group in cut.groups for one in group]
        for insight in insights:
            run, vector = run_of(thinking.scope, insight), vectors[insight.text]
            is_known = thinking.looks.run(thinking.scope, run) is not None
            if len(plans) < left and not is_known and _is_new(thinking, known, vector):
                plans.append(derived(thinking.setting(run), insight, vector, account))
                known += [change.record for change in plans[-1].changes if change.kind == "add"]
                # What the slice has asked is told once.
                account = replace(account, usage=Usage())
        return tuple(plans)


def _is_new(thinking: Thinking, known: Sequence[MemoryRecord], vector: Vector) -> bool:
    return is_new(vector, known, thinking.parts.embedder.same)


def _material(group: Sequence[MemoryRecord]) -> Material:
    memories = [one.memory for one in group]
    return Material(
        memories=tuple(one for one in memories if not one.derived),
        known=tuple(one.text for one in memories if one.derived),
    )
