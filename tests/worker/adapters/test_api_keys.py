"""Keys in Redis, and what a server knows of them while it answers or not."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as Unreachable

from tests.build import NOW, at
from worker.adapters import api_keys
from worker.adapters.api_keys import FRESH_SECONDS, STALE_SECONDS, ApiKeys, Keyring
from worker.core.access.api_key import ApiKey, Shown
from worker.core.access.caller import Caller
from worker.errors import Unavailable

SHOWN = Shown("0" * 12, "s" * 43)
KEPT = ApiKey(id=SHOWN.id, digest=SHOWN.digest, app="acme", user="ann", created_at=NOW)


@dataclass
class Hash:
    """An asynchronous Redis of which one may say how it fails."""

    kept: dict[str, bytes] = field(default_factory=dict)
    looks: int = 0
    fails: Callable[[], Awaitable[Any]] | None = None

    async def hget(self, name: str, key: str) -> bytes | None:
        await self._look()
        return self.kept.get(key)

    async def hlen(self, name: str) -> int:
        await self._look()
        return len(self.kept)

    async def _look(self) -> None:
        self.looks += 1
        if self.fails:
            await self.fails()


@dataclass
class Ring:
    """A keyring whose clock stands still until it is moved."""

    hash: Hash = field(default_factory=Hash)
    clock: float = 0.0

    def __post_init__(self) -> None:
        self.keyring = Keyring(self.hash, lambda: self.clock)

    def caller(self, shown: Shown = SHOWN) -> Caller | None:
        return asyncio.run(self.keyring.caller(shown))

    def is_empty(self) -> bool:
        return asyncio.run(self.keyring.is_empty())


@pytest.fixture
def ring() -> Ring:
    return Ring(Hash({SHOWN.id: KEPT.model_dump_json().encode()}))


async def refused() -> None:
    raise Unreachable("gone")


async def hangs() -> None:
    await asyncio.Event().wait()


FAILURES = {"refused": refused, "hanging": hangs}


def test_a_key_is_looked_up_once_a_second(ring: Ring) -> None:
    for _ in range(3):
        assert ring.caller() == Caller(SHOWN.id, "acme", "ann")
    assert ring.hash.looks == 1

    ring.clock += FRESH_SECONDS
    ring.hash.kept.clear()

    assert ring.caller() is None


def test_a_wrong_secret_opens_nothing_though_the_key_is_known(ring: Ring) -> None:
    ring.caller()

    assert ring.caller(Shown(SHOWN.id, "t" * 43)) is None


def test_ids_that_were_guessed_are_not_kept(ring: Ring) -> None:
    for n in range(20):
        ring.caller(Shown(f"{n + 1:012x}", "s" * 43))

    assert len(ring.keyring._known) == 0


@pytest.mark.parametrize("failure", [*FAILURES.values()], ids=[*FAILURES])
def test_what_was_good_stays_good_for_a_while_without_redis(
    ring: Ring, failure: Callable[[], Awaitable[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api_keys, "LOOK_SECONDS", 0.01)
    assert ring.caller() is not None
    assert ring.is_empty() is False
    ring.hash.fails = failure
    looks = ring.hash.looks

    ring.clock += STALE_SECONDS - 1
    for _ in range(3):
        assert ring.caller() is not None
    assert ring.is_empty() is False
    assert ring.hash.looks == looks + 2, "nobody waits for it at every request"

    ring.clock += 1
    with pytest.raises(Unavailable, match="no key can be looked up"):
        ring.caller()
    with pytest.raises(Unavailable):
        ring.is_empty()


def test_a_server_that_never_saw_redis_opens_to_nobody() -> None:
    ring = Ring(Hash(fails=refused))

    with pytest.raises(Unavailable):
        ring.is_empty()
    with pytest.raises(Unavailable):
        ring.caller()


def test_keys_are_made_listed_and_removed(redis_client: Redis) -> None:
    keys = ApiKeys(redis_client)
    later = KEPT.model_copy(update={"id": "1" * 12, "created_at": at(1)})
    for one in (later, KEPT):
        keys.add(one)

    assert keys.all() == [KEPT, later]
    assert keys.remove(KEPT.id) is True
    assert keys.remove(KEPT.id) is False
    assert keys.all() == [later]
