"""What recall has served, on a real Redis: noted aside, brought later, and never in the way of a read."""

import os
import threading
from collections.abc import Callable, Iterator
from typing import Any, cast
from uuid import UUID

import pytest
from redis import Redis

from schemas.keys import PartitionKeys, ScopeKeys, partition_of
from schemas.scope import Scope
from tests.build import uid
from tests.redis_service import RedisServer
from worker.adapters import serving as module
from worker.adapters.redis_server import connect
from worker.adapters.served import (
    COUNT_DAYS,
    DAY_SECONDS,
    HELD_SECONDS,
    QUESTION_DAYS,
    QUESTIONS,
    Feedback,
    Note,
    ServedLog,
)
from worker.adapters.serving import LONGEST, Serving
from worker.errors import Unavailable

ALICE, BOB = Scope(app="acme", user="alice"), Scope(app="acme", user="bob")
TEA, HOME = uid("tea"), uid("home")
KEYS = ScopeKeys(0, ALICE.key)


@pytest.fixture
def log(redis_client: Redis) -> ServedLog:
    return ServedLog(redis_client)


@pytest.fixture
def serving(redis_client: Redis, monkeypatch: pytest.MonkeyPatch) -> Iterator[Serving]:
    """It brings its notes when it is told to."""
    monkeypatch.setattr(module, "EVERY_SECONDS", 3600.0)
    # The test's own client outlives it.
    made = Serving(lambda: cast("Redis", _Borrowed(redis_client)))
    yield made
    made.close()


class _Borrowed:
    def __init__(self, client: Redis) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return (lambda: None) if name == "close" else getattr(self._client, name)


def queries(log: ServedLog, scope: Scope = ALICE) -> list[str]:
    return [one.query for one in log.questions(scope.key)]


def test_an_answer_is_counted_and_its_question_kept_once_it_is_brought(
    serving: Serving, log: ServedLog, redis_client: Redis
) -> None:
    serving.note(ALICE, ("What does she drink?",), [TEA, HOME])
    serving.note(ALICE, ("Where does she live?",), [HOME])
    serving.note(BOB, ("And he?",), [TEA])
    assert redis_client.keys() == []

    assert serving.flush()

    assert log.used(ALICE.key) == {TEA: 1, HOME: 2}
    last, first = log.questions(ALICE.key)
    assert (last.query, last.found) == ("Where does she live?", (HOME,))
    assert (first.query, first.found) == ("What does she drink?", (TEA, HOME))
    assert abs((last.at.timestamp() * 1000) - _now_ms(redis_client)) < 60_000
    assert (log.used(BOB.key), queries(log, BOB)) == ({TEA: 1}, ["And he?"])
    assert serving.flush()
    assert log.used(ALICE.key) == {TEA: 1, HOME: 2}


def _now_ms(client: Redis) -> float:
    seconds, micros = client.time()
    return seconds * 1000 + micros / 1000


def test_all_of_it_goes_away_by_itself(
    serving: Serving, log: ServedLog, redis_client: Redis
) -> None:
    serving.note(ALICE, ("What does she drink?",), [TEA])
    serving.feedback(ALICE.key, TEA, useful=True)
    serving.flush()

    for key, days in (
        (KEYS.used, COUNT_DAYS),
        (KEYS.judged, COUNT_DAYS),
        (KEYS.served, QUESTION_DAYS),
    ):
        assert redis_client.ttl(key) == pytest.approx(days * DAY_SECONDS, abs=60)


def test_the_last_questions_are_kept_each_once(serving: Serving, log: ServedLog) -> None:
    for nth in range(QUESTIONS + 5):
        serving.note(ALICE, (f"Question {nth}?",), [TEA])
    serving.note(ALICE, ("Question 10?",), [HOME])
    serving.flush()

    kept = log.questions(ALICE.key)
    others = [f"Question {nth}?" for nth in range(QUESTIONS + 4, 4, -1) if nth != 10]
    assert [one.query for one in kept] == ["Question 10?", *others]
    assert kept[0].found == (HOME,)
    assert log.kept(ALICE.key) == QUESTIONS


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("  two\nlines\t ", "two lines"),
        ("my token: ghp_abcdefghijklmnopqrstuvwxyz0123456789?", "my token: [secret]?"),
        ("Wo wohnt Jürgen? 彼はどこに住んでいますか 🏠", None),
        ("half of a pair \ud83d", "half of a pair ?"),
        ("NUL \0 and ' 00 ' and {\"json\": 1}", None),
        ("x" * LONGEST, None),
    ],
)
def test_a_question_is_kept_as_words_without_secrets(
    serving: Serving, log: ServedLog, query: str, kept: str | None
) -> None:
    serving.note(ALICE, (query,), [TEA])
    serving.flush()

    assert queries(log) == [query if kept is None else kept]


