"""Judgment without a model: what plainly is the same or replaced is grouped, everything else is new."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import BaseModel

from worker.core.judgment import MAX_GROUP, Candidacy, Group, GroupRelation, Groups
from worker.core.members import member
from worker.core.step import Prompt
from worker.rules.forgetting import is_meant, remains
from worker.rules.likeness import Looked
from worker.rules.verdicts import Verdict, verdict
from worker.rules.weaving import with_before, with_rest

#: Old statements one sentence must end to be looked at before newer sentences.
SEVERAL = 2


@dataclass(frozen=True)
class RuleJudgment:
    """Asks nothing. `same` is the embedder's cosine for one statement in two wordings; it never decides alone."""

    same: float
    max_group: int = MAX_GROUP

    def ask(self, item: Candidacy) -> Sequence[Prompt]:
        return ()

    def read(self, item: Candidacy, replies: Sequence[BaseModel]) -> Groups:
        return _Court(item, self.same, self.max_group).groups()


@dataclass(frozen=True)
class _Related:
    """A statement offered to a fact, and how the newer of the two stands to the older."""

    label: str
    verdict: Verdict
    #: Said after the fact.
    is_later: bool


@dataclass(frozen=True)
class _Court:
    item: Candidacy
    same: float
    max_group: int

    def groups(self) -> Groups:
        groups: list[Group] = []
        used: set[str] = set()
        for label in self._order:
            group = None if label in used else self._group(label, used)
            if group:
                groups.append(group)
                used |= set(group.members)
        new = tuple(label for label in self._facts if label not in used)
        return Groups(groups=tuple(groups), new=new)

    @cached_property
    def _facts(self) -> tuple[str, ...]:
        return tuple(f"f{at + 1}" for at in range(len(self.item.facts)))

    @cached_property
    def _looked(self) -> dict[str, Looked]:
        labels = (*self._facts, *(f"c{at + 1}" for at in range(len(self.item.candidates))))
        return {label: Looked(member(self.item, label).statement) for label in labels}

    @cached_property
    def _order(self) -> list[str]:
        """Requests to forget, then sentences that end several things, then the newest first."""
        return sorted(self._facts, key=self._priority, reverse=True)

    def _priority(self, label: str) -> tuple[object, ...]:
        fact = self.item.fact(label)
        ended = sum(one.verdict.why.startswith("over") for one in self._related(label))
        return fact.kind == "forget", ended if ended >= SEVERAL else 0, fact.said_at, int(label[1:])

    def _offered(self, label: str) -> tuple[str, ...]:
        """What exists of the labels offered to a fact, each once."""
        known = (one for one in self.item.offered[int(label[1:]) - 1] if one in self._looked)
        return tuple(one for one in dict.fromkeys(known) if one != label)

    def _related(self, label: str) -> list[_Related]:
        mine = self._looked[label]
        found = []
        for other in self._offered(label):
            theirs = self._looked[other]
            if "forget" in {mine.statement.kind, theirs.statement.kind}:
                continue
            later = self._age(other) > self._age(label)
            newer, older = (theirs, mine) if later else (mine, theirs)
            if (judged := verdict(newer, older, self._cosine(label, other), self.same)) is not None:
                found.append(_Related(other, judged, later))
        return found

    def _age(self, label: str) -> tuple[object, ...]:
        """As plan() orders members: of those said at one time a fact is newer than a memory."""
        said_at = self._looked[label].statement.said_at
        is_fact = label.startswith("f")
        return said_at, is_fact, int(label[1:]) if is_fact else 0

    def _cosine(self, one: str, other: str) -> float:
        cosines = self.item.cosines
        return cosines.get((one, other), cosines.get((other, one), 0.0))

    def _group(self, label: str, used: set[str]) -> Group | None:
        if self.item.fact(label).kind == "forget":
            return self._forget(label, used)
        related = [one for one in self._related(label) if one.label not in used]
        later = [one for one in related if one.is_later]
        if later:
            return self._late(label, later)
        older = [one for one in related if not one.is_later]
        changed = [one for one in older if one.verdict.relation != "same"]
        if not changed:
            return self._repeat(label, older) if older else None
        members = older[: self.max_group - 1]
        return self._change(label, members if self._says_more(label, members) else changed[:1])

    def _says_more(self, label: str, older: list[_Related]) -> bool:
        known = frozenset[str]().union(*(self._looked[one.label].whole for one in older))
        return bool(self._looked[label].words - known) and any(
            one.verdict.relation != "same" for one in older
        )

    def _forget(self, label: str, used: set[str]) -> Group | None:
        request = self._looked[label]
        meant = [
            other
            for other in self._offered(label)
            if other not in used
            and self._looked[other].statement.kind != "forget"
            and self._age(other) < self._age(label)
            and is_meant(request, self._looked[other])
        ][: self.max_group - 1]
        if not meant:
            return None
        texts = [remains(self._looked[other].statement.text, request) for other in meant]
        left = [text for text, _ in texts if text]
        drops = tuple(dict.fromkeys(piece for _, pieces in texts for piece in pieces))
        return Group(
            why=f"the person asked to forget: {request.statement.text}",
            members=(label, *meant),
            relation="forget",
            drops=drops,
            text="; ".join(left) or None,
        )

    def _late(self, label: str, later: list[_Related]) -> Group | None:
        """What is already known to be newer stands; a late detail that it lacks is kept by adding it."""
        one = next((one for one in later if one.label.startswith("c")), None)
        if one is None:
            return None
        mine, theirs = self._looked[label], self._looked[one.label]
        if one.verdict.keeps == "within":
            known = mine.core <= theirs.core
            return self._named((label, one.label), "same", one.verdict.why) if known else None
        if one.verdict.keeps == "also":
            return None
        return Group(
            why=f"said earlier than what is known; {one.verdict.why}",
            members=(label, one.label),
            relation=one.verdict.relation,
            drops=(mine.statement.text,),
        )

    def _repeat(self, label: str, older: list[_Related]) -> Group | None:
        """One memory is confirmed; near copies of it are left to sleep."""
        mine = self._looked[label]
        memory = next((one for one in older if one.label.startswith("c")), None)
        twins = [one for one in older if one.label.startswith("f")]
        if memory:
            known = self._looked[memory.label].core | mine.core
            twins = [one for one in twins if self._looked[one.label].core <= known]
            return self._named(
                (label, memory.label, *_labels(twins))[: self.max_group], "same", memory.verdict.why
            )
        twins = twins[: self.max_group - 1]
        richest = max((label, *_labels(twins)), key=lambda one: len(self._looked[one].core))
        held = all(self._looked[one].core <= self._looked[richest].core for one in _labels(twins))
        if not held:
            return None
        text = self._looked[richest].statement.text if richest != label else None
        return Group(
            why=twins[0].verdict.why, members=(label, *_labels(twins)), relation="same", text=text
        )

    def _change(self, label: str, older: list[_Related]) -> Group:
        mine = self._looked[label].statement
        relations = {one.verdict.relation for one in older}
        relation: GroupRelation = "contradict" if "contradict" in relations else "update"
        changed = [one for one in older if one.verdict.relation != "same"]
        text, drops = self._woven(label, older)
        after = None
        if mine.until:
            stood = self._looked[changed[0].label].statement
            after = stood.after or stood.text
        return Group(
            why="; ".join(dict.fromkeys(one.verdict.why for one in changed)),
            members=(label, *_labels(older)),
            relation=relation,
            drops=drops,
            text=None if text == mine.text else text,
            after=after,
        )

    def _woven(self, label: str, older: list[_Related]) -> tuple[str, tuple[str, ...]]:
        """The newest words with all that the older ones say beyond them."""
        mine = self._looked[label]
        texts: dict[str, list[str]] = {"before": [], "also": []}
        for one in older:
            theirs = self._looked[one.label]
            if one.verdict.keeps == "before":
                texts["before"].append(theirs.statement.text)
            elif not theirs.whole <= mine.whole and theirs.core - mine.core:
                texts["also"].append(theirs.statement.text)
        newest = mine.statement.text
        if mine.statement.until:
            return with_rest(
                with_rest(newest, texts["before"], "otherwise"), texts["also"], "also"
            ), ()
        text, drops = with_before(newest, texts["before"])
        return with_rest(text, texts["also"], "also"), drops

    def _named(self, members: tuple[str, ...], relation: GroupRelation, why: str) -> Group:
        return Group(why=why, members=members, relation=relation)


def _labels(related: Iterable[_Related]) -> tuple[str, ...]:
    return tuple(one.label for one in related)
