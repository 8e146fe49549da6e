"""The cap, checked before all other rules: what one turn says may replace only so many memories."""

from collections.abc import Iterable
from uuid import UUID

from schemas.plan import Held
from worker.core.judgment import Candidacy
from worker.core.outcome import Outcome
from worker.core.setting import Setting


def over_the_cap(setting: Setting, outcomes: Iterable[Outcome]) -> tuple[Held, ...]:
    """Turns whose facts would replace more memories than one turn may, each with the reason."""
    replaced: dict[UUID, set[str]] = {}
    for found in outcomes:
        for fact in found.facts:
            for turn_id in fact.the_fact.turn_ids:
                replaced.setdefault(turn_id, set()).update(found.replaced)
    limit = setting.policy.max_replaced_per_turn
    return tuple(
        Held(
            turn_id=turn.id,
            reason=f"would replace {len(replaced[turn.id])} memories; one turn may replace {limit}",
        )
        for turn in setting.turns
        if len(replaced.get(turn.id, ())) > limit
    )


def facts_of(candidacy: Candidacy, turn_ids: set[UUID]) -> frozenset[str]:
    """Facts that cite any of these turns."""
    return frozenset(
        label
        for label in candidacy.fact_labels
        if turn_ids.intersection(candidacy.fact(label).turn_ids)
    )
