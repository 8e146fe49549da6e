"""Batches of any number of facts and of memories near each, and what a model is asked. No store and no queue."""

from dataclasses import dataclass
from functools import cached_property
from uuid import UUID

import numpy as np

from bench.batch.talk import Heard as Model
from bench.batch.talk import Saying, saying
from bench.recall.crowd import COMMON, DIMENSIONS, NOW, OWN, drawn, vector_of
from schemas.ids import uuid_of
from schemas.memory import MemoryRecord
from schemas.scope import Scope
from schemas.tokens import estimate
from schemas.turn import Turn
from worker.adapters.model import Model as Asking
from worker.adapters.model import Tally
from worker.core.finding.candidates import candidacy
from worker.core.hearing.extract import Extraction
from worker.core.hearing.heard import Found, Heard
from worker.core.judging.detectors import DETECTORS
from worker.core.judging.pieces import pieces
from worker.core.ports import Nominations
from worker.judging import judged
from worker.settings import Settings
from worker.thinking import reach_of
from worker.wiring import judging_of

SCOPE = Scope(app="bench of calls", user="made")


@dataclass(frozen=True)
class Made:
    """A batch in which each turn says one thing, and the scope's memories near it: all of another subject's."""

    facts: int
    memories: int
    seed: int = 1

    @cached_property
    def near(self) -> list[list[MemoryRecord]]:
        """For each fact."""
        many = max(self.memories, 1)
        crowd = drawn(self.facts * many, 1, self.seed)
        records = crowd.records(SCOPE)
        topics = np.random.default_rng(self.seed).standard_normal((self.facts, DIMENSIONS))
        return [
            [
                _of(record, f"person {at}", topics[at])
                for record in records[at * many : (at + 1) * many]
            ]
            for at in range(self.facts)
        ]

    @cached_property
    def sayings(self) -> list[Saying]:
        """Each brings the first of the memories near it up to date."""
        return [saying(records[0], at) for at, records in enumerate(self.near)]

    @property
    def turns(self) -> tuple[Turn, ...]:
        return tuple(
            Turn(
                id=uuid_of("bench of calls", at),
                scope=SCOPE,
                conversation="1",
                role="user",
                text=one.text,
                said_at=NOW,
                received_at=NOW,
            )
            for at, one in enumerate(self.sayings)
        )

    @property
    def records(self) -> dict[UUID, MemoryRecord]:
        """All that a store would nominate."""
        some = (record for records in self.near for record in records if self.memories)
        return {record.memory.id: record for record in some}


@dataclass(frozen=True)
class Asked:
    """What a batch has come to."""

    #: By job.
    calls: dict[str, int]
    #: Whether what a judge of many facts is put fits in one call.
    is_unsplit: bool
    model: Model


def asked(made: Made, settings: Settings) -> Asked:
    """From turns to groups, as a batch is: only what the store nominates is given."""
    model = Model({one.text: one for one in made.sayings})
    asking, tally = Asking(model), Tally()
    try:
        heard = Heard(turns=made.turns, window=settings.extraction_tokens, count=estimate)
        found: Found = asking.run(Extraction(), heard, tally)
        vectors = model.embed([fact.text for fact in found.facts])
        pool = Nominations((), made.records)
        reach = reach_of(settings, model)
        case = candidacy(found.facts, vectors, pool, reach, NOW)
        judging = judging_of(settings, model)
        judged(asking, judging, case, tally)
    finally:
        asking.close()
    is_shared = DETECTORS[settings.detector].facts is None
    whole = not is_shared or len(pieces(case, judging.asked(case), judging.size)) <= 1
    return Asked(dict(tally.calls), whole or not case.candidates, model)


def _of(record: MemoryRecord, subject: str, topic: np.ndarray) -> MemoryRecord:
    """About this subject, and near what is said of it."""
    own = np.frombuffer(record.vector, "<f4")
    near = COMMON * topic / np.linalg.norm(topic) + OWN * own
    memory = record.memory.model_copy(update={"subject": subject})
    vector = vector_of((near / np.linalg.norm(near)).astype(np.float32))
    return MemoryRecord(memory=memory, vector=vector)
