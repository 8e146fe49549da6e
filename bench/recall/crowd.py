"""A crowd of memories and questions about them, with their vectors: drawn by lot, the same for the same seed. Pure."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from schemas.base import Vector
from schemas.ids import uuid_of
from schemas.memory import Memory, MemoryRecord
from schemas.scope import Scope
from worker.core.texts.identifiers import identifiers

DIMENSIONS = 384
NOW = datetime(2026, 1, 1, tzinfo=UTC)
SYLLABLES = "ba be di do fa fe ga gi ka ko la le ma mi na no pa pe ra ri sa so ta to va vi".split()
WORDS = 6_000
PEOPLE = 12
#: Memories that are about one topic, and so lie near one another.
TOGETHER = 20
#: How much of a vector is common to all, its topic's and its own. Two of one topic have a cosine of 0.94, any other
#: two one of 0.78, as sentences have with e5 models.
COMMON, TOPIC, OWN = 1.8, 0.8, 0.5
#: Of the memories, shares that name a number, or a code.
NUMBERED, CODED = 0.15, 0.05

Matrix = NDArray[np.float32]


@dataclass(frozen=True)
class Crowd:
    """Texts and vectors, row by row."""

    texts: Sequence[str]
    vectors: Matrix
    questions: Sequence[str]
    #: Of the questions.
    wanted: Matrix

    def records(self, scope: Scope) -> list[MemoryRecord]:
        return [
            MemoryRecord(memory=remembered(scope, at, text), vector=vector_of(self.vectors[at]))
            for at, text in enumerate(self.texts)
        ]


def drawn(size: int, questions: int, seed: int) -> Crowd:
    """So many memories, and so many questions about some of them, no two alike."""
    chance, numbers = random.Random(seed), np.random.default_rng(seed)
    words = _vocabulary(chance)
    texts = [_sentence(words, chance) for _ in range(size)]
    vectors = _vectors(size, numbers)
    about = [chance.randrange(size) for _ in range(questions)]
    asked = [f"{_question(texts[at], words, chance)} {nth}?" for nth, at in enumerate(about)]
    return Crowd(texts, vectors, asked, _unit(vectors[about] + OWN * _random(questions, numbers)))


def remembered(scope: Scope, at: int, text: str) -> Memory:
    said = NOW - timedelta(minutes=at)
    return Memory(
        id=memory_id(scope, at),
        scope=scope,
        version=1,
        text=text,
        subject=text.split(" ", 1)[0],
        said_by="user",
        identifiers=tuple(identifiers(text)),
        turn_ids=(uuid_of("turn", scope.key, at),),
        last_run=uuid_of("run", scope.key, at),
        **dict.fromkeys(("said_at", "created_at", "updated_at", "last_confirmed_at"), said),
    )


def memory_id(scope: Scope, at: int) -> UUID:
    return uuid_of("bench of recall", scope.key, at)


def vector_of(row: Matrix) -> Vector:
    return row.astype("<f4").tobytes()


@dataclass(frozen=True)
class _Vocabulary:
    """Words by how often they are said: the n-th 1/n as often as the first (Zipf)."""

    words: Sequence[str]
    weights: Sequence[float]
    people: Sequence[str]

    def some(self, many: int, chance: random.Random) -> list[str]:
        return chance.choices(self.words, cum_weights=self.weights, k=many)


def _vocabulary(chance: random.Random) -> _Vocabulary:
    made = dict[str, None]()
    while len(made) < WORDS + PEOPLE:
        made["".join(chance.choices(SYLLABLES, k=chance.randint(2, 4)))] = None
    words = list(made)
    weights = list(accumulate(1 / rank for rank in range(1, WORDS + 1)))
    return _Vocabulary(words[:WORDS], weights, [one.capitalize() for one in words[WORDS:]])


def _sentence(words: _Vocabulary, chance: random.Random) -> str:
    said = words.some(chance.randint(7, 18), chance)
    if chance.random() < NUMBERED:
        said.append(str(chance.randint(2, 2_000)))
    if chance.random() < CODED:
        said.append(f"{chance.choice('ABCDEF')}{chance.choice('KLM')}-{chance.randint(100, 9_999)}")
    return f"{chance.choice(words.people)} {' '.join(said)}."


def _question(text: str, words: _Vocabulary, chance: random.Random) -> str:
    """Some words of the text, among common ones."""
    said = text.rstrip(".").split()
    asked = chance.sample(said, min(4, len(said))) + words.some(4, chance)
    chance.shuffle(asked)
    return " ".join(asked)


def _vectors(size: int, numbers: np.random.Generator) -> Matrix:
    topics = _random(max(1, size // TOGETHER), numbers)
    of = numbers.integers(len(topics), size=size)
    common = _random(1, numbers)
    return _unit(COMMON * common + TOPIC * topics[of] + OWN * _random(size, numbers))


def _random(rows: int, numbers: np.random.Generator) -> Matrix:
    return _unit(numbers.standard_normal((rows, DIMENSIONS), dtype=np.float32))


def _unit(rows: Matrix) -> Matrix:
    unit: Matrix = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit
