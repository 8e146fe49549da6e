"""Ways to one server: TLS, its socket, a database of its own, a user with least rights."""

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from redis import Redis, SSLConnection
from redis.sentinel import SentinelConnectionPool, SentinelManagedSSLConnection

from producers.clients import client
from producers.producer import AsyncProducer, Producer
from schemas.limits import Limits
from schemas.redis_address import redis_address
from tests.redis_fleet import Cluster, Watched, wait_until
from tests.redis_service import RedisServer, free_port
from tests.tls import Papers, tls_front
from worker.adapters.inbox import Inbox
from worker.adapters.redis_risks import risks
from worker.adapters.redis_server import connect
from worker.adapters.spending import Spending
from worker.core.sleeping.again import AT_ONCE, Bedtime
from worker.errors import Misconfigured, Unavailable

ROOT = Path(__file__).parents[3]
LINE: dict[str, Any] = {"app": "acme", "user": "ann", "role": "user", "text": "I live in Oslo."}


def goes_all_the_way(producer_url: str, worker_url: str) -> list[str]:
    """Publish, claim, commit; what the producers said."""
    with connect(worker_url) as redis:
        inbox, spending = Inbox(redis), Spending(redis)
        inbox.configure(Limits(quiet_seconds=0))
        inbox.check()
        statuses = publish(producer_url)
        inbox.flush()
        claim = inbox.claim()
        assert claim
        turns = inbox.turns(claim)
        inbox.context(claim, ["default"])
        inbox.renew(claim)
        inbox.keep_plan(claim, "plan")
        inbox.kept_plan(claim)
        spending.add(claim.scope_key, 1, 1)
        inbox.fail(claim, 0, burn=True)
        inbox.flush(claim.scope_key)
        while again := inbox.claim():
            inbox.commit(again, 1, 1)
        inbox.unsee(claim.scope_key, [turns[0].id])
        taken = inbox.seize(claim.scope_key).claim
        inbox.drop_turns(taken, [turns[0].id])
        inbox.drop_recent(taken, [turns[0].id])
        inbox.evict(taken, 0, turns[0].said_at)
        inbox.release(taken)
        inbox.ring(["bell"], 1, 1)
        inbox.answered("bell")
        _sleeps(inbox, claim.scope_key)
        assert inbox.idle()
        assert len(turns) == 2
    return statuses


def _sleeps(inbox: Inbox, scope_key: str) -> None:
    sleepers = inbox.sleepers
    sleepers.due(scope_key, Bedtime(after_seconds=60))
    sleepers.call("slot")
    sleepers.ring(["bell"], 1, 1)
    sleepers.answered("bell")
    sleeper = sleepers.claim()
    assert sleeper
    renewed = sleepers.renew(sleeper)
    assert renewed
    sleepers.end(renewed, AT_ONCE)
    inbox.ready()


def publish(url: str) -> list[str]:
    async def also() -> str:
        async with AsyncProducer(url) as producer:
            return (await producer.publish({**LINE, "id": "2"})).status

    with Producer(url) as producer:
        one = producer.publish({**LINE, "id": "1"})
    return [one.status, asyncio.run(also())]


def test_a_client_with_a_certificate_is_let_in(redis_server: RedisServer, papers: Papers) -> None:
    with tls_front(papers, redis_server.port) as port:
        url = f"rediss://127.0.0.1:{port}/0?{papers.options}"
        statuses = goes_all_the_way(url, url)

    assert statuses == ["accepted"] * 2


def test_a_cluster_is_reached_over_tls(redis_program: Path, tmp_path: Path, papers: Papers) -> None:
    port = free_port()
    own = ["--cluster-enabled", "yes", "--cluster-port", str(free_port())]
    node = RedisServer(redis_program, tmp_path, *own, "--cluster-announce-port", str(port))
    node.start()
    try:
        with Redis(port=node.port) as admin:
            admin.execute_command("CLUSTER", "ADDSLOTSRANGE", 0, 16383)
            wait_until(lambda: b"state:ok" in admin.execute_command("CLUSTER", "INFO"))
        with tls_front(papers, node.port, port):
            url = f"rediss+cluster://127.0.0.1:{port}?{papers.options}"
            statuses = goes_all_the_way(url, url)
    finally:
        node.kill()

    assert statuses == ["accepted"] * 2


