"""One finding from the findings of several calls."""

from collections.abc import Iterable, Sequence
from itertools import chain

from worker.core.groups.judgment import (
    Candidacy,
    Group,
    GroupRelation,
    Groups,
    facts_in,
    most_members,
)
from worker.core.groups.members import centre, is_sound, member
from worker.core.groups.merging import union
from worker.core.judging.part import relabelled
from worker.core.judging.pieces import Piece

FAILED = "its judgment failed"
TAKEN = "another fact of the batch already changes the same memory"

#: Of mixed verdicts about one thing, the first stands.
STRONGEST: tuple[GroupRelation, ...] = ("forget", "contradict", "update", "same")


def gathered(
    candidacy: Candidacy, found: Iterable[tuple[Piece, Groups | str]], max_group: int
) -> Groups:
    """One finding about the whole; a text in place of a finding says why its judgment failed.

    Groups that claim one member are joined where all of them was offered to the newest fact; else the later fact
    is new and flagged, as is one whose judgment failed. A request to forget comes before anything else that claims a
    member, and takes in what was said before it.
    """
    groups: list[Group] = []
    flagged: dict[str, str] = {}
    for piece, finding in found:
        if isinstance(finding, str):
            flagged |= dict.fromkeys(piece.facts, f"{FAILED}: {finding}")
        else:
            back = relabelled(finding, piece.cut[1])
            groups += back.groups
            flagged |= back.flagged
    kept, turned_away = _joined(candidacy, groups, max_group)
    flagged |= dict.fromkeys(turned_away, TAKEN)
    return _completed(candidacy, kept, flagged)


def without(candidacy: Candidacy, groups: Groups, failed: dict[Group, str]) -> Groups:
    """The finding without groups whose words could not be found: their facts are new and flagged."""
    kept = [group for group in groups.groups if group not in failed]
    why = {fact: f"{FAILED}: {failed[one]}" for one in failed for fact in facts_in(one.members)}
    return _completed(candidacy, kept, groups.flagged | why)


def _completed(candidacy: Candidacy, groups: Sequence[Group], flagged: dict[str, str]) -> Groups:
    """Every fact that is in no group is new."""
    grouped = set(chain.from_iterable(group.members for group in groups))
    new = tuple(fact for fact in candidacy.fact_labels if fact not in grouped)
    kept = {fact: why for fact, why in flagged.items() if fact in new}
    return Groups(groups=tuple(groups), new=new, flagged=kept)


def _joined(
    candidacy: Candidacy, groups: Iterable[Group], max_group: int
) -> tuple[list[Group], list[str]]:
    """Groups that share no member, and the facts that found no place in them."""
    kept: list[Group] = []
    turned_away: list[str] = []
    for group in sorted(groups, key=lambda group: _turn(candidacy, group)):
        rivals = [one for one in kept if not set(one.members).isdisjoint(group.members)]
        both = _union([*rivals, group])
        if not rivals or _may_join(candidacy, both, [*rivals, group], max_group):
            kept = [one for one in kept if one not in rivals] + [both]
        else:
            taken = set(chain.from_iterable(one.members for one in rivals))
            turned_away += [fact for fact in facts_in(group.members) if fact not in taken]
    return kept, turned_away


def _turn(candidacy: Candidacy, group: Group) -> tuple[bool, object, int]:
    newest = member(candidacy, centre(candidacy, group.members))
    return group.relation != "forget", newest.statement.said_at, newest.ordinal


def _may_join(candidacy: Candidacy, both: Group, groups: Sequence[Group], max_group: int) -> bool:
    most = most_members(max_group, forgets=both.relation == "forget")
    if len(both.members) > most or not is_sound(candidacy, both.members):
        return False
    mixed = len({group.relation == "forget" for group in groups}) > 1
    return not mixed or member(candidacy, centre(candidacy, both.members)).is_request


def _union(groups: Sequence[Group]) -> Group:
    """All members, under the strongest verdict; which words stand is to be asked anew."""
    if len(groups) == 1:
        return groups[0]
    relations = {group.relation for group in groups}
    return Group(
        why="; ".join(dict.fromkeys(group.why for group in groups)),
        members=union(*(group.members for group in groups)),
        relation=next(one for one in STRONGEST if one in relations),
        written=False,
    )
