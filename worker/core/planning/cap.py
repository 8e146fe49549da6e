"""Turns that go aside before anything is settled: those over the cap, and wishes to forget that found no judgment."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from uuid import UUID

from schemas.plan import Held
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.groups.merging import union
from worker.core.groups.outcome import Outcome
from worker.core.groups.setting import Setting

Settled = Sequence[tuple[Group, Outcome]]

MISJUDGED = "it was judged together with what was not offered to it"
SHARED = "a turn it was judged with is held for review"


def unheard(candidacy: Candidacy, settled: Settled, groups: Groups) -> dict[str, str]:
    """What a person asks to forget and nothing comes of, though not because nothing was meant: label → why."""
    grouped = {one for group, _ in settled for one in group.members}
    misjudged = {one for group in groups.groups for one in group.members}
    why = dict.fromkeys(misjudged - grouped, MISJUDGED)
    why |= {one: reason for one, reason in groups.flagged.items() if one not in grouped}
    for group, found in settled:
        why |= {one.label: found.flag or group.why for one in found.beside}
    return {label: why[label] for label in _wishes(candidacy) if label in why}


def held(
    setting: Setting, candidacy: Candidacy, settled: Settled, failed: Mapping[str, str]
) -> tuple[Held, ...]:
    """Each turn that goes aside, with the reasons. A wish to forget goes with the turns that it was judged with."""
    why = dict(_over_the_cap(setting, settled))
    for label, reason in failed.items():
        _add(why, candidacy, label, f"what it asks to forget still stands: {reason}")
    while tied := _tied(candidacy, settled, facts_of(candidacy, why.keys())):
        _add(why, candidacy, tied, SHARED)
    return tuple(
        Held(turn_id=turn.id, reason="; ".join(why[turn.id]))
        for turn in setting.turns
        if turn.id in why
    )


def facts_of(candidacy: Candidacy, turn_ids: AbstractSet[UUID]) -> frozenset[str]:
    """Facts that cite any of these turns."""
    return frozenset(
        label
        for label in candidacy.fact_labels
        if not turn_ids.isdisjoint(candidacy.fact(label).turn_ids)
    )


def _over_the_cap(setting: Setting, settled: Settled) -> Iterator[tuple[UUID, tuple[str, ...]]]:
    """What one turn says may replace only so many memories."""
    replaced: dict[UUID, set[str]] = {}
    for _, found in settled:
        for fact in found.facts:
            for turn_id in fact.the_fact.turn_ids:
                replaced.setdefault(turn_id, set()).update(found.replaced)
    limit = setting.policy.max_replaced_per_turn
    for turn_id, labels in replaced.items():
        if len(labels) > limit:
            yield turn_id, (f"would replace {len(labels)} memories; one turn may replace {limit}",)


def _add(why: dict[UUID, tuple[str, ...]], candidacy: Candidacy, label: str, reason: str) -> None:
    for turn_id in candidacy.fact(label).turn_ids:
        why[turn_id] = union(why.get(turn_id, ()), [reason])


def _tied(candidacy: Candidacy, settled: Settled, shut_out: frozenset[str]) -> str | None:
    """A wish to forget that is in one group with what is held, and is not held itself."""
    groups = (group for group, _ in settled if not shut_out.isdisjoint(group.members))
    tied = {one for group in groups for one in group.members} - shut_out
    return next((label for label in _wishes(candidacy) if label in tied), None)


def _wishes(candidacy: Candidacy) -> Iterator[str]:
    """What a person asks to forget."""
    for label in candidacy.fact_labels:
        fact = candidacy.fact(label)
        if fact.kind == "forget" and fact.authority == "user":
            yield label
