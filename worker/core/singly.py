"""Fact by fact: what becomes of a batch whose judge keeps answering badly."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from worker.core.judgment import Candidacy, Group, Groups
from worker.core.part import part, relabelled

FAILED = "its judgment failed"
TAKEN = "another fact of the batch already changes the same memory"


@dataclass(frozen=True)
class Single:
    """One fact with its memories, under labels of its own."""

    candidacy: Candidacy
    #: Label in the part → label in the whole.
    labels: Mapping[str, str]


def singly(candidacy: Candidacy) -> list[Single]:
    """Each fact with the memories it was offered, to be judged by itself."""
    return [Single(*part(candidacy, [fact])) for fact in candidacy.fact_labels]


def gathered(singles: Sequence[Single], findings: Sequence[Groups | str]) -> Groups:
    """One finding from those of single facts; a text in place of one says why the judge failed.

    A fact whose judgment failed, or which claims a memory that an earlier one claims, is new and flagged.
    """
    groups: list[Group] = []
    new: list[str] = []
    flagged: dict[str, str] = {}
    for single, finding in zip(singles, findings, strict=True):
        fact = single.labels["f1"]
        if isinstance(finding, str):
            flagged[fact] = f"{FAILED}: {finding}"
            new.append(fact)
            continue
        back = relabelled(finding, single.labels)
        claimed = {one for group in groups for one in group.members}
        if any(claimed & set(group.members) for group in back.groups):
            flagged[fact] = TAKEN
            new.append(fact)
        else:
            groups += back.groups
            new += back.new
    return Groups(groups=tuple(groups), new=tuple(new), flagged=flagged)
