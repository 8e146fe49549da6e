"""The bench of erasure finds words wherever they lie, and sees what is not removed."""

import json
from pathlib import Path
from random import SystemRandom

import pytest
from redis import Redis

from bench.erasure import command as erasure
from bench.erasure import story as erasure_story
from bench.erasure.search import KEYS, columns, left, place_of, search
from bench.erasure.story import Story
from bench.erasure.words import Topic

WORDS = {"mine": {"live": "bagovu", "said": "tikonu"}, "theirs": {"live": "zuremo"}}


def run(
    capsys: pytest.CaptureFixture[str],
) -> dict[str, dict[str, dict[str, list[str]]]]:
    """Step → place → group of words → those that are found."""
    assert erasure.main(["--store", "sqlite", "--crates", "2", "--json"]) == 0
    found: dict[str, dict[str, dict[str, list[str]]]] = json.loads(capsys.readouterr().out)[
        "sqlite"
    ]
    return found


def test_on_sqlite_the_files_hold_nothing_of_it_once_redis_has_rewritten_its_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = run(capsys)

    store = {"archive", "live", "said", "why"}
    told = found["learned"]
    everywhere = {word for place in told.values() for word in place["forgotten"]}
    assert everywhere == {*store, "recent"}
    assert set(told[KEYS]["erased"]) >= {"recent", "parked"}
    assert set(found["crashed"][KEYS]["erased"]) >= {"plan", "pending"}
    assert set(left(found["one forgotten"], "forgotten")) == {"Redis files"}
    assert left(found["Redis rewritten"], "forgotten") == {}
    assert left(found["Redis rewritten"], "erased") != {}
    assert set(left(found["scope erased"], "erased")) == {"Redis files"}
    for group in ("forgotten", "erased"):
        assert left(found["at the end"], group) == {}
    assert set(left(found["at the end"], "neighbour")["memory.db"]) == {*store, "user"}


def test_what_is_not_removed_is_seen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure_story, "forget", lambda *_: None)

    found = run(capsys)

    stored = left(found["Redis rewritten"], "forgotten")
    assert stored.keys() & {"memory.db", "memory.db-wal"}
    assert KEYS in stored


def test_a_scope_that_was_not_erased_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasure_story, "erase", lambda *_: None)

    with pytest.raises(RuntimeError, match="known afterwards"):
        erasure.main(["--store", "sqlite", "--crates", "0"])


def _put(redis: Redis, kind: str) -> None:
    match kind:
        case "string":
            redis.set("key", "bagovu")
        case "list":
            redis.rpush("key", "bagovu")
        case "hash":
            redis.hset("key", "bagovu", "1")
        case "set":
            redis.sadd("key", "bagovu")
        case _:
            redis.zadd("key", {"bagovu": 1})


@pytest.mark.parametrize("kind", ["string", "list", "hash", "set", "zset"])
def test_words_are_found_in_every_type_of_key(
    kind: str, tmp_path: Path, redis_client: Redis
) -> None:
    _put(redis_client, kind)

    assert search(tmp_path, redis_client, WORDS) == {KEYS: {"mine": ["live"], "theirs": []}}


def test_words_are_found_in_files_of_any_depth(tmp_path: Path, redis_client: Redis) -> None:
    deep = tmp_path / "weaviate" / "memory" / "shard" / "lsm"
    deep.mkdir(parents=True)
    (deep / "segment-1.db").write_bytes(b"\0\xffBagovu\0")
    (deep / "segment-2.db").write_bytes(b"tikonu")
    (tmp_path / "memory.db").write_bytes(b"nothing")

    found = search(tmp_path, redis_client, WORDS)

    assert columns([found]) == ["memory.db", "segments", KEYS]
    assert left(found, "mine") == {"segments": ["live", "said"]}
    assert left(found, "theirs") == {}


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("memory.db-wal", "memory.db-wal"),
        ("redis/appendonlydir/appendonly.aof.1.incr.aof", "Redis files"),
        ("weaviate/raft/raft.db", "raft"),
        ("weaviate/memory/x/lsm/objects/segment-1.wal", "WAL"),
        ("weaviate/memory/x/lsm/objects/segment-1.db", "segments"),
        ("weaviate/memory/x/proplengths", "other"),
    ],
)
def test_a_file_is_named_by_what_it_is(path: str, place: str) -> None:
    assert place_of(Path(path)) == place


def test_every_word_stands_in_one_place_alone() -> None:
    words = Story.new(SystemRandom(), 0).words
    every = [word for group in words.values() for word in group.values()]
    topic = Topic.new("lamp", SystemRandom())

    assert len(set(every)) == len(every)
    assert [topic.recent in text for text in topic.turns] == [False, False, True]
    assert not any(topic.why in text for text in topic.turns)
