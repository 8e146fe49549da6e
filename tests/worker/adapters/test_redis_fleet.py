"""A cluster, and a master behind a Sentinel: one story through each, and what a failover does to it."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from redis import Redis, RedisCluster
from redis.exceptions import ConnectionError as RedisConnectionError

from producers.answer import Answer
from producers.producer import AsyncProducer, Producer
from schemas.keys import partition_of
from schemas.scope import Scope
from tests.build import fact
from tests.desk import PATIENT, Desk, Says, desk
from tests.redis_fleet import Cluster, Watched
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.adapters.inbox import Inbox
from worker.adapters.redis_risks import risks
from worker.adapters.redis_server import connect
from worker.adapters.stores.sqlite import SqliteStore
from worker.errors import Misconfigured, Unavailable

PARTITIONS = 8
USERS = [f"user{at}" for at in range(16)]
LINE: dict[str, Any] = {"app": "acme", "user": "user0", "role": "user", "text": "I like tea."}

Fleet = Cluster | Watched
T = TypeVar("T")


@pytest.fixture(params=["redis_cluster", "watched_redis"])
def fleet(request: pytest.FixtureRequest) -> Fleet:
    made: Fleet = request.getfixturevalue(request.param)
    return made


def insist(ask: Callable[[], T]) -> T:
    """Until it goes on; nothing but `Unavailable` may come in between."""
    deadline = time.monotonic() + 60
    while True:
        try:
            return ask()
        except Unavailable:
            assert time.monotonic() < deadline, "it never went on"
            time.sleep(0.05)


def publish_until_taken(producer: Producer, line: dict[str, Any]) -> list[Answer]:
    """The answers, the last of which is no refusal of Redis's."""
    answers = []

    def publish() -> None:
        answers.append(producer.publish(line))
        if answers[-1].status == "unavailable":
            raise Unavailable(answers[-1].message or "")

    insist(publish)
    return answers


async def publish_until_taken_async(producer: AsyncProducer, line: dict[str, Any]) -> str:
    while True:
        answer = await producer.publish(line)
        if answer.status != "unavailable":
            return answer.status
        await asyncio.sleep(0.05)


@contextmanager
def office(fleet: Fleet, folder: Path) -> Iterator[Desk]:
    """A worker and a chat backend, each with a client of its own."""
    embedder = HashedEmbedder()
    store = SqliteStore(folder / "memory.db")
    store.open(embedder.fingerprint, embedder.dimensions)
    with connect(fleet.url) as client, Producer(fleet.url) as producer:
        scope = Scope(app="acme", user=USERS[0])
        made = desk(store, client, scope, embedder, partitions=PARTITIONS)
        every_turn = Says(
            lambda heard: tuple(
                fact(turn.text, turn_ids=(turn.id,), said_at=turn.said_at) for turn in heard.turns
            )
        )
        made.parts = replace(made.parts, extraction=every_turn)
        made.producer = producer
        yield made
    store.close()


def known(office: Desk, user: str) -> list[str]:
    memories = office.parts.store.memories(Scope(app="acme", user=user))
    return sorted(record.memory.text for record in memories)


def test_a_batch_of_every_partition_goes_all_the_way(fleet: Fleet, tmp_path: Path) -> None:
    with office(fleet, tmp_path) as here:
        lines = [{**LINE, "user": user, "text": f"I am {user}."} for user in USERS]
        answers = here.producer.publish_many(lines)
        again = here.producer.publish_many({**line, "id": "1"} for line in lines)
        here.settle()

        partitions = {partition_of(Scope(app="acme", user=user).key, PARTITIONS) for user in USERS}
        assert len(partitions) > 5
        assert {answer.status for answer in [*answers, *again]} == {"accepted"}
        assert [known(here, user) for user in USERS] == [[f"I am {user}."] for user in USERS]
        assert here.parts.inbox.idle()
        assert here.parts.inbox.status().pending_turns == 0


