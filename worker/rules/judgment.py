"""Judgment without a model: what plainly is the same or replaced is grouped, everything else is new."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from pydantic import BaseModel

from worker.core.current import stands_again
from worker.core.groups.judgment import (
    MAX_GROUP,
    Candidacy,
    Group,
    GroupRelation,
    Groups,
    facts_in,
    is_fact,
    ordinal,
)
from worker.core.groups.setting import Resolver
from worker.core.judging.group_rules import complaints
from worker.core.step import Prompt
from worker.rules.forgetting import is_meant, left_to_stand, remains
from worker.rules.likeness import LIGHT, Looked
from worker.rules.verdicts import Verdict, verdict
from worker.rules.weaving import LONGEST, with_before, with_rest

#: Old statements one sentence must end to be looked at before newer sentences.
SEVERAL = 2


@dataclass(frozen=True)
class RuleJudgment:
    """Asks nothing. `same` is the embedder's cosine for one statement in two wordings; it never decides alone."""

    same: float
    max_group: int = MAX_GROUP
    resolver: Resolver = "rewrite"

    def ask(self, item: Candidacy) -> Sequence[Prompt]:
        return ()

    def read(self, item: Candidacy, replies: Sequence[BaseModel]) -> Groups:
        court = _Court(item, self.same, self.max_group)
        groups = tuple(group for group in court.groups() if self._is_sound(item, group))
        grouped = {one for group in groups for one in group.members}
        return Groups(groups=groups, new=tuple(f for f in court.facts if f not in grouped))

    def _is_sound(self, item: Candidacy, group: Group) -> bool:
        """Whether a model's judge might have found it; what breaks a rule is no finding, and its facts are new."""
        new = tuple(label for label in item.fact_labels if label not in group.members)
        found = Groups(groups=(group,), new=new)
        return not complaints(item, found, self.max_group, self.resolver)


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

    def groups(self) -> list[Group]:
        """Groups that share no member."""
        groups: list[Group] = []
        used: set[str] = set()
        for label in self._order:
            group = None if label in used else self._group(label, used)
            if group:
                groups.append(group)
                used |= set(group.members)
        return groups

    @cached_property
    def facts(self) -> tuple[str, ...]:
        return self.item.fact_labels

    @cached_property
    def _looked(self) -> dict[str, Looked]:
        labels = (*self.facts, *self.item.memory_labels)
        return {label: Looked(self.item.shown(label)) for label in labels}

    @cached_property
    def _order(self) -> list[str]:
        """Requests to forget, then sentences that end several things, then the newest first."""
        return sorted(self.facts, key=self._priority, reverse=True)

    def _priority(self, label: str) -> tuple[object, ...]:
        fact = self.item.fact(label)
        ended = sum(one.verdict.why.startswith("over") for one in self._relations[label])
        return fact.kind == "forget", ended if ended >= SEVERAL else 0, fact.said_at, ordinal(label)

    def _offered(self, label: str) -> tuple[str, ...]:
        """What exists of the labels offered to a fact, each once."""
        known = (one for one in self.item.offered_to(label) if one in self._looked)
        return tuple(one for one in dict.fromkeys(known) if one != label)

    @cached_property
    def _relations(self) -> dict[str, list[_Related]]:
        return {label: self._related(label) for label in self.facts}

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
        return said_at, is_fact(label), ordinal(label) if is_fact(label) else 0

    def _cosine(self, one: str, other: str) -> float:
        cosines = self.item.cosines
        return cosines.get((one, other), cosines.get((other, one), 0.0))

    def _group(self, label: str, used: set[str]) -> Group | None:
        if self.item.fact(label).kind == "forget":
            return self._forget(label, used)
        related = [one for one in self._relations[label] if one.label not in used]
        later = [one for one in related if one.is_later]
        if later:
            return self._late(label, later, used)
        changed = [one for one in related if one.verdict.relation != "same"]
        if not changed:
            return self._repeat(label, related) if related else None
        members = related[: self.max_group - 1]
        if self._fit(label, members):
            return self._change(label, members)
        return self._change(label, changed[:1]) if self._fit(label, changed[:1]) else None

    def _fit(self, label: str, older: list[_Related]) -> bool:
        """Whether together they are changed by the fact, it says more than they do, and one text can hold it all."""
        mine = self._looked[label]
        changed = [one for one in older if one.verdict.relation != "same"]
        known = frozenset[str]().union(*(self._looked[one.label].words for one in changed))
        kept = [one.label for one in older if len(older) > 1 or one.verdict.keeps == "also"]
        length = sum(len(self._looked[one].statement.text) for one in kept)
        return bool(changed and mine.words - known) and length <= LONGEST

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
        statements = [self._looked[other].statement for other in meant]
        texts = [remains(one.text, request) for one in statements]
        again = [left_to_stand(one, request) for one in statements]
        left = "; ".join(text for text, _ in texts if text) or None
        later = "; ".join(text for text, _ in again if text) or None
        drops = tuple(dict.fromkeys(piece for _, pieces in (*texts, *again) for piece in pieces))
        return Group(
            why="the person asked to forget it",
            members=(label, *meant),
            relation="forget",
            drops=drops,
            text=left or later,
            after=later if left else None,
        )

    def _late(self, label: str, later: list[_Related], used: set[str]) -> Group | None:
        """What is already known to be newer stands; a late detail that it lacks is kept by adding it.

        What else of the batch was said before it joins: a memory has one group, and who found no place would be new.
        """
        one = next((one for one in later if not is_fact(one.label)), None)
        if one is None or not self._is_history(label, one):
            return None
        others = (other for other in facts_in(self._offered(label)) if other not in used)
        late = {label: one, **dict(self._as_late(others, one.label))}
        late = dict(list(late.items())[: self.max_group - 1])
        relations = {it.verdict.relation for it in late.values() if it.verdict.keeps != "within"}
        why = "; ".join(dict.fromkeys(it.verdict.why for it in late.values()))
        if not relations:
            return Group(why=why, members=(label, one.label, *list(late)[1:]), relation="same")
        return Group(
            why=f"said earlier than what is known; {why}",
            members=(label, one.label, *list(late)[1:]),
            relation="contradict" if "contradict" in relations else "update",
            drops=tuple(self._looked[it].statement.text for it in late),
        )

    def _as_late(self, facts: Iterable[str], memory: str) -> Iterator[tuple[str, _Related]]:
        """Those that were said before the memory as well, and how each stands to it."""
        for label in facts:
            found = next((one for one in self._relations[label] if one.label == memory), None)
            if found and found.is_later and self._is_history(label, found):
                yield label, found

    def _is_history(self, label: str, later: _Related) -> bool:
        """Whether all that it says is in what was said later, or has made way for it."""
        if later.verdict.keeps == "within":
            return self._looked[label].core <= self._looked[later.label].core
        return later.verdict.keeps == "before"

    def _repeat(self, label: str, older: list[_Related]) -> Group | None:
        """One memory is confirmed; near copies of it are left to sleep."""
        memory = next((one for one in older if not is_fact(one.label)), None)
        twins = list(facts_in(_labels(older)))
        core = {one: self._looked[one].core for one in (label, *twins)}
        if memory:
            known = self._looked[memory.label].core
            twins = [one for one in twins if core[one] <= known]
            members = (label, memory.label, *twins)[: self.max_group]
            return Group(why=memory.verdict.why, members=members, relation="same")
        richest = max((label, *twins), key=lambda one: len(core[one]))
        twins = [one for one in twins if core[one] <= core[richest]][: self.max_group - 1]
        if not twins or (richest != label and richest not in twins):
            return None
        text = None if richest == label else self._looked[richest].statement.text
        return Group(why=older[0].verdict.why, members=(label, *twins), relation="same", text=text)

    def _change(self, label: str, older: list[_Related]) -> Group:
        mine = self._looked[label].statement
        relations = {one.verdict.relation for one in older}
        relation: GroupRelation = "contradict" if "contradict" in relations else "update"
        changed = [one for one in older if one.verdict.relation != "same"]
        text, drops = self._woven(label, older)
        after = None
        if mine.until:
            after = stands_again(self._looked[changed[0].label].statement)
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
        for one in self._telling(label, older):
            keeps = "before" if one.verdict.keeps == "before" else "also"
            texts[keeps].append(self._looked[one.label].statement.text)
        newest = mine.statement.text
        if not mine.statement.until:
            text, drops = with_before(newest, texts["before"])
            return with_rest(text, texts["also"], "also"), drops
        text = with_rest(newest, texts["before"], "otherwise")
        return with_rest(text, texts["also"], "also"), ()

    def _telling(self, label: str, older: list[_Related]) -> list[_Related]:
        """Those that say something beyond the newest and beyond one another; of two alike the richer."""
        said = self._looked[label].whole | LIGHT
        found: list[_Related] = []
        for one in sorted(older, key=lambda one: len(self._looked[one.label].core), reverse=True):
            theirs = self._looked[one.label]
            if not theirs.whole <= said or (one.verdict.keeps == "before" and not found):
                found.append(one)
                said |= theirs.whole
        return [one for one in older if one in found]


def _labels(related: Iterable[_Related]) -> tuple[str, ...]:
    return tuple(one.label for one in related)