@pytest.mark.parametrize("query", ["", " \n", "x" * (LONGEST + 1)])
def test_without_a_question_only_the_memories_count(
    serving: Serving, log: ServedLog, query: str
) -> None:
    serving.note(ALICE, (query,), [TEA, TEA])
    serving.flush()

    assert (log.used(ALICE.key), queries(log)) == ({TEA: 1}, [])


def test_of_several_questions_each_is_kept_and_a_memory_counts_once(
    serving: Serving, log: ServedLog
) -> None:
    serving.note(ALICE, ("What does she drink?", " ", "Where?"), [TEA, HOME])
    serving.flush()

    assert log.used(ALICE.key) == {TEA: 1, HOME: 1}
    assert [(one.query, one.found) for one in log.questions(ALICE.key)] == [
        ("Where?", (TEA, HOME)),
        ("What does she drink?", (TEA, HOME)),
    ]


def test_what_found_nothing_is_not_kept(serving: Serving, redis_client: Redis) -> None:
    serving.note(ALICE, ("Anything?",), [])
    serving.flush()

    assert redis_client.keys() == []


def test_opinions_are_counted(serving: Serving, log: ServedLog) -> None:
    for useful in (True, True, False):
        serving.feedback(ALICE.key, TEA, useful=useful)
    serving.feedback(ALICE.key, HOME, useful=False)
    serving.flush()

    assert log.feedback(ALICE.key) == {TEA: Feedback(2, 1), HOME: Feedback(0, 1)}
    assert log.used(ALICE.key) == {}


def test_what_sleep_has_counted_is_taken_off_and_no_more(
    serving: Serving, log: ServedLog, redis_client: Redis
) -> None:
    for found in ([TEA, HOME], [TEA]):
        serving.note(ALICE, (), found)
    serving.flush()
    counted = log.used(ALICE.key)
    serving.note(ALICE, (), [HOME])
    serving.flush()

    log.counted(ALICE.key, counted)
    log.counted(ALICE.key, {uid("nobody"): 3})

    assert log.used(ALICE.key) == {HOME: 1}
    log.counted(ALICE.key, {HOME: 1})
    assert redis_client.exists(KEYS.used) == 0


