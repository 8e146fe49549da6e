"""The cap, checked before all other rules: what one turn says may replace only so many memories."""

from collections.abc import Sequence
from uuid import UUID

from schemas.plan import Held
from worker.core.judgment import Candidacy, Group
from worker.core.members import members_newest_first
from worker.core.setting import Setting


def over_the_cap(
    setting: Setting, candidacy: Candidacy, groups: Sequence[Group]
) -> tuple[Held, ...]:
    """Turns whose facts would replace more memories than one turn may, each with the reason."""
    replaced: dict[UUID, set[str]] = {}
    for group in groups:
        for label in group.members:
            if label.startswith("f"):
                for turn_id in candidacy.fact(label).turn_ids:
                    replaced.setdefault(turn_id, set()).update(_proposed(candidacy, group))
    limit = setting.policy.max_replaced_per_turn
    return tuple(
        Held(
            turn_id=turn.id,
            reason=f"would replace {len(replaced[turn.id])} memories; one turn may replace {limit}",
        )
        for turn in setting.turns
        if len(replaced.get(turn.id, ())) > limit
    )


def _proposed(candidacy: Candidacy, group: Group) -> list[str]:
    """Candidates that the group would retire, or revise other than as the same."""
    order = members_newest_first(candidacy, group)
    memories = [member.label for member in order if member.record]
    if group.relation == "same":
        return memories[1:]
    return [label for label in memories if label != order[0].label]


def facts_of(candidacy: Candidacy, turn_ids: set[UUID]) -> frozenset[str]:
    """Facts that cite any of these turns."""
    return frozenset(
        f"f{at}"
        for at, fact in enumerate(candidacy.facts, start=1)
        if turn_ids & set(fact.turn_ids)
    )
