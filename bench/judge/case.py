"""An item as facts and memories, and what a plan makes of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import combinations
from typing import Any
from uuid import UUID, uuid5

from bench.judge.heard import Two
from bench.judge.items import Item, Said, statement
from bench.judge.marks import WAITS, Judged
from schemas.memory import Fact, Memory
from schemas.plan import Add, Change, Confirm, File, Plan, Retire, Revise
from schemas.scope import Scope
from schemas.turn import Turn
from worker.core.groups.judgment import Candidacy, facts_in, is_fact, memories_in
from worker.core.groups.saying import says
from worker.core.texts.identifiers import identifiers

SPACE = UUID(int=17)
SCOPE = Scope(app="bench", user="judge")
#: Between what was said last and the batch.
LATER = timedelta(minutes=1)


@dataclass(frozen=True)
class Case:
    """Every fact has a turn of its own, by which it is known in plans."""

    item: Item

    def id(self, label: str) -> UUID:
        """Of a fact's turn or of a memory."""
        return uuid5(SPACE, f"{self.item.id} {label}")

    @property
    def now(self) -> datetime:
        return max(one.said_at for one in self.item.said.values()) + LATER

    @cached_property
    def labels(self) -> dict[UUID, str]:
        return {self.id(label): label for label in self.item.said}

    @property
    def facts(self) -> tuple[Fact, ...]:
        said = self.item.said
        return tuple(
            Fact(**_fields(said[label]), turn_ids=(self.id(label),)) for label in facts_in(said)
        )

    @property
    def memories(self) -> tuple[Memory, ...]:
        said = self.item.said
        return tuple(self._memory(label, said[label]) for label in memories_in(said))

    def _memory(self, label: str, said: Said) -> Memory:
        return Memory(
            **_fields(said),
            id=self.id(label),
            scope=SCOPE,
            version=1,
            turn_ids=(self.id(f"turn of {label}"),),
            created_at=said.said_at,
            updated_at=said.said_at,
            last_confirmed_at=said.said_at,
            last_run=self.id("earlier run"),
        )

    @property
    def turns(self) -> tuple[Turn, ...]:
        return tuple(
            Turn(
                id=self.id(label),
                scope=SCOPE,
                conversation="bench",
                role="user",
                text=self.item.said[label].text,
                said_at=self.item.said[label].said_at,
                received_at=self.now,
            )
            for label in facts_in(self.item.said)
        )

    def live(self, made: Plan | None) -> list[str]:
        """Statements that stand once a plan is carried out; without one nothing has changed."""
        stand = {memory.id: memory for memory in self.memories}
        for change in made.changes if made else ():
            match change:
                case Add() | Confirm() | Revise():
                    stand[change.record.memory.id] = change.record.memory
                case Retire():
                    stand.pop(change.archive.archive.memory.id, None)
                case _:
                    pass
        return [statement(one.text, one.after, one.happened_at) for one in stand.values()]

    def judged(
        self, put: Candidacy, said: Mapping[Two, str], made: Plan | None
    ) -> Iterator[Judged]:
        """Each fact with each memory, and with each other fact."""
        right = {
            frozenset(pair): group
            for group in self.item.groups
            for pair in combinations(group.members, 2)
        }
        stored = self._stored(made)
        offers = self._offers(put)
        held = (
            {one.turn_id for one in made.held}
            if made
            else set(map(self.id, facts_in(self.item.said)))
        )
        for one, other in combinations(self.item.said, 2):
            if not is_fact(one):
                continue
            both, two = frozenset((one, other)), Two((self.id(one), self.id(other)))
            yield Judged(
                pair=(one, other),
                right=right[both].relation if both in right else "new",
                said=said.get(two, "new"),
                stored=stored.get(both, WAITS if two & held else "new"),
                is_offered=both in offers,
                only_adds=both in right and right[both].only_adds,
            )

    def _offers(self, put: Candidacy) -> set[frozenset[str]]:
        known = [self.labels[one.memory.id] for one in put.candidates]
        names = dict(zip(put.memory_labels, known, strict=True))
        return {
            frozenset((fact, names.get(one, one)))
            for fact, offered in zip(put.fact_labels, put.offered, strict=True)
            for one in offered
        }

    def _stored(self, made: Plan | None) -> dict[frozenset[str], str]:
        """Relation of each two that a plan has brought together."""
        found: dict[frozenset[str], str] = {}
        born = dict[UUID, str]()
        for change in made.changes if made else ():
            if isinstance(change, Add):
                born[change.record.memory.id] = self.labels[change.record.memory.turn_ids[0]]
        for change in made.changes if made else ():
            about = self._about(change, born)
            facts = [self.labels[id] for id in change.turn_ids]
            for pair in combinations(dict.fromkeys((*facts, about)), 2):
                found.setdefault(frozenset(pair), _relation(change))
        return found

    def _about(self, change: Change, born: Mapping[UUID, str]) -> str:
        """Label of the memory that a change is about, or of the fact that became it."""
        match change:
            case Retire():
                return self.labels[change.archive.archive.memory.id]
            case File():
                by = change.archive.archive.replaced_by
                return self._label(by, born) if by else self.labels[change.turn_ids[0]]
            case _:
                return self._label(change.record.memory.id, born)

    def _label(self, id: UUID, born: Mapping[UUID, str]) -> str:
        return born.get(id) or self.labels[id]


def _relation(change: Change) -> str:
    """Facts that are stored as one were the same. What gave way to other words was replaced, however it is called."""
    match change:
        case Add():
            return "same"
        case Revise(relation="same") if _gave_way(change):
            return "update"
        case _:
            return change.relation


def _gave_way(change: Revise) -> bool:
    old, new = change.archive.archive.memory, change.record.memory
    return not says(new.text, old.text, old.subject)


def _fields(said: Said) -> dict[str, Any]:
    return {
        **said.model_dump(),
        "said_by": said.subject,
        "identifiers": identifiers(said.text),
    }