def test_a_failover_loses_nothing_and_both_sides_go_on(fleet: Fleet, tmp_path: Path) -> None:
    with office(fleet, tmp_path) as here:
        inbox = here.parts.inbox
        for user in USERS:
            here.producer.publish({**LINE, "user": user, "text": "Before."})
        inbox.flush()
        held = inbox.claim()
        assert held
        fleet.caught_up()
        fleet.kill_master()

        answers = [
            answer
            for user in USERS
            for answer in publish_until_taken(
                here.producer, {**LINE, "user": user, "text": "After.", "id": "after"}
            )
        ]
        insist(lambda: inbox.renew(held))
        insist(lambda: inbox.fail(held, 0, burn=False))
        insist(inbox.flush)
        while insist(lambda: not inbox.idle()):
            insist(here.settle)

        assert {answer.status for answer in answers} <= {"unavailable", "accepted", "duplicate"}
        assert [known(here, user) for user in USERS] == [["After.", "Before."]] * len(USERS)


def test_the_async_producer_gets_over_a_failover_as_well(fleet: Fleet) -> None:
    async def publish() -> list[str]:
        async with AsyncProducer(fleet.url) as producer:
            before = await producer.publish_many({**LINE, "user": user} for user in USERS)
            await asyncio.to_thread(fleet.caught_up)
            fleet.kill_master()
            statuses: list[str] = [answer.status for answer in before]
            for user in USERS:
                line = {**LINE, "user": user, "id": "after"}
                statuses.append(await publish_until_taken_async(producer, line))
            return statuses

    with connect(fleet.url) as client:
        Inbox(client, PARTITIONS).configure(PATIENT)
    statuses = asyncio.run(asyncio.wait_for(publish(), 90))

    assert set(statuses) <= {"accepted", "duplicate"}
    assert statuses[: len(USERS)] == ["accepted"] * len(USERS)
    with connect(fleet.url) as client:
        assert Inbox(client, PARTITIONS).status().pending_turns == 2 * len(USERS)


def test_a_producer_may_be_there_before_its_redis(redis_program: Path, tmp_path: Path) -> None:
    cluster = Cluster(redis_program, tmp_path)
    with Producer(cluster.url) as producer:
        early = producer.publish(LINE)
        try:
            cluster.start()
            late = producer.publish(LINE)
        finally:
            cluster.stop()

    assert (early.status, late.status) == ("unavailable", "accepted")


def test_turns_of_one_list_keep_their_order_in_a_cluster(redis_cluster: Cluster) -> None:
    with connect(redis_cluster.url) as client, Producer(redis_cluster.url) as producer:
        inbox = Inbox(client, PARTITIONS)
        inbox.configure(PATIENT)
        producer.publish_many({**LINE, "text": f"{at} of the first"} for at in range(20))
        client.script_flush()
        producer.publish_many({**LINE, "text": f"{at} of the second"} for at in range(20))
        texts = [turn.text for turn in inbox.pending(Scope(app="acme", user="user0").key)]

    assert texts == [f"{at} of the {which}" for which in ("first", "second") for at in range(20)]


def test_a_slot_that_moves_is_followed(redis_cluster: Cluster) -> None:
    user = next(user for user in USERS if at_home(redis_cluster, user))
    scope, line = Scope(app="acme", user=user), {**LINE, "user": user, "id": "1"}
    with connect(redis_cluster.url) as client, Producer(redis_cluster.url) as producer:
        inbox = Inbox(client, PARTITIONS)
        inbox.configure(PATIENT)
        producer.publish_many({**LINE, "user": other} for other in USERS if other != user)
        client.delete(*redis_cluster.keys_of(tag_of(user)))
        redis_cluster.begin_to_move(tag_of(user))
        during = producer.publish(line)
        redis_cluster.finish_moving(tag_of(user))
        after = publish_until_taken(producer, line)[-1]
        insist(lambda: inbox.flush(scope.key))
        claim = insist(inbox.claim)

    assert during.status in {"accepted", "unavailable"}
    assert after.status == ("duplicate" if during.status == "accepted" else "accepted")
    assert claim
    assert claim.scope_key == scope.key