@pytest.mark.parametrize("known", ["", "authority"], ids=["no authority", "no certificate"])
def test_whoever_does_not_know_the_other_is_not_let_in(
    redis_server: RedisServer, papers: Papers, known: str
) -> None:
    with tls_front(papers, redis_server.port) as port:
        url = f"rediss://:hunter2@127.0.0.1:{port}/0"
        url += f"?ssl_ca_certs={papers.authority}" if known else ""
        with connect(url) as redis, pytest.raises(Unavailable) as raised:
            Inbox(redis).status()
        with Producer(url) as producer:
            answer = producer.publish(LINE)

    assert answer.status == "unavailable"
    assert "hunter2" not in f"{raised.value} {answer.message}"


def test_sentinels_and_the_master_they_name_are_asked_over_tls() -> None:
    url = "rediss+sentinel://:pw@s1,s2/m/2?ssl_ca_certs=/ca.pem&sentinel_password=other"
    with client(redis_address(url), 0.2) as made:
        master = cast("SentinelConnectionPool", made.connection_pool)
        pools = [one.connection_pool for one in master.sentinel_manager.sentinels]
    told = [pool.connection_kwargs for pool in (master, *pools)]

    assert [pool.connection_class for pool in (master, *pools)] == [
        SentinelManagedSSLConnection,
        SSLConnection,
        SSLConnection,
    ]
    assert [one["ssl_ca_certs"] for one in told] == ["/ca.pem"] * 3
    assert [one["password"] for one in told] == ["pw", "other", "other"]
    assert [one["socket_timeout"] for one in told] == [0.2] * 3
    assert [one["retry"].get_retries() for one in told] == [0] * 3


def test_the_password_of_redis_is_not_told_to_the_sentinels() -> None:
    with client(redis_address("redis+sentinel://ann:pw@s1/m"), 0.2) as made:
        master = cast("SentinelConnectionPool", made.connection_pool)
        told = [one.connection_pool.connection_kwargs for one in master.sentinel_manager.sentinels]

    assert [(one.get("username"), one.get("password")) for one in told] == [(None, None)]


def test_an_address_that_names_its_own_patience_has_it() -> None:
    with client(redis_address("redis://db?socket_timeout=3"), 0.2) as made:
        told = made.connection_pool.connection_kwargs

    assert (told["socket_timeout"], told["socket_connect_timeout"]) == (3, 0.2)


def test_one_server_has_several_databases(redis_server: RedisServer) -> None:
    statuses = goes_all_the_way(*[redis_server.url.removesuffix("0") + "3"] * 2)

    with connect(redis_server.url) as redis:
        assert redis.dbsize() == 0
    assert statuses == ["accepted"] * 2


def test_a_server_is_reached_by_its_socket(redis_program: Path, tmp_path: Path) -> None:
    path = tmp_path / "a b.sock"
    server = RedisServer(redis_program, tmp_path, "--unixsocket", str(path))
    server.start()
    try:
        url = f"unix://{str(path).replace(' ', '%20')}?db=1"
        statuses = goes_all_the_way(url, url)
    finally:
        server.kill()

    assert statuses == ["accepted"] * 2


def rights(name: str) -> list[str]:
    """What docs/redis.md lets a user do."""
    page = (ROOT / "docs" / "redis.md").read_text()
    found = re.search(rf"```acl {name}\n(.*?)```", page, re.DOTALL)
    assert found
    return found[1].split()


@pytest.fixture
def guarded(redis_server: RedisServer) -> Iterator[RedisServer]:
    """A server that knows the users of docs/redis.md, and nobody else."""
    with Redis(port=redis_server.port) as admin:
        for name in ("producer", "worker", "broker"):
            admin.execute_command("ACL", "SETUSER", name, *rights(name))
        yield redis_server


def as_user(server: RedisServer, name: str) -> str:
    return server.url.replace("redis://", f"redis://{name}:PASSWORD@")


def test_users_with_the_rights_of_the_manual_have_all_they_need(guarded: RedisServer) -> None:
    statuses = goes_all_the_way(as_user(guarded, "producer"), as_user(guarded, "worker"))

    with Redis(port=guarded.port) as admin:
        refused = [(entry["username"], entry["object"]) for entry in admin.acl_log()]
    assert statuses == ["accepted"] * 2
    assert [one for one in refused if one[1] != "client|setinfo"] == []


