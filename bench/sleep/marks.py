"""What a night has left of what was planted. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from bench.sleep.planting import Said, twin
from schemas.memory import Archive, Memory
from worker.core.groups.guard import lost
from worker.core.texts.words import content_words

#: How the guard tells of a whole clause.
CLAUSE = "all of "


@dataclass(frozen=True)
class Left:
    """A scope after a night: what lives, and whose place each of the others has left to whom."""

    live: Mapping[UUID, Memory]
    replaced_by: Mapping[UUID, UUID | None]

    @classmethod
    def of(cls, live: Iterable[Memory], archives: Iterable[Archive]) -> "Left":
        """The latest snapshot tells what became of one that lives no more."""
        latest = sorted(archives, key=lambda one: one.memory.version)
        return cls(
            {one.id: one for one in live}, {one.memory.id: one.replaced_by for one in latest}
        )

    def heir(self, id: UUID | None) -> Memory | None:
        """What lives of a memory: itself, or what took its place; null where nothing does."""
        seen = set[UUID]()
        while id is not None and id not in self.live and id not in seen:
            seen.add(id)
            id = self.replaced_by.get(id)
        return self.live.get(id) if id is not None else None


@dataclass(frozen=True)
class Marks:
    """Of each kind how many there were, and what became of them."""

    repeats: int
    merged: int
    changes: int
    resolved: int
    pairs: int
    pairs_merged: int
    #: Texts whose content neither lives nor is in the live text that took their place.
    lost: tuple[str, ...]


def marked(planted: Mapping[UUID, Said], left: Left) -> Marks:
    """`planted` has each memory's id and what it said at first."""
    heirs = {id: left.heir(id) for id in planted}
    things = defaultdict[str, list[UUID]](list)
    for id, one in planted.items():
        things[one.thing].append(id)
    repeats = [_merged(ids, heirs) for ids in things.values() if planted[ids[0]].kind == "twice"]
    changes = [_resolved(ids, planted, heirs) for ids in _of(things, planted, "over")]
    pairs = _pairs(planted, heirs)
    return Marks(
        repeats=sum(len(ids) - 1 for ids in _of(things, planted, "twice")),
        merged=sum(repeats),
        changes=len(changes),
        resolved=sum(changes),
        pairs=len(pairs),
        pairs_merged=sum(pairs),
        lost=tuple(
            one.text
            for id, one in planted.items()
            if not one.is_over
            and not _lives(one, [planted[it] for it in things[one.thing]], heirs[id])
        ),
    )


def _of(
    things: Mapping[str, list[UUID]], planted: Mapping[UUID, Said], kind: str
) -> list[list[UUID]]:
    return [ids for ids in things.values() if planted[ids[0]].kind == kind]


def _merged(ids: Sequence[UUID], heirs: Mapping[UUID, Memory | None]) -> int:
    """Of things that say the same, how many fewer live."""
    living = [heir.id for id in ids if (heir := heirs[id]) is not None]
    return len(living) - len(set(living))


def _resolved(
    ids: Sequence[UUID], planted: Mapping[UUID, Said], heirs: Mapping[UUID, Memory | None]
) -> bool:
    """Whether one lives, and it says what was said last."""
    newest = max((planted[id] for id in ids), key=lambda one: one.at)
    living = {heir.id: heir.text for id in ids if (heir := heirs[id]) is not None}
    return len(living) == 1 and content_words(newest.text) <= content_words(*living.values())


def _pairs(planted: Mapping[UUID, Said], heirs: Mapping[UUID, Memory | None]) -> list[bool]:
    """Of each two that only look alike, whether they have become one."""
    together = defaultdict[str, list[UUID]](list)
    for id, one in planted.items():
        if one.kind == "alike":
            together[twin(one)].append(id)
    found = [(heirs[one], heirs[other]) for one, other in together.values()]
    return [one is not None and other is not None and one.id == other.id for one, other in found]


def _lives(one: Said, same: Sequence[Said], heir: Memory | None) -> bool:
    """Whether all that carries meaning is there, in the words of any of those that say the same."""
    there = content_words(heir.text) if heir else frozenset[str]()
    texts = [it.text for it in same if not it.is_over]
    return any(content_words(text) <= there for text in (one.text, *texts))


def drifted(before: Mapping[UUID, Memory], left: Left, touched: Iterable[UUID]) -> list[str]:
    """Texts of memories that nothing has touched and that yet are not what they were, to the byte."""
    touched = set(touched)
    return [
        one.text for id, one in before.items() if id not in touched and left.live.get(id) != one
    ]


def without_detail(before: Mapping[UUID, Memory], left: Left) -> tuple[list[str], list[str]]:
    """By the guard's own reading, what of each memory is not in what lives of it, in words.

    First numbers, dates, names, quotations, identifiers and negations; then clauses of which no word is left.
    """
    found, clauses = list[str](), list[str]()
    for id, one in before.items():
        heir = left.heir(id)
        for it in lost([one], [heir.text] if heir else []):
            (clauses if it.startswith(CLAUSE) else found).append(f"{it} of {one.text!r}")
    return found, clauses
