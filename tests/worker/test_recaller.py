"""Recall as a chat backend uses it, on both stores and a real Redis."""

import asyncio
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from producers.producer import Producer
from schemas.memory import ArchiveRecord, Memory, MemoryRecord
from schemas.scope import Scope
from tests.build import at, memory, uid
from tests.hold import HELD, Holding
from tests.snapshots import snapshot
from tests.worker.adapters.stores.keeping import run as kept_run
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.adapters.inbox import Inbox
from worker.adapters.served import Feedback, ServedLog
from worker.adapters.shown import Place, ShownLog
from worker.core.ports import Embedder, Reranker, Store
from worker.core.recalling.answer import Answer
from worker.errors import Misconfigured, Unavailable
from worker.recaller import Recaller
from worker.settings import Settings
from worker.wiring import Memories

EMBEDDER = HashedEmbedder()
#: Nobody there.
NOWHERE = "redis://127.0.0.1:1/0"
#: Longer than any test lasts: a wait that should not be makes a test fail, and not hang.
LONG = 30.0

OSLO, TEA, BOAT = "Lives in Oslo", "Drinks green tea", "Has a boat"

Open = Callable[..., Recaller]


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (EMBEDDER.fingerprint, EMBEDDER.dimensions)


@pytest.fixture
def known(store: Store, scope: Scope) -> Store:
    put(store, *(memory(text, scope=scope) for text in (OSLO, TEA, BOAT)))
    return store


@pytest.fixture
def sqlite_known(sqlite_store: Store, scope: Scope) -> Store:
    """The same where it makes no difference which store it is."""
    put(sqlite_store, *(memory(text, scope=scope) for text in (OSLO, TEA, BOAT)))
    return sqlite_store


def put(store: Store, *memories: Memory) -> None:
    writer = store.writer(memories[0].scope, HELD)
    writer.prepare()
    writer.put_memories(
        [MemoryRecord(memory=one, vector=EMBEDDER.embed([one.text])[0]) for one in memories]
    )


def given(url: str, **settings: Any) -> Settings:
    """Under `settings` that leave much time, unless it is about time."""
    return Settings(
        **{"redis_url": url, "recall_deadline_seconds": LONG, **settings}, _env_file=None
    )


@contextmanager
def recalling(
    settings: Settings,
    store: Any,
    embedder: Embedder = EMBEDDER,
    reranker: Reranker | None = None,
) -> Iterator[Recaller]:
    @contextmanager
    def lent(_: Settings) -> Iterator[Memories]:
        yield Memories(store, embedder, reranker)

    with Recaller(settings, lent) as made:
        yield made


@pytest.fixture
def recaller(known: Store, redis_url: str, redis_client: Redis) -> Iterator[Recaller]:
    with recalling(given(redis_url), known) as made:
        yield made


def texts(found: Answer) -> list[str]:
    return [one.memory.text for one in found.items]


class Hanging:
    """A part whose calls do not end while the test runs."""

    def __init__(self, part: Any, *calls: str) -> None:
        self._part, self._calls = part, calls
        self.began, self.ended = threading.Event(), threading.Event()
        self.begun = 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._part, name)
        return self._hang if name in self._calls else found

    def _hang(self, *_: Any, **__: Any) -> Any:
        self.begun += 1
        self.began.set()
        self.ended.wait(LONG)
        raise Unavailable("it was too late anyway")


@contextmanager
def hanging(part: Any, *calls: str) -> Iterator[Any]:
    made = Hanging(part, *calls)
    yield made
    made.ended.set()


class Down:
    """A part that is not there."""

    def __init__(self, part: Any, *calls: str) -> None:
        self._part, self._calls = part, calls

    def __getattr__(self, name: str) -> Any:
        if name in self._calls:
            raise Unavailable(f"nobody answers {name}")
        return getattr(self._part, name)


# What a backend gets


