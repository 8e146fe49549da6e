"""Entries with sane defaults, and what a stage leaves of them."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from schemas.base import Vector
from tests.build import memory
from worker.core.recalling.pool import Entry, Pool, Signal, Stage


def towards(cosine: float, axis: int = 1, dimensions: int = 8) -> Vector:
    """A unit vector with this cosine to the first axis, the rest of it along another."""
    numbers = np.zeros(dimensions)
    numbers[0], numbers[axis] = cosine, np.sqrt(1 - cosine**2)
    return numbers.astype("<f4").tobytes()


def entry(
    text: str,
    *signals: Signal,
    score: float = 0.0,
    vector: Vector = b"",
    superseded: bool = False,
    correction: bool = False,
    **fields: Any,
) -> Entry:
    made = Entry(memory(text, **fields), vector, superseded, correction, signals)
    return made.scored({"cosine": score}) if score else made


def fits(cosine: float | None, bm25: float = 0.0, codes: float = 0.0) -> Signal:
    return Signal(cosine, bm25, codes)


def texts(entries: Iterable[Entry]) -> list[str]:
    return [one.memory.text for one in entries]


def after(stage: Stage, *entries: Entry) -> list[str]:
    return texts(stage(Pool(entries)).entries)


def reasons(stage: Stage, *entries: Entry) -> dict[str, str]:
    """Text → why it was left out."""
    return {one.memory.text: one.why for one in stage(Pool(entries)).left_out}
