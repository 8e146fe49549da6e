"""The cap, checked before all other rules: what one turn says may replace only so many memories."""

from collections.abc import Sequence
from uuid import UUID

from schemas.plan import Held
from worker.core.judgment import Candidacy, Group, facts_in
from worker.core.outcome import outcome
from worker.core.setting import Setting


def over_the_cap(
    setting: Setting, candidacy: Candidacy, groups: Sequence[Group]
) -> tuple[Held, ...]:
    """Turns whose facts would replace more memories than one turn may, each with the reason."""
    replaced: dict[UUID, set[str]] = {}
    for group in groups:
        labels = outcome(candidacy, group).replaced
        for fact in facts_in(group.members):
            for turn_id in candidacy.fact(fact).turn_ids:
                replaced.setdefault(turn_id, set()).update(labels)
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