def test_a_question_is_answered_and_without_one_the_profile_told(
    recaller: Recaller, scope: Scope
) -> None:
    found = recaller.recall(scope.app, scope.user, "Has a boat?", limit=1)

    assert (texts(found), found.degraded) == ([BOAT], ())
    assert {*texts(recaller.recall(scope.app, scope.user))} == {OSLO, TEA, BOAT}
    assert texts(recaller.recall(scope.app, "nobody", "boat")) == []


def test_an_async_caller_gets_the_same(recaller: Recaller, scope: Scope) -> None:
    found = asyncio.run(recaller.arecall(scope.app, scope.user, "boat", max_tokens=50))

    assert found == recaller.recall(scope.app, scope.user, "boat", max_tokens=50)
    assert texts(found)[0] == BOAT


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (("", "ann"), {}),
        (("app", "a\x00b"), {}),
        (("app", "ann"), {"limit": 0}),
        (("app", "ann"), {"conversation": "c", "lmit": 1}),
    ],
)
def test_only_wrong_input_is_an_error(
    recaller: Recaller, names: tuple[str, str], options: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match=r".+"):
        recaller.recall(*names, "tea", **options)
    with pytest.raises(ValueError, match=r".+"):
        asyncio.run(recaller.arecall(*names, "tea", **options))


def test_what_was_answered_and_what_is_said_of_it_is_brought_to_redis(
    known: Store, scope: Scope, redis_url: str, redis_client: Redis
) -> None:
    with recalling(given(redis_url), known) as made:
        made.recall(scope.app, scope.user, "A boat?", limit=1)
        made.recall(scope.app, scope.user, "A boat?", limit=1, as_of=at(900))
        made.feedback(scope.app, scope.user, uid(BOAT), useful=True)
        made.feedback(scope.app, scope.user, str(uid(BOAT)), useful=False)
        with pytest.raises(ValueError, match="no id of a memory"):
            made.feedback(scope.app, scope.user, "no id", useful=True)

    log = ServedLog(redis_client)
    assert log.used(scope.key) == {uid(BOAT): 1}
    assert log.feedback(scope.key) == {uid(BOAT): Feedback(1, 1)}


def test_it_is_opened_from_settings_and_says_what_is_wrong_with_them(tmp_path: Path) -> None:
    usual: dict[str, Any] = {"embedder": "hash", "data_dir": tmp_path}
    with Recaller.open(given(NOWHERE, **usual)) as made:
        assert made.recall("app", "ann", "tea") == Answer()
    with pytest.raises(Misconfigured, match="RECALL_RERANKER_URL"):
        Recaller.open(given(NOWHERE, recall_reranker="rank-1", **usual))
    with pytest.raises(Misconfigured, match="RECALL_WEIGHTS"):
        Recaller.open(
            given(NOWHERE, recall_weights='{"cosine": 0, "bm25": 0, "codes": 0}', **usual)
        )


def test_a_store_that_is_not_there_at_the_start_is_opened_later(known: Store, scope: Scope) -> None:
    tries = list[int]()

    @contextmanager
    def lent(_: Settings) -> Iterator[Memories]:
        tries.append(1)
        if len(tries) == 1:
            raise Unavailable("it is starting")
        yield Memories(known, EMBEDDER)

    with Recaller(given(NOWHERE), lent) as made:
        found = made.recall(scope.app, scope.user, "tea")
        assert (found.items, len(found.degraded)) == ((), 1)
        assert "it is starting" in found.degraded[0]
        assert texts(made.recall(scope.app, scope.user, "tea"))[0] == TEA


def test_an_embedder_that_is_not_there_at_the_start_keeps_nobody_from_starting(
    tmp_path: Path,
) -> None:
    absent = {"embedder": "some-model", "embedder_url": "http://127.0.0.1:1/v1"}

    with Recaller.open(given(NOWHERE, data_dir=tmp_path, **absent)) as made:
        found = made.recall("app", "ann", "tea")

    assert found.items == ()
    assert found.degraded[0].startswith("the memories could not be read")


