"""Deterministic ids: UUID5 (RFC 9562) over canonical JSON, in a namespace of our own."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from uuid import UUID, uuid5

NAMESPACE = UUID("5d2b1c1e-7b0e-5f3a-9c55-0e6d2f1a8c47")

Part = str | int | None


def uuid_of(kind: str, *parts: Part) -> UUID:
    """The id of a thing of this kind; JSON keeps `("ab", "c")` apart from `("a", "bc")`."""
    return uuid5(NAMESPACE, json.dumps([kind, *parts], ensure_ascii=False, separators=(",", ":")))


@lru_cache(maxsize=4096)
def scope_key(app: str, user: str) -> str:
    return str(uuid_of("scope", app, user))


def turn_id_of_caller(scope: str, conversation: str, given: str) -> UUID:
    """The same client id twice is one turn."""
    return uuid_of("turn", scope, conversation, "given", given)


def turn_id_of_moment(
    scope: str, conversation: str, role: str, speaker: str | None, text: str, said_at: datetime
) -> UUID:
    """Two separate "yes" are two turns, a history published again is the same history."""
    moment = said_at.astimezone(UTC).isoformat()
    return uuid_of("turn", scope, conversation, "moment", role, speaker, text, moment)


def turn_id_of_place(
    scope: str, conversation: str, role: str, speaker: str | None, text: str, earlier_equal: int
) -> UUID:
    """For a turn with neither id nor time: how many equal ones came before it in the same list or file."""
    return uuid_of("turn", scope, conversation, "place", role, speaker, text, earlier_equal)


def batch_run_id(scope: str, turn_ids: Iterable[UUID], nth: int) -> UUID:
    """`nth` is how many undone runs held one of the turns."""
    return uuid_of("run", scope, "batch", nth, *sorted(map(str, turn_ids)))


def write_run_id(scope: str, key: str) -> UUID:
    """Of a direct write, by its idempotency key."""
    return uuid_of("run", scope, "write", key)


def undo_run_id(scope: str, target: UUID, nth: int) -> UUID:
    """`nth` is how many runs took the target back before: what was undone can be done again."""
    return uuid_of("run", scope, "undo", nth, str(target))


def restore_run_id(scope: str, memory: UUID, version: int, over: int) -> UUID:
    """`over` is the version that the restored one comes after."""
    return uuid_of("run", scope, "restore", str(memory), version, over)


def write_turn_id(scope: str, key: str) -> UUID:
    """What stands for the turn of a direct write: a statement without one has no origin."""
    return uuid_of("turn", scope, "write", key)


def memory_id(scope: str, run: UUID, ordinal: int) -> UUID:
    """A birth id: it stays for life, while text and version change."""
    return uuid_of("memory", scope, str(run), ordinal)


def archive_id(memory: UUID, version: int) -> UUID:
    """A snapshot written twice is one snapshot."""
    return uuid_of("archive", str(memory), version)
