"""LoCoMo as memories and labelled questions: which turns hold the evidence for each. Pure.

The memories are what the data set's own annotators observed, each with the turns that it was observed in, so that what
is measured is finding and not extraction.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any

from schemas.ids import uuid_of
from schemas.memory import Memory, MemoryRecord
from schemas.scope import Scope
from worker.core.evaluating.locomo import CATEGORIES, WHEN
from worker.core.ports import Embedder
from worker.core.texts.identifiers import identifiers

#: A turn, as the data names it; some fields name several in one string.
TURN = re.compile(r"D\d+:\d+")


@dataclass(frozen=True)
class Observed:
    """One statement, and the turns that it was observed in."""

    text: str
    subject: str
    at: datetime
    turns: tuple[str, ...]


@dataclass(frozen=True)
class Asked:
    """A question, and the turns that hold its answer."""

    text: str
    category: str
    evidence: frozenset[str]


@dataclass(frozen=True)
class Talk:
    """One conversation."""

    name: str
    observed: tuple[Observed, ...]
    #: Those of which some memory has evidence.
    asked: tuple[Asked, ...]
    #: Those for which nothing was observed: no recall can find what is not there.
    unobserved: int


def talks(data: Iterable[dict[str, Any]]) -> list[Talk]:
    return [_talk(sample) for sample in data]


def _talk(sample: dict[str, Any]) -> Talk:
    observed = tuple(_observed(sample))
    there = {turn for one in observed for turn in one.turns}
    asked = [
        Asked(one["question"], CATEGORIES[one["category"]], frozenset(_turns(one["evidence"])))
        for one in sample["qa"]
    ]
    found = tuple(one for one in asked if one.evidence & there)
    return Talk(sample["sample_id"], observed, found, len(asked) - len(found))


def _observed(sample: dict[str, Any]) -> Iterator[Observed]:
    for n in count(1):
        found = sample["observation"].get(f"session_{n}_observation")
        if found is None:
            return
        began = sample["conversation"][f"session_{n}_date_time"]
        at = datetime.strptime(began, WHEN).replace(tzinfo=UTC)
        for who, told in found.items():
            for text, turns in told:
                yield Observed(text, who, at, tuple(_turns(turns)) or (f"{n} {text}",))


def _turns(named: str | Sequence[str]) -> list[str]:
    return TURN.findall(named if isinstance(named, str) else " ".join(named))


def records(
    scope: Scope, observed: Sequence[Observed], embedder: Embedder, *, linked: bool = False
) -> list[MemoryRecord]:
    """One for each; `linked`: each beside the others that were observed in a turn of its own."""
    vectors = embedder.embed([one.text for one in observed])
    beside = _beside(observed) if linked else {}
    return [
        MemoryRecord(memory=_memory(scope, observed, at, beside.get(at, ())), vector=vector)
        for at, vector in enumerate(vectors)
    ]


def _beside(observed: Sequence[Observed]) -> dict[int, tuple[int, ...]]:
    of_turn = defaultdict[str, set[int]](set)
    for at, one in enumerate(observed):
        for turn in one.turns:
            of_turn[turn].add(at)
    return {
        at: tuple(sorted(set[int]().union(*(of_turn[turn] for turn in one.turns)) - {at}))
        for at, one in enumerate(observed)
    }


def _memory(scope: Scope, observed: Sequence[Observed], at: int, beside: Iterable[int]) -> Memory:
    one = observed[at]
    turns = tuple(uuid_of("turn", scope.key, turn) for turn in one.turns)
    return Memory(
        id=_id(scope, at),
        scope=scope,
        version=1,
        text=one.text,
        subject=one.subject,
        said_by=one.subject,
        identifiers=tuple(identifiers(one.text)),
        turn_ids=turns,
        last_run=uuid_of("run", scope.key),
        links=tuple(_id(scope, other) for other in beside),
        **dict.fromkeys(("said_at", "created_at", "updated_at", "last_confirmed_at"), one.at),
    )


def _id(scope: Scope, at: int) -> Any:
    return uuid_of("bench of retrieval", scope.key, at)


def evidence(scope: Scope, asked: Asked) -> frozenset[Any]:
    """The ids of the turns."""
    return frozenset(uuid_of("turn", scope.key, turn) for turn in asked.evidence)