def tag_of(user: str) -> str:
    return f"{{{partition_of(Scope(app='acme', user=user).key, PARTITIONS)}}}"


def at_home(cluster: Cluster, user: str) -> bool:
    """Whether the scope's slot is on the first node."""
    return cluster.slot_of(tag_of(user)) <= cluster.last_slot_of_first


class Hanging(RedisCluster):
    """A cluster, one node of which takes what it is asked and never answers."""

    def __init__(self) -> None:
        self.asked = 0

    def execute_command(self, *args: Any, **kwargs: Any) -> Any:
        self.asked += 1
        if args[0] == "GET":
            return b"1"
        if self.asked > 3:
            raise RedisConnectionError("gone")
        return [b"accepted", 1, 0, 0]

    def __del__(self) -> None:
        """Nothing was opened."""


def test_a_node_that_hangs_is_waited_for_once_for_a_whole_list() -> None:
    cluster = Hanging()
    answers = Producer(cluster).publish_many({**LINE, "text": str(at)} for at in range(100))

    statuses = [answer.status for answer in answers]
    assert statuses == ["accepted"] * 2 + ["unavailable"] * 98
    assert cluster.asked == 4


def test_each_master_of_a_cluster_is_looked_at(redis_cluster: Cluster) -> None:
    bad = redis_cluster.nodes[1]
    with Redis.from_url(bad.url) as one:
        one.config_set("appendonly", "no")
        with connect(redis_cluster.url) as client:
            warnings = risks(client)
        one.config_set("maxmemory-policy", "volatile-lru")
        with (
            connect(redis_cluster.url) as client,
            pytest.raises(
                Misconfigured, match=rf"Redis at 127.0.0.1:{bad.port} has .*volatile-lru"
            ),
        ):
            risks(client)

    about = [warning.partition(" has no append-only")[0] for warning in warnings]
    assert f"Redis at 127.0.0.1:{bad.port}" in about


def test_turns_that_a_failover_may_lose_are_warned_of(watched_redis: Watched) -> None:
    with connect(watched_redis.url) as client:
        (warning,) = risks(client)
        client.config_set("min-replicas-to-write", 1)
        assert risks(client) == []

    assert "set min-replicas-to-write 1" in warning


def test_a_replica_is_no_place_for_turns(watched_redis: Watched) -> None:
    with (
        connect(watched_redis.replica.url) as client,
        pytest.raises(Misconfigured, match=r"is a replica.*redis\+sentinel://"),
    ):
        risks(client)


def test_a_master_that_no_sentinel_knows_is_unavailable_and_no_secret_is_told() -> None:
    url = "redis+sentinel://:hunter2@127.0.0.1:1/nobody?sentinel_password=hunter2"
    with connect(url) as client, pytest.raises(Unavailable, match="nobody") as raised:
        Inbox(client).status()
    with Producer(url) as producer:
        answers = [producer.publish(LINE), asyncio.run(published(url))]
    told = [str(raised.value), *(str(answer.message) for answer in answers)]

    assert [answer.status for answer in answers] == ["unavailable"] * 2
    assert ["knows a master 'nobody'" in one for one in told] == [True] * 3
    assert not any("hunter2" in one or "redis.client" in one for one in told)


async def published(url: str) -> Answer:
    async with AsyncProducer(url) as producer:
        return await producer.publish(LINE)


def test_a_cluster_that_is_not_there_is_unavailable_and_no_secret_is_told() -> None:
    url = "redis+cluster://ann:hunter2@127.0.0.1:1,127.0.0.1:2"
    with pytest.raises(Unavailable, match="SLOWWAVE_REDIS_URL") as raised:
        connect(url)

    assert "hunter2" not in str(raised.value)