def test_in_a_cluster_they_need_a_few_more(redis_cluster: Cluster) -> None:
    found = re.search(
        r"In a cluster .* need `(.*)` besides", (ROOT / "docs" / "redis.md").read_text()
    )
    assert found
    for node in redis_cluster.nodes:
        with Redis(port=node.port) as admin:
            for name in ("producer", "worker"):
                admin.execute_command("ACL", "SETUSER", name, *rights(name), *found[1].split())
    urls = [
        f"redis+cluster://{name}:PASSWORD@{redis_cluster.hosts}" for name in ("producer", "worker")
    ]

    assert goes_all_the_way(*urls) == ["accepted"] * 2


@pytest.mark.parametrize(
    ("name", "scripts", "asked"),
    [
        (
            "producer",
            sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("producers/*.lua")),
            "evalsha eval get set",
        ),
        (
            "worker",
            sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("worker/adapters/lua/*.lua")),
            "evalsha eval get hmget hgetall hlen lrange zrange zrem info",
        ),
    ],
)
def test_the_manual_gives_no_right_that_nothing_needs(
    name: str, scripts: list[str], asked: str
) -> None:
    called = {
        command.lower()
        for script in scripts
        for command in re.findall(r"redis\.call\('(\w+)'", (ROOT / script).read_text())
    }

    given = {right[1:] for right in rights(name) if right.startswith("+")}
    assert given == called | set(asked.split())


def test_a_user_without_the_rights_is_told_so(guarded: RedisServer) -> None:
    url = as_user(guarded, "producer")

    with connect(url) as redis:
        with pytest.raises(Misconfigured, match=r"no permissions.*docs/redis\.md"):
            Inbox(redis).claim()
        (warning,) = risks(redis)
    assert "INFO" in warning


@contextmanager
def working(folder: Path, **settings: str) -> Iterator[subprocess.Popen[str]]:
    """A worker that has come up."""
    own = {
        "SLOWWAVE_STORE_URL": f"sqlite:///{folder / 'memory.db'}",
        "SLOWWAVE_DATA_DIR": str(folder),
        "SLOWWAVE_EMBEDDER": "hash",
        "SLOWWAVE_QUIET_SECONDS": "0",
        **settings,
    }
    command = [sys.executable, "-P", "-m", "worker.interfaces.cli.main", "worker", "--json"]
    with (folder / "worker.log").open("w") as log:
        process = subprocess.Popen(
            command,
            env={**os.environ, **own},
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    with process:
        try:
            assert process.stdout
            assert "ready" in process.stdout.readline(), (folder / "worker.log").read_text()
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)


def learns(folder: Path, producer_url: str, worker_url: str, **settings: str) -> None:
    """A worker process learns what is published; its doorbells came through the broker."""
    with working(folder, SLOWWAVE_REDIS_URL=worker_url, **settings) as process:
        with Producer(producer_url) as producer:
            assert producer.publish(LINE).status == "accepted"
        with connect(worker_url) as redis:
            inbox = Inbox(redis)
            wait_until(lambda: process.poll() is not None or inbox.idle())
        assert process.poll() is None, (folder / "worker.log").read_text()
    said = (folder / "worker.log").read_text()
    assert "broker_takes_no_bell" not in said, said
    assert "batch_settled" in said, said


def test_celery_goes_over_tls_and_looks_at_the_certificate(
    redis_server: RedisServer, papers: Papers, tmp_path: Path
) -> None:
    with tls_front(papers, redis_server.port) as port:
        url = f"rediss://127.0.0.1:{port}/2?{papers.options}"
        learns(tmp_path, url, url)


def test_celery_has_all_it_needs_under_the_rights_of_the_manual(
    guarded: RedisServer, tmp_path: Path
) -> None:
    learns(
        tmp_path,
        as_user(guarded, "producer"),
        as_user(guarded, "worker"),
        SLOWWAVE_BROKER_URL=as_user(guarded, "broker"),
    )

    with Redis(port=guarded.port) as admin:
        refused = [(entry["username"], entry["object"]) for entry in admin.acl_log()]
    assert [one for one in refused if one[1] != "client|setinfo"] == []


def test_celery_finds_the_master_by_the_sentinel(watched_redis: Watched, tmp_path: Path) -> None:
    learns(tmp_path, watched_redis.url, watched_redis.url)


def test_celery_goes_through_the_socket(redis_program: Path, tmp_path: Path) -> None:
    path = tmp_path / "redis.sock"
    server = RedisServer(redis_program, tmp_path, "--unixsocket", str(path))
    server.start()
    try:
        learns(tmp_path, f"unix://{path}?db=1", f"unix://{path}?db=1")
    finally:
        server.kill()
