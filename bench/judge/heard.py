"""What a judge said first, before anything was refused, asked again or kept from the store."""

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import get_args
from uuid import UUID

from pydantic import BaseModel

from worker.core.groups.judgment import Candidacy, GroupRelation, Groups, is_fact
from worker.core.groups.members import asks_about
from worker.core.judging.judge_reply import JudgeReply, known_label
from worker.core.judging.pair_judge import PairReply
from worker.core.step import BadReply, Prompt, Step

#: Two statements, by the turn of a fact and the id of a memory.
Two = frozenset[UUID]


@dataclass
class Listener:
    """A step that answers as the one it stands before, and keeps the first verdict about each fact."""

    step: Step[Candidacy, Groups]
    said: dict[Two, str] = field(default_factory=dict)
    #: Facts that were judged.
    heard: set[UUID] = field(default_factory=set)
    #: Replies that were read and broke a rule.
    refused: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, item: Candidacy) -> Sequence[Prompt]:
        return self.step.ask(item)

    def read(self, item: Candidacy, replies: Sequence[BaseModel]) -> Groups:
        if replies:
            self.keep(item, verdicts(item, replies))
        try:
            found = self.step.read(item, replies)
        except BadReply:
            with self.lock:
                self.refused += 1
            raise
        if not replies:
            self.keep(item, of_groups(found))
        return found

    def keep(self, item: Candidacy, found: Iterator[tuple[str, Sequence[str]]]) -> None:
        """What is said of facts of which nothing was heard yet. From several threads."""
        with self.lock:
            fresh = {one for one in item.asked_labels if name(item, one) not in self.heard}
            for relation, labels in found:
                for one in fresh.intersection(labels):
                    for other in set(labels) - {one}:
                        self.said[Two((name(item, one), name(item, other)))] = relation
            self.heard |= {name(item, one) for one in fresh}


def name(case: Candidacy, label: str) -> UUID:
    """What stays the same in whatever piece of a case it is asked about."""
    return case.fact(label).turn_ids[0] if is_fact(label) else case.candidate(label).memory.id


def verdicts(
    case: Candidacy, replies: Sequence[BaseModel]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Relation and members, as the replies have them; labels and relations that there are not are left out."""
    pairs = iter(_asked(case))
    for reply in replies:
        if isinstance(reply, PairReply):
            pair = next(pairs)
            if reply.relation != "separate":
                yield reply.relation, pair
        elif isinstance(reply, JudgeReply):
            known = {*case.fact_labels, *case.memory_labels}
            for group in reply.groups:
                spelled = [one for one in group.members if not one.isdigit()]
                members = [known_label(one, case, spelled) for one in group.members]
                if group.relation in get_args(GroupRelation):
                    yield group.relation, tuple(one for one in members if one in known)


def _asked(case: Candidacy) -> list[tuple[str, str]]:
    """The pairs in the order in which they are put to a judge of pairs."""
    return [
        (fact, other)
        for fact in case.asked_labels
        for other in case.offered_to(fact)
        if not is_fact(other) or asks_about(case, fact, other)
    ]


def of_groups(found: Groups) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Relation and members."""
    return ((group.relation, group.members) for group in found.groups)