def test_more_memories_than_fit_are_not_counted(
    log: ServedLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.adapters.served.COUNTS", 2)
    for name in ("a", "b", "c", "a"):
        log.add(ALICE.key, [(0, Note((str(uid(name)),)))])

    assert log.used(ALICE.key) == {uid("a"): 2, uid("b"): 1}


# What was forgotten


def test_forgetting_drops_all_questions_and_the_counts_of_what_went(
    serving: Serving, log: ServedLog
) -> None:
    serving.note(ALICE, ("What does she drink?",), [TEA, HOME])
    serving.note(BOB, ("And he?",), [TEA])
    for memory in (TEA, HOME):
        serving.feedback(ALICE.key, memory, useful=True)
    serving.flush()

    log.forget(ALICE.key, [TEA])

    assert (log.used(ALICE.key), queries(log)) == ({HOME: 1}, [])
    assert log.feedback(ALICE.key) == {HOME: Feedback(1, 0)}
    assert (log.used(BOB.key), queries(log, BOB)) == ({TEA: 1}, ["And he?"])


def test_erasing_drops_everything_and_says_how_many_questions_it_were(
    serving: Serving, log: ServedLog, redis_client: Redis
) -> None:
    serving.note(ALICE, ("What does she drink?",), [TEA])
    serving.feedback(ALICE.key, TEA, useful=True)
    serving.flush()

    assert (log.erase(ALICE.key), log.erase(ALICE.key)) == (1, 0)
    assert redis_client.keys(f"*{ALICE.key}*") == []


@pytest.mark.parametrize("drop", [ServedLog.forget, ServedLog.erase])
def test_a_note_from_before_does_not_come_back_and_one_from_after_counts(
    log: ServedLog, redis_client: Redis, drop: Callable[[ServedLog, str], object]
) -> None:
    drop(log, ALICE.key)
    before = Note((str(TEA),), "What does she drink?", (TEA,))
    log.add(ALICE.key, [(HELD_SECONDS, before)])
    assert redis_client.keys(f"*{ALICE.key}*") == []
    assert queries(log) == []

    # The moment of the drop lies in the past by then.
    redis_client.zadd(PartitionKeys(0).unserved, {ALICE.key: _now_ms(redis_client) - 5_000})
    log.add(ALICE.key, [(1, before), (9, Note((str(HOME),), "Where?", (HOME,)))])
    assert queries(log) == ["What does she drink?"]


def test_that_something_was_dropped_is_known_for_longer_than_a_note_is_held(
    log: ServedLog, redis_client: Redis
) -> None:
    log.forget(ALICE.key)
    log.forget(BOB.key)
    assert redis_client.ttl(PartitionKeys(0).unserved) > HELD_SECONDS

    redis_client.zadd(PartitionKeys(0).unserved, {ALICE.key: 1})
    log.forget(BOB.key)
    assert redis_client.zrange(PartitionKeys(0).unserved, 0, -1) == [BOB.key.encode()]


# What a reader is spared


def test_a_redis_that_is_down_costs_a_read_nothing_and_gets_it_later(
    redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EVERY_SECONDS", 3600.0)
    serving = Serving(lambda: connect(redis_server.url))
    redis_server.kill()
    serving.note(ALICE, ("What does she drink?",), [TEA])
    assert not serving.flush()
    serving.note(ALICE, ("Where does she live?",), [HOME])
    redis_server.start()

    assert serving.flush()

    with connect(redis_server.url) as client:
        assert queries(ServedLog(client)) == ["Where does she live?", "What does she drink?"]
    assert serving.dropped == 0
    redis_server.kill()
    serving.note(ALICE, (), [TEA])
    serving.close()


def test_too_many_notes_drop_the_oldest_and_count_them(
    serving: Serving, log: ServedLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "HELD", 3)
    for nth in range(5):
        serving.note(ALICE, (f"Question {nth}?",), [TEA])
    serving.flush()

    assert serving.dropped == 2
    assert queries(log) == ["Question 4?", "Question 3?", "Question 2?"]


def test_notes_that_could_not_be_brought_make_room_for_later_ones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "EVERY_SECONDS", 3600.0)
    monkeypatch.setattr(module, "HELD", 3)
    serving = Serving(_nobody)
    for nth in range(3):
        serving.note(ALICE, (f"{nth}?",), [TEA])
    assert not serving.flush()
    serving.note(ALICE, ("3?",), [TEA])

    assert not serving.flush()
    assert serving.dropped == 1
    serving.close()


def _nobody() -> Redis:
    raise Unavailable("nobody is there")


def test_notes_that_are_too_old_are_dropped(
    serving: Serving, log: ServedLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was forgotten since may not be known any more."""
    serving.note(ALICE, ("What does she drink?",), [TEA])
    monkeypatch.setattr(module, "HELD_SECONDS", -1)

    assert serving.flush()
    assert (serving.dropped, queries(log)) == (1, [])


def test_notes_are_brought_by_themselves_and_what_is_left_at_the_end(
    redis_client: Redis, log: ServedLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    brought = threading.Event()

    class Telling(_Borrowed):
        def execute_command(self, *args: Any) -> Any:
            answer = self._client.execute_command(*args)  # type: ignore[no-untyped-call]
            brought.set()
            return answer

    others = set(threading.enumerate())
    monkeypatch.setattr(module, "EVERY_SECONDS", 0.01)
    serving = Serving(lambda: cast("Redis", Telling(redis_client)))
    serving.note(ALICE, ("First?",), [TEA])
    assert brought.wait(30)
    serving.note(ALICE, ("Last?",), [TEA])
    serving.close()

    assert queries(log) == ["Last?", "First?"]
    assert set(threading.enumerate()) <= others


def test_threads_lose_nothing_of_each_other(serving: Serving, log: ServedLog) -> None:
    def read() -> None:
        for _ in range(50):
            serving.note(ALICE, ("What does she drink?",), [TEA])
            serving.flush()

    threads = [threading.Thread(target=read) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    serving.flush()

    assert (log.used(ALICE.key), queries(log)) == ({TEA: 200}, ["What does she drink?"])


def test_a_forked_process_brings_its_own_notes_only(
    redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "EVERY_SECONDS", 3600.0)
    serving = Serving(lambda: connect(redis_server.url))
    serving.note(ALICE, ("The parent's?",), [TEA])
    child = os.fork()
    if child == 0:
        serving.note(ALICE, ("The child's?",), [HOME])
        serving.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0

    with connect(redis_server.url) as client:
        log = ServedLog(client)
        assert queries(log) == ["The child's?"]
        serving.close()
        assert log.used(ALICE.key) == {TEA: 1, HOME: 1}


def test_it_lies_in_the_partition_of_its_scope(redis_client: Redis) -> None:
    log = ServedLog(redis_client, partitions=8)
    log.add(ALICE.key, [(0, Note((str(TEA),), "What?", (TEA,)))])
    log.forget(ALICE.key)
    log.add(ALICE.key, [(-5, Note((str(TEA),), "What?", (TEA,)))])

    tags = {cast("bytes", key).decode().split("}")[0] for key in cast("Any", redis_client.keys())}
    assert tags == {f"slowwave:{{{partition_of(ALICE.key, 8)}"}


def test_a_full_redis_takes_no_notes_and_still_forgets(redis_server: RedisServer) -> None:
    with connect(redis_server.url) as client:
        log = ServedLog(client)
        log.add(ALICE.key, [(0, Note((str(TEA),), "What?", (TEA,)))])
        client.config_set("maxmemory", 1)

        with pytest.raises(Unavailable, match="full"):
            log.add(ALICE.key, [(0, Note((str(UUID(int=1)),)))])
        log.counted(ALICE.key, {TEA: 1})
        log.forget(ALICE.key)
        assert (log.used(ALICE.key), log.kept(ALICE.key)) == ({}, 0)
