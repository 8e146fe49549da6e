"""Values with sane defaults, so that a test names only what it is about."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

import numpy as np

from schemas.base import Vector
from schemas.memory import Fact, Memory, MemoryRecord
from schemas.scope import Scope
from schemas.turn import Turn
from worker.core.groups.judgment import Candidacy
from worker.core.texts.identifiers import identifiers

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
SCOPE = Scope(app="tests", user="ann")
RUN = UUID("00000000-0000-5000-8000-000000000001")
EARLIER_RUN = UUID("00000000-0000-5000-8000-000000000002")


def uid(name: str) -> UUID:
    """A stable id for a name."""
    return uuid5(UUID(int=7), name)


def at(days: float) -> datetime:
    """So many days after `NOW`; before it when negative."""
    return NOW + timedelta(days=days)


def vector(seed: str, dimensions: int = 8) -> Vector:
    """A unit vector that is the same for the same seed."""
    numbers = np.random.default_rng(uid(seed).int % 2**32).normal(size=dimensions)
    return (numbers / np.linalg.norm(numbers)).astype("<f4").tobytes()


def turn(name: str = "t1", text: str = "I live in Seattle.", **fields: Any) -> Turn:
    given = {
        "id": uid(name),
        "scope": SCOPE,
        "conversation": "c",
        "role": "user",
        "text": text,
        "said_at": NOW,
        "received_at": NOW,
    }
    return Turn(**(given | fields))


def fact(text: str, **fields: Any) -> Fact:
    given = {
        "text": text,
        "subject": "user",
        "said_by": "user",
        "turn_ids": (uid("t1"),),
        "said_at": NOW,
        "identifiers": identifiers(text),
    }
    return Fact(**(given | fields))


def memory(text: str, **fields: Any) -> Memory:
    said_at = fields.get("said_at", at(-30))
    given = {
        "text": text,
        "subject": "user",
        "said_by": "user",
        "turn_ids": (uid(f"turn of {text}"),),
        "said_at": said_at,
        "identifiers": identifiers(text),
        "id": uid(text),
        "scope": SCOPE,
        "version": 1,
        "created_at": said_at,
        "updated_at": said_at,
        "last_confirmed_at": said_at,
        "last_run": EARLIER_RUN,
    }
    return Memory(**(given | fields))


def record(text: str, **fields: Any) -> MemoryRecord:
    return MemoryRecord(memory=memory(text, **fields), vector=vector(text))


def candidacy(
    facts: list[Fact],
    memories: list[MemoryRecord] | None = None,
    offered: Mapping[str, tuple[str, ...]] | None = None,
) -> Candidacy:
    """Facts and memories, everything offered to everyone unless said otherwise."""
    memories = memories or []
    everything = [f"f{n + 1}" for n in range(len(facts))] + [
        f"c{n + 1}" for n in range(len(memories))
    ]
    offers = []
    for n in range(len(facts)):
        label = f"f{n + 1}"
        default = tuple(other for other in everything if other != label)
        offers.append((offered or {}).get(label, default))
    return Candidacy(
        facts=tuple(facts),
        vectors=tuple(vector(one.text) for one in facts),
        candidates=tuple(memories),
        offered=tuple(offers),
    )
