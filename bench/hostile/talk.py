"""Scopes with something in them, and facts that are said about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from uuid import UUID, uuid5

from schemas.memory import Authority, Fact, Memory, MemoryRecord
from schemas.scope import Scope
from schemas.turn import Turn
from worker.core.ports import Embedder
from worker.core.texts.identifiers import identifiers

START = datetime(2026, 1, 1, tzinfo=UTC)
SPACE = UUID(int=11)
THINGS = {
    "drinks": ("tea", "pour-over coffee", "water from Spa", "40 cups a week"),
    "lives in": ("Ghent", "Lisbon since 2019", "Harbour Street 12", "Кaзань"),
    "works at": ("the tram depot", "St Elin", "a bakery with Rosa", "desk QX-181"),
    "likes": ("opera", "猫を二匹", "long walks, not runs", "the motto “work hard”"),
    "pays": ("40 euros", "with code 88213-A", "on 3 May 2024", "nothing"),
}
VOICES: tuple[Authority, ...] = ("user", "user", "user", "user", "assistant", "tool")
KINDS = ("fact",) * 8 + ("preference", "instruction", "forget")


@dataclass(frozen=True)
class Batch:
    """Turns, and what they say."""

    turns: tuple[Turn, ...]
    facts: tuple[Fact, ...]
    now: datetime


def sentence(rng: Random) -> str:
    verb = rng.choice(list(THINGS))
    more = f" and {rng.choice(THINGS[verb])}" if rng.randrange(3) == 0 else ""
    return f"User {rng.choice(('', '', 'no longer '))}{verb} {rng.choice(THINGS[verb])}{more}"


def batch(rng: Random, scope: Scope, at: int) -> Batch:
    """The batch number `at` of a scope: later than the last one, but for turns that arrive late."""
    now = START + timedelta(days=at)
    turns = [_turn(rng, scope, now, f"{scope.user} {at} {n}") for n in range(rng.randrange(1, 4))]
    facts = []
    for turn in rng.choices(turns, k=rng.randrange(1, 5)):
        text, until = sentence(rng), now + timedelta(days=rng.randrange(-2, 9))
        lasting = rng.randrange(4) > 0 or until <= turn.said_at
        facts.append(
            Fact(
                text=text,
                subject="user",
                kind=rng.choice(KINDS),
                said_by=rng.choice(("user", "Ann")),
                authority=rng.choice(VOICES),
                turn_ids=tuple({turn.id: 0, rng.choice(turns).id: 0}),
                said_at=turn.said_at,
                until=None if lasting else until,
                identifiers=identifiers(text),
            )
        )
    return Batch(tuple(turns), tuple(facts), now)


def _turn(rng: Random, scope: Scope, now: datetime, name: str) -> Turn:
    return Turn(
        id=uuid5(SPACE, name),
        scope=scope,
        conversation="c",
        role="user",
        text=name,
        said_at=now - timedelta(days=rng.choice((0, 0, 0, 1, 400))),
        received_at=now,
    )


def beginning(rng: Random, scope: Scope, embedder: Embedder) -> Sequence[MemoryRecord]:
    """Memories of every sort: pinned, temporary, of a machine, flagged."""
    sorts: tuple[dict[str, object], ...] = (
        {},
        {"confirmations": 3, "tags": ("home",), "metadata": {"ticket": "K-17"}},
        {"pinned": True},
        {"pinned": True, "authority": "assistant"},
        {"authority": "tool"},
        {"until": START + timedelta(days=20), "after": "User drinks tea"},
        {"flagged": "unsure", "said_at": START + timedelta(days=30)},
        {"version": 4},
    )
    texts = [sentence(rng) for _ in sorts]
    return [
        MemoryRecord(memory=_memory(scope, text, n, fields), vector=vector)
        for n, (text, fields, vector) in enumerate(
            zip(texts, sorts, embedder.embed(texts), strict=True)
        )
    ]


def _memory(scope: Scope, text: str, place: int, fields: dict[str, object]) -> Memory:
    before = START - timedelta(days=100)
    given: dict[str, object] = {
        "text": text,
        "subject": "user",
        "said_by": "user",
        "turn_ids": (uuid5(SPACE, f"turn before {scope.user} {place}"),),
        "said_at": before,
        "identifiers": identifiers(text),
        "id": uuid5(SPACE, f"memory {scope.user} {place}"),
        "scope": scope,
        "version": 1,
        "created_at": before,
        "updated_at": before,
        "last_confirmed_at": before,
        "last_run": SPACE,
    }
    return Memory.model_validate(given | fields)
