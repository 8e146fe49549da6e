"""Questions that must find after a plan what they found before it, or what took its place.

In a small scope everything is found, so a place in a ranking proves nothing. A memory counts as found by a question
if it is among the nearest and not surely about something else; what takes its place has to answer the question as
well, in the question's words or by being as near to it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from schemas.base import Vector
from schemas.memory import MemoryRecord
from schemas.plan import Add, Lost, Plan, Retire, Revise
from worker.core.finding.vectors import cosines
from worker.core.ports import Nominated, Query
from worker.core.texts.identifiers import identifiers
from worker.core.texts.words import content_words

#: Memories that a question finds: what is further down answers something else as a rule.
FOUND = 3
#: Reasons of an archive that are no loss: what went was over, or was to go.
NO_LOSS = {"expired", "forgotten"}


@dataclass(frozen=True)
class Canary:
    """A question, and its embedding."""

    query: str
    vector: Vector

    @property
    def codes(self) -> frozenset[str]:
        return frozenset(identifiers(self.query))

    def asked(self) -> Query:
        """No words are looked for: only vectors and identifiers are foreseen."""
        return Query(self.vector, identifiers=identifiers(self.query))


@dataclass(frozen=True)
class Nearness:
    """What an embedder's cosines mean."""

    #: Under it two texts are surely about different things.
    floor: float
    #: From it two texts may say the same.
    same: float

    @property
    def slack(self) -> float:
        """By how much saying it in other words may change how near it is to a question."""
        return 1.0 - self.same


@dataclass(frozen=True)
class Watched:
    """A canary with what it found before."""

    canary: Canary
    found: tuple[MemoryRecord, ...]


def watched(
    canary: Canary,
    names: Nominated,
    records: Mapping[UUID, MemoryRecord],
    near: Nearness,
    now: datetime,
) -> Watched:
    """What the question finds: of the nearest those above the floor, and what has an identifier of it.

    What has lapsed no longer says what its vector does, and is not found.
    """
    nearest = [id for id in names.by_vector[:FOUND] if _cosine(canary, records[id]) >= near.floor]
    ids = dict.fromkeys([*nearest, *names.by_identifier[:FOUND]])
    found = (records[id] for id in ids)
    return Watched(canary, tuple(one for one in found if _stands(one, now)))


def _stands(one: MemoryRecord, now: datetime) -> bool:
    return one.memory.until is None or one.memory.until > now


def lost(
    all_watched: Iterable[Watched],
    plans: Sequence[Plan],
    records: Mapping[UUID, MemoryRecord],
    near: Nearness,
) -> tuple[Lost, ...]:
    """What the questions would no longer find once the plans are carried out, in order; nothing of what stays as it is.

    `records` are what the plans were decided on: what survives may be one that no plan changes.
    """
    foreseen = _Foreseen.of(plans, records)
    return tuple(
        Lost(query=one.canary.query, memory_id=before.memory.id)
        for one in all_watched
        for before in one.found
        if not _is_kept(one.canary, before, foreseen, near)
    )


def _is_kept(canary: Canary, before: MemoryRecord, foreseen: "_Foreseen", near: Nearness) -> bool:
    if not foreseen.is_touched(before.memory.id):
        return True
    end = foreseen.end_of(before.memory.id)
    return end.is_no_loss or (
        end.survivor is not None and answers(canary, before, end.survivor, near)
    )


def answers(canary: Canary, before: MemoryRecord, after: MemoryRecord, near: Nearness) -> bool:
    """Whether what took the place of an answer still is one.

    It has the identifiers that the answer shared with the question, and: the words that the answer shared with it, or
    all of the answer's where it shared none; or it is nearer than the floor, and less near than the answer was by no
    more than other words for the same would make it.
    """
    if not canary.codes.intersection(before.memory.identifiers) <= {*after.memory.identifiers}:
        return False
    words = content_words(before.memory.text)
    told = words & content_words(canary.query) or words
    if told <= content_words(after.memory.text):
        return True
    cosine = _cosine(canary, after)
    return cosine >= max(near.floor, _cosine(canary, before) - near.slack)


def _cosine(canary: Canary, one: MemoryRecord) -> float:
    """Nothing is near to what has no vector, or another embedder's."""
    if len(one.vector) != len(canary.vector):
        return -1.0
    return float(cosines([canary.vector], [one.vector])[0, 0])


@dataclass(frozen=True)
class _End:
    """What became of a memory."""

    survivor: MemoryRecord | None
    is_no_loss: bool = False


@dataclass(frozen=True)
class _Foreseen:
    """The memories that plans change, as they would be."""

    revised: Mapping[UUID, MemoryRecord] = field(default_factory=dict)
    retired: Mapping[UUID, Retire] = field(default_factory=dict)
    #: What was there before.
    records: Mapping[UUID, MemoryRecord] = field(default_factory=dict)

    @classmethod
    def of(cls, plans: Iterable[Plan], records: Mapping[UUID, MemoryRecord]) -> "_Foreseen":
        changes = [change for plan in plans for change in plan.changes]
        return cls(
            {one.record.memory.id: one.record for one in changes if isinstance(one, Add | Revise)},
            {one.archive.archive.memory.id: one for one in changes if isinstance(one, Retire)},
            records,
        )

    def is_touched(self, id: UUID) -> bool:
        return id in self.revised or id in self.retired

    def end_of(self, id: UUID) -> _End:
        """Whoever took its place, and the place of that one, and so on."""
        passed = set[UUID]()
        while id in self.retired and id not in passed:
            passed.add(id)
            archive = self.retired[id].archive.archive
            if archive.replaced_by is None:
                # What was derived goes with what it was derived from.
                return _End(
                    None, is_no_loss=archive.reason in NO_LOSS or bool(archive.memory.derived)
                )
            id = archive.replaced_by
        if id in passed:
            return _End(None)
        return _End(self.revised.get(id) or self.records.get(id))