def test_a_closed_one_says_so(recaller: Recaller, scope: Scope) -> None:
    recaller.close()

    with pytest.raises(Misconfigured, match="is closed"):
        recaller.recall(scope.app, scope.user, "tea")
    with pytest.raises(Misconfigured, match="is closed"):
        asyncio.run(recaller.arecall(scope.app, scope.user, "tea"))


def test_a_forked_process_is_told_to_open_its_own(recaller: Recaller, scope: Scope) -> None:
    child = os.fork()
    if child == 0:
        try:
            recaller.recall(scope.app, scope.user, "tea")
        except Misconfigured as error:
            os._exit(7 if "after the fork" in str(error) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


# Seen once


def ask(made: Recaller, scope: Scope, query: str = "tea", **options: Any) -> Answer:
    return made.recall(scope.app, scope.user, query, conversation="c", **options)


def test_in_a_conversation_each_memory_is_told_once(recaller: Recaller, scope: Scope) -> None:
    assert texts(ask(recaller, scope, limit=1)) == [TEA]
    assert {*texts(ask(recaller, scope, limit=2))} == {OSLO, BOAT}
    assert texts(ask(recaller, scope)) == []
    other = recaller.recall(scope.app, scope.user, "tea", conversation="d", limit=1)
    assert texts(other) == texts(recaller.recall(scope.app, scope.user, "tea", limit=1)) == [TEA]


def test_another_process_knows_it_once_it_was_brought(
    known: Store, scope: Scope, redis_url: str, redis_client: Redis
) -> None:
    with recalling(given(redis_url), known) as one:
        assert texts(ask(one, scope, limit=1)) == [TEA]
    with recalling(given(redis_url), known) as other:
        assert TEA not in texts(ask(other, scope))

    place = Place.of(scope.key, "c")
    assert {*ShownLog(redis_client).beside(scope.key, place).shown} == {
        uid(OSLO),
        uid(TEA),
        uid(BOAT),
    }


def test_what_changed_comes_back_once_as_a_correction(
    recaller: Recaller, known: Store, scope: Scope
) -> None:
    ask(recaller, scope)
    put(known, memory("Drinks coffee", id=uid(TEA), scope=scope, version=2))

    found = ask(recaller, scope, "boat")
    assert [(one.memory.text, one.state) for one in found.items] == [
        ("Drinks coffee", "correction")
    ]
    assert ask(recaller, scope, "boat").items == ()


def test_what_no_longer_stands_is_named_for_withdrawal_once_by_any_process(
    known: Store, scope: Scope, redis_url: str, redis_client: Redis
) -> None:
    with recalling(given(redis_url), known) as one:
        ask(one, scope)
    writer = known.writer(scope, Holding(2))
    writer.prepare()
    gone = snapshot(memory(TEA, scope=scope), "forgotten", None, at(0), "asked to")
    writer.put_archives([ArchiveRecord(archive=gone, vector=EMBEDDER.embed([TEA])[0])])
    writer.remove_memories([uid(TEA)])
    ServedLog(redis_client).forget(scope.key, [uid(TEA)])

    with recalling(given(redis_url), known) as other:
        assert ask(other, scope).withdrawn == (uid(TEA),)
        assert ask(other, scope).withdrawn == ()
    with recalling(given(redis_url), known) as third:
        found = ask(third, scope)
        assert (found.withdrawn, found.items) == ((), ())


def test_what_the_caller_has_shown_itself_is_left_out_too(recaller: Recaller, scope: Scope) -> None:
    assert TEA not in texts(ask(recaller, scope, shown={uid(TEA): 1}))


def test_sixteen_at_once_in_one_conversation_tell_each_memory_once(
    recaller: Recaller, scope: Scope
) -> None:
    found = at_once(16, lambda nth: ask(recaller, scope, limit=3))

    assert sorted(text for one in found for text in texts(one)) == sorted([OSLO, TEA, BOAT])


def test_sixteen_at_once_get_what_each_gets_alone(recaller: Recaller, scope: Scope) -> None:
    alone = recaller.recall(scope.app, scope.user, "boat")

    for found in at_once(16, lambda nth: recaller.recall(scope.app, scope.user, "boat")):
        assert found == alone


def at_once(many: int, act: Callable[[int], Answer]) -> list[Answer]:
    ready, found = threading.Barrier(many), list[Answer]()

    def run(nth: int) -> None:
        ready.wait()
        found.append(act(nth))

    threads = [threading.Thread(target=run, args=(nth,)) for nth in range(many)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(found) == many
    return found


# Fresh


def say(client: Redis, scope: Scope, *said: str, **fields: Any) -> None:
    for text in said:
        line = {"app": scope.app, "user": scope.user, "role": "user", "text": text}
        Producer(client).publish({**line, **fields})


def test_turns_that_wait_are_told_where_that_is_asked_for(
    recaller: Recaller, scope: Scope, redis_client: Redis
) -> None:
    say(redis_client, scope, "I sold the boat.", "Please forget my address.", "I like jazz.")

    assert recaller.recall(scope.app, scope.user, "boat").pending == ()
    found = recaller.recall(scope.app, scope.user, "boat", include_pending=True)
    assert [(one.text, one.role, one.state) for one in found.pending] == [
        ("I sold the boat.", "user", "waiting"),
        ("I like jazz.", "user", "waiting"),
    ]
    assert len(found.items) == 3
    last = recaller.recall(scope.app, scope.user, include_pending=True, pending_limit=1)
    assert [one.text for one in last.pending] == ["I like jazz."]
    claim = Inbox(redis_client)
    claim.flush(scope.key)
    assert claim.claim()
    found = recaller.recall(scope.app, scope.user, "boat", include_pending=True)
    assert {one.state for one in found.pending} == {"in work"}


def test_turns_of_before_an_erasure_are_not_told(
    recaller: Recaller, known: Store, scope: Scope, redis_client: Redis
) -> None:
    say(redis_client, scope, "I sold the boat.", said_at="2026-01-01T12:00:00+00:00")
    say(redis_client, scope, "I like jazz.")
    known.writer(scope, Holding(2)).erase(at(-30))

    found = recaller.recall(scope.app, scope.user, "boat", include_pending=True)
    assert ([one.text for one in found.pending], found.items) == (["I like jazz."], ())


def test_turns_that_were_settled_and_published_again_are_not_told(
    recaller: Recaller, known: Store, scope: Scope, redis_client: Redis
) -> None:
    """What was learned from them is told, or was forgotten."""
    say(redis_client, scope, "My address is Main Street 7.", "I like jazz.")
    queue = Inbox(redis_client).pending(scope.key)
    writer = known.writer(scope, Holding(2))
    writer.prepare()
    writer.put_run(kept_run(scope, "forgotten", state="applied", turn_ids=(queue[0].id,)))

    found = recaller.recall(scope.app, scope.user, "address", include_pending=True)
    assert [one.text for one in found.pending] == ["I like jazz."]


def test_turns_have_a_share_of_the_budget_and_memories_the_rest(
    recaller: Recaller, scope: Scope, redis_client: Redis
) -> None:
    say(redis_client, scope, "I like jazz.")

    found = recaller.recall(scope.app, scope.user, "boat", include_pending=True, max_characters=50)
    assert [one.text for one in found.pending] == ["I like jazz."]
    assert (len(found.items), found.not_fitting) == (2, 1)
    whole = recaller.recall(scope.app, scope.user, "boat", max_characters=50)
    assert len(whole.items) == 3
    small = recaller.recall(scope.app, scope.user, "boat", include_pending=True, max_characters=30)
    assert (small.pending, len(small.items)) == ((), 2)


# Something is slow, or down


@pytest.fixture
def resting(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was late is left alone for as long as a test lasts."""
    for name in ("FIRST_SECONDS", "LONGEST_SECONDS"):
        monkeypatch.setattr(f"worker.core.failing.circuit.{name}", 600.0)


def waiting_little_for(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And long for all others: no answer of a test depends on how busy the machine is."""
    monkeypatch.setattr(f"worker.recaller.{part.upper()}_SHARE", 0.003)
    monkeypatch.setattr("worker.recaller.FAIR_SHARE", 0.001)


def test_without_a_redis_it_answers_and_says_what_was_not_done(known: Store, scope: Scope) -> None:
    with recalling(given(NOWHERE), known) as made:
        assert made.recall(scope.app, scope.user, "tea").degraded == ()
        found = ask(made, scope, include_pending=True)
        assert texts(found)[0] == TEA
        (told,) = found.degraded
        assert told.startswith("what was shown before may be shown again and turns that wait are")
        # What this process has shown it knows by itself.
        assert ask(made, scope).items == ()


@pytest.mark.usefixtures("resting")
def test_a_redis_that_is_slow_costs_its_share_of_the_time_once(
    sqlite_known: Store, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting_little_for("redis", monkeypatch)
    with (
        hanging(None, "beside") as slow,
        recalling(given(NOWHERE), sqlite_known) as made,
    ):
        slow.beside = slow._hang
        made._shown = slow
        for _ in range(3):
            found = ask(made, scope)
            assert "Redis" in found.degraded[0]
        assert slow.begun == 1
        assert texts(made.recall(scope.app, scope.user, "boat"))[0] == BOAT


@pytest.mark.usefixtures("resting")
def test_an_embedder_that_is_slow_leaves_words_and_is_not_waited_for_again(
    known: Store, scope: Scope, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting_little_for("embedder", monkeypatch)
    with (
        hanging(EMBEDDER, "embed") as slow,
        recalling(given(redis_url), known, slow) as made,
    ):
        for _ in range(5):
            found = made.recall(scope.app, scope.user, "tea")
            assert texts(found) == [TEA]
            assert found.degraded[0].startswith("the embedder gave no vectors")
        assert slow.begun == 1


class Refusing(HashedEmbedder):
    """One whose key is wrong."""

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        raise Misconfigured("set the key", part="embedder")


@pytest.mark.parametrize("embedder", [Refusing(), Down(EMBEDDER, "embed")])
def test_an_embedder_that_fails_leaves_words(
    known: Store, scope: Scope, redis_url: str, embedder: Any
) -> None:
    with recalling(given(redis_url), known, embedder) as made:
        found = made.recall(scope.app, scope.user, "tea")

    assert (texts(found), len(found.degraded)) == ([TEA], 1)


@pytest.mark.parametrize("how", ["slow", "down"])
def test_without_the_store_the_turns_that_wait_are_what_is_left(
    sqlite_known: Store,
    scope: Scope,
    redis_url: str,
    redis_client: Redis,
    monkeypatch: pytest.MonkeyPatch,
    how: str,
) -> None:
    monkeypatch.setattr("worker.recaller.REDIS_SHARE", 1.0)
    say(redis_client, scope, "I sold the boat.", "Forget my address.")
    calls = ("nominate", "memories", "runs", "about")
    with hanging(sqlite_known, *calls) as slow:
        store = slow if how == "slow" else Down(sqlite_known, *calls)
        with recalling(given(redis_url), store) as made:
            found = ask(made, scope, include_pending=True, deadline_seconds=0.6)

    assert [one.text for one in found.pending] == ["I sold the boat."]
    assert (found.items, found.withdrawn) == ((), ())
    assert found.degraded[0].startswith("the memories could not be read")


def test_without_anything_there_is_still_an_answer(sqlite_known: Store, scope: Scope) -> None:
    store = Down(sqlite_known, "nominate", "memories", "runs", "about")
    with recalling(given(NOWHERE), store, Refusing()) as made:
        found = ask(made, scope, include_pending=True)

    assert (found.items, found.pending) == ((), ())
    assert len(found.degraded) == 2


class Ranks:
    """A reranker by a rule of the test."""

    def __init__(self, order: Callable[[str, Sequence[str]], list[int]]) -> None:
        self.order = order


def test_a_reranker_puts_the_best_in_order(known: Store, scope: Scope, redis_url: str) -> None:
    asked = list[str]()

    def order(query: str, documents: Sequence[str]) -> list[int]:
        asked.append(query)
        return [documents.index(one) for one in (BOAT, OSLO, TEA)]

    with recalling(given(redis_url), known, reranker=Ranks(order)) as made:
        assert texts(made.recall(scope.app, scope.user, "tea", mmr=None)) == [BOAT, OSLO, TEA]
        assert len(made.recall(scope.app, scope.user).items) == 3
    assert asked == ["tea"]


@pytest.mark.parametrize("how", ["slow", "down"])
def test_without_the_reranker_the_order_stays(
    sqlite_known: Store,
    scope: Scope,
    redis_url: str,
    monkeypatch: pytest.MonkeyPatch,
    how: str,
) -> None:
    waiting_little_for("reranker", monkeypatch)
    with recalling(given(redis_url), sqlite_known) as plain:
        usual = plain.recall(scope.app, scope.user, "tea")
    ranks = Ranks(lambda query, documents: [0])
    with hanging(ranks, "order") as slow:
        reranker: Any = slow if how == "slow" else Down(ranks, "order")
        with recalling(given(redis_url), sqlite_known, reranker=reranker) as made:
            found = made.recall(scope.app, scope.user, "tea")

    assert found.items == usual.items
    assert found.degraded[0].startswith("the reranker gave no order")


# An event loop


def test_a_cancelled_recall_ends_at_once_and_shows_nothing(
    sqlite_known: Store, scope: Scope, redis_url: str
) -> None:
    async def give_up(made: Recaller) -> None:
        task = asyncio.create_task(
            made.arecall(scope.app, scope.user, "tea", conversation="c", limit=1)
        )
        await asyncio.to_thread(slow.began.wait, LONG)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with (
        hanging(EMBEDDER, "embed") as slow,
        recalling(given(redis_url), sqlite_known, slow) as made,
    ):
        asyncio.run(give_up(made))
        slow.ended.set()
        assert texts(ask(made, scope, limit=1)) == [TEA]


def test_more_than_there_are_threads_for_have_their_answers_in_time(
    sqlite_known: Store, scope: Scope
) -> None:
    async def many(made: Recaller) -> list[Answer]:
        calls = (
            made.arecall(scope.app, scope.user, "tea", deadline_seconds=0.2) for _ in range(60)
        )
        return await asyncio.gather(*calls)

    with (
        hanging(sqlite_known, "nominate") as slow,
        recalling(given(NOWHERE), slow) as made,
    ):
        found = asyncio.run(many(made))
    assert len(found) == 60
    assert all(one.items == () and one.degraded for one in found)


def test_the_loop_goes_on_while_a_recall_waits(sqlite_known: Store, scope: Scope) -> None:
    async def beside(made: Recaller) -> bool:
        waiting = asyncio.create_task(made.arecall(scope.app, scope.user, "tea"))
        await asyncio.to_thread(slow.began.wait, LONG)
        was_waiting = not waiting.done()
        slow.ended.set()
        await waiting
        return was_waiting

    with (
        hanging(EMBEDDER, "embed") as slow,
        recalling(given(NOWHERE), sqlite_known, slow) as made,
    ):
        assert asyncio.run(beside(made))
