"""What a producer, a worker, a reader and a night do, each prepared so that the act alone can be counted."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import replace
from typing import Any, cast

from redis import Redis

from producers.producer import Producer
from schemas.keys import PartitionKeys, ScopeKeys
from tests.cases.asleep import asleep, separate
from tests.desk import Desk, scripted
from tests.fragile import Killed
from tests.guard import scene
from tests.guard.counting import Counted
from worker import tasks
from worker.core.recalling.answer import Answer
from worker.core.recalling.options import Options
from worker.core.sleeping.again import AT_ONCE
from worker.nightly import sleep_next
from worker.recaller import Recaller
from worker.settings import Settings
from worker.wiring import Memories

Act = Callable[[], object]
Case = Callable[[Desk], AbstractContextManager[Act]]


@contextmanager
def publishing(table: Desk, *texts: str, before: int = 0) -> Iterator[Act]:
    _knowing_redis(table)
    scene.say(table, *(f"Before, {at}" for at in range(before)))
    yield lambda: scene.say(table, *texts, days=1)


@contextmanager
def publishing_first(table: Desk) -> Iterator[Act]:
    table.producer = Producer(client_of(table))
    yield lambda: scene.say(table, scene.CHAT[0])


@contextmanager
def publishing_again(table: Desk) -> Iterator[Act]:
    scene.say(table, scene.CHAT[0])
    line = {"app": table.scope.app, "user": table.scope.user, "role": "user"}
    yield lambda: table.producer.publish({**line, "text": "x", "id": "0 0", "conversation": "c"})


@contextmanager
def publishing_many(table: Desk) -> Iterator[Act]:
    _knowing_redis(table)
    line = {"app": table.scope.app, "user": table.scope.user, "role": "user"}
    yield lambda: table.producer.publish_many({**line, "text": f"{at}"} for at in range(100))


@contextmanager
def waiting(table: Desk) -> Iterator[Act]:
    ticket = table.say("Good morning!", scene.NOW.isoformat()).ticket
    yield lambda: table.producer.wait(ticket, 0)


@contextmanager
def nobody_is_due(table: Desk) -> Iterator[Act]:
    yield lambda: tasks.settle_next(table.parts)


@contextmanager
def settling(table: Desk, *texts: str, known: bool = True, **settings: int) -> Iterator[Act]:
    if known:
        scene.say_what_is_known(table)
    scene.say(table, *texts, days=30)
    table.parts.inbox.flush()
    with scripted(table, scene.JUDGE, **settings):
        yield lambda: tasks.settle_next(table.parts)


class DiesWriting(Counted):
    """A store whose writers die before their first run is written: plans were kept until then."""

    def _counting(self, name: str, act: Callable[..., Any]) -> Callable[..., Any]:
        if name == "put_run":
            raise Killed
        return super()._counting(name, act)


@contextmanager
def settling_what_was_kept(table: Desk) -> Iterator[Act]:
    with settling(table, *scene.TEN_TURNS) as act:
        whole = table.parts
        table.parts = replace(whole, store=cast("Any", DiesWriting(whole.store)))
        with suppress(Killed):
            act()
        table.parts = whole
        assert client_of(table).get(keys_of(table).plan), "its plan was kept"
        client_of(table).zadd(PartitionKeys(0).busy, {table.scope.key: 0})
        yield act


@contextmanager
def giving_back(table: Desk) -> Iterator[Act]:
    scene.say(table, *scene.TEN_TURNS)
    claim = table.claim()
    yield lambda: table.parts.inbox.fail(claim, 1, burn=True, reason="the model is away")


@contextmanager
def recalling(table: Desk, *, notes: bool) -> Iterator[Act]:
    scene.say_what_is_known(table)
    scene.say(table, *scene.CHAT, days=30)
    url = "redis://{host}:{port}/{db}".format(**client_of(table).connection_pool.connection_kwargs)
    settings = Settings(redis_url=url, recall_deadline_seconds=30, _env_file=None)

    def recall(recaller: Recaller, conversation: str) -> Answer:
        asked: Options = {"conversation": conversation, "include_pending": True}
        answer = recaller.recall(*_names(table), scene.KNOWN[0], **asked)
        assert answer.pending
        assert not answer.degraded
        return answer

    with Recaller(settings, lambda _: nullcontext(_memories(table))) as recaller:
        told = recall(recaller, "c").items
        assert told
        recaller._serving.flush()
        if notes:
            recall(recaller, "d")
            recaller.feedback(*_names(table), told[0].memory.id, useful=True)
            yield recaller._serving.flush
        else:
            yield lambda: recall(recaller, "c")


@contextmanager
def nobody_is_to_sleep(table: Desk) -> Iterator[Act]:
    yield lambda: sleep_next(table.parts, lambda: None)


@contextmanager
def sleeping(table: Desk, *, night: int) -> Iterator[Act]:
    scene.say_what_is_known(table)

    def sleep() -> None:
        slept = sleep_next(table.parts, lambda: None)
        assert slept is not None
        assert slept.report is not None
        assert not slept.report.stopped, slept

    with asleep(table, separate, sleep_quiet_seconds=0):
        for _ in range(night):
            table.parts.inbox.sleepers.due(table.scope.key, AT_ONCE)
            sleep()
        table.parts.inbox.sleepers.due(table.scope.key, AT_ONCE)
        yield sleep


def _knowing_redis(table: Desk) -> None:
    """Whoever has published before knows the number of partitions."""
    table.producer.publish({"app": "guard", "user": "bo", "role": "user", "text": "Good morning!"})


def client_of(table: Desk) -> Redis:
    return table.parts.inbox._redis


def keys_of(table: Desk) -> ScopeKeys:
    return ScopeKeys(0, table.scope.key)


def _names(table: Desk) -> tuple[str, str]:
    return table.scope.app, table.scope.user


def _memories(table: Desk) -> Memories:
    return Memories(table.parts.store, table.parts.embedder)
