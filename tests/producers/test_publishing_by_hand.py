"""The call of docs/redis.md, as another language makes it: by its words alone, and it is the producer's own."""

import json
import re
import shlex
from pathlib import Path
from uuid import UUID, uuid5
from zlib import crc32

import pytest
from redis import Redis

from producers.producer import Producer
from schemas.keys import ScopeKeys, partition_of
from schemas.scope import Scope
from worker.adapters.inbox import Inbox

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "redis.md").read_text()
LINE = {
    "app": "acme",
    "user": "alice",
    "conversation": "42",
    "role": "user",
    "text": "I moved to Bergen.",
    "said_at": "2026-06-01T09:30:00+02:00",
    "id": "msg-17",
}


def documented() -> tuple[str, list[str], list[str]]:
    """The script, its keys and its arguments, as `redis-cli --eval` takes them apart."""
    (block,) = re.findall(r"```publish\n(.*?)```", PAGE, re.DOTALL)
    words = shlex.split(block)
    script, comma = words.index("--eval") + 1, words.index(",")
    return (ROOT / words[script]).read_text(), words[script + 1 : comma], words[comma + 1 :]


def call(redis: Redis, script: str, keys: list[str], arguments: list[str]) -> list[bytes | int]:
    told: list[bytes | int] = redis.eval(script, len(keys), *keys, *arguments)
    return told


def test_what_is_published_by_hand_is_read_as_what_a_producer_publishes(
    redis_client: Redis,
) -> None:
    first = call(redis_client, *documented())
    again = Producer(redis_client).publish(LINE)
    (turn,) = Inbox(redis_client).pending(Scope(app="acme", user="alice").key)

    assert first[:2] == [b"accepted", 1]
    assert again.status == "duplicate"
    assert (turn.id, turn.text, turn.said_at.isoformat()) == (
        again.turn_id,
        LINE["text"],
        LINE["said_at"],
    )


def test_it_is_claimed_like_any_other(redis_client: Redis) -> None:
    inbox = Inbox(redis_client)
    call(redis_client, *documented())
    inbox.flush()
    claim = inbox.claim()

    assert claim is not None
    assert [turn.text for turn in inbox.turns(claim)] == [LINE["text"]]


def test_twice_by_hand_is_one_turn(redis_client: Redis) -> None:
    call(redis_client, *documented())

    assert call(redis_client, *documented())[:2] == [b"duplicate", 1]


def uuid(*parts: str) -> str:
    """By the words of the page."""
    (namespace,) = set(re.findall(r"namespace `([0-9a-f-]+)`", PAGE))
    compact = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return str(uuid5(UUID(namespace), compact))


@pytest.mark.parametrize("user", ["alice", "Åse Ødegård", "李雷", 'a "b" \\ c'])
def test_ids_and_keys_are_as_the_page_says(user: str) -> None:
    scope = Scope(app="acme", user=user)
    key = uuid("scope", "acme", user)
    partition = crc32(key.encode()) % 16

    assert key == scope.key
    assert partition == partition_of(key, 16)
    assert ScopeKeys(partition, key).turns == f"slowwave:{{{partition}}}:turns:{key}"


def test_the_ids_of_the_page_are_those_of_its_names() -> None:
    _, keys, arguments = documented()
    key, turn, payload, *_ = arguments

    assert key == uuid("scope", LINE["app"], LINE["user"])
    assert turn == uuid("turn", key, LINE["conversation"], "given", LINE["id"])
    assert json.loads(payload)["id"] == turn
    assert {name.rpartition(":")[2] for name in keys[:3]} == {key}


def test_the_limits_of_the_page_are_those_of_a_producer(redis_client: Redis) -> None:
    """Until a worker has stored its own."""
    _, _, arguments = documented()

    redis_client.set("slowwave:partitions", 1)
    with redis_client.monitor() as monitor:  # type: ignore[no-untyped-call]
        Producer(redis_client).publish(LINE)
        sent = next(told for _ in range(9) if "EVALSHA" in (told := monitor.next_command())["command"])  # fmt: skip

    assert sent["command"].split(" ")[-7:] == arguments[-7:]
