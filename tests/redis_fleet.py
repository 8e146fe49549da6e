"""Several real servers for a test: a cluster, and a master with a replica and a Sentinel."""

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from redis.crc import key_slot
from redis.exceptions import RedisError

from tests.redis_service import RedisServer, free_port

_HOST = "127.0.0.1"
_WAIT_SECONDS = 60.0
_SLOTS = 16384
MASTER = "mymaster"
#: A replica is sent the data at once, not after waiting for more replicas.
_AT_ONCE = ("--repl-diskless-sync-delay", "0")


class Cluster:
    """Three masters, the first with a replica; it takes over within seconds."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.nodes = [_Node(program, folder / str(at)) for at in range(4)]

    @property
    def hosts(self) -> str:
        return ",".join(f"{_HOST}:{node.port}" for node in self.nodes)

    @property
    def url(self) -> str:
        return f"redis+cluster://{self.hosts}"

    def start(self) -> None:
        for node in self.nodes:
            node.start()
        first, *others = (_client(node) for node in self.nodes)
        share = _SLOTS // 3 + 1
        for at, client in enumerate([first, *others[:2]]):
            _ask(client, "ADDSLOTSRANGE", at * share, min((at + 1) * share, _SLOTS) - 1)
            _ask(client, "SET-CONFIG-EPOCH", at + 1)
        for node in self.nodes[1:]:
            _ask(first, "MEET", _HOST, node.port, node.bus)
        replica = others[2]
        wait_until(lambda: all(self._complete(client) for client in (first, *others)))
        _ask(replica, "REPLICATE", _ask(first, "MYID").decode())
        wait_until(lambda: _in_step(first))
        wait_until(lambda: all(self._replica_known(client) for client in (first, *others)))
        for client in (first, *others):
            client.close()

    def _complete(self, client: Redis) -> bool:
        info = _ask(client, "INFO").decode()
        return "cluster_state:ok" in info and "cluster_known_nodes:4" in info

    def _replica_known(self, client: Redis) -> bool:
        return b" slave " in _ask(client, "NODES") or b"myself,slave" in _ask(client, "NODES")

    @property
    def last_slot_of_first(self) -> int:
        """Of those that the first node has."""
        return _SLOTS // 3

    def slot_of(self, key: str) -> int:
        return key_slot(key.encode())

    def keys_of(self, tag: str) -> list[bytes]:
        """All keys of a slot of the first node."""
        with _client(self.nodes[0]) as client:
            return [key for key in client.scan_iter() if tag.encode() in key]

    def begin_to_move(self, tag: str) -> None:
        """The slot, which holds nothing, from the first node to the second."""
        self._set_slot(1, tag, "IMPORTING", 0)
        self._set_slot(0, tag, "MIGRATING", 1)

    def finish_moving(self, tag: str) -> None:
        self._set_slot(1, tag, "NODE", 1)
        self._set_slot(0, tag, "NODE", 1)

    def _set_slot(self, at: int, tag: str, state: str, other: int) -> None:
        with _client(self.nodes[at]) as client, _client(self.nodes[other]) as named:
            name = _ask(named, "MYID").decode()
            _ask(client, "SETSLOT", self.slot_of(tag), state, name)

    def caught_up(self) -> None:
        """Wait until the replica has all that its master has."""
        _wait_in_step(self.nodes[0])

    def kill_master(self) -> None:
        """`kill -9` of the first, which has the first third of the slots."""
        self.nodes[0].kill()

    def stop(self) -> None:
        for node in self.nodes:
            node.kill()


class Watched:
    """A master, a replica and the Sentinel that watches them."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.master = RedisServer(program, folder / "master", *_AT_ONCE)
        self.replica = RedisServer(
            *(program, folder / "replica", "--replicaof", f"{_HOST} {self.master.port}"), *_AT_ONCE
        )
        self._program, self._folder, self._port = program, folder, free_port()
        self._sentinel: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis+sentinel://{_HOST}:1,{_HOST}:{self._port}/{MASTER}/0"

    def start(self) -> None:
        self.master.start()
        self.replica.start()
        self.caught_up()
        config = self._folder / "sentinel.conf"
        config.write_text(
            f"bind {_HOST}\nport {self._port}\ndir {self._folder}\nlogfile sentinel.log\n"
            f"sentinel monitor {MASTER} {_HOST} {self.master.port} 1\n"
            f"sentinel down-after-milliseconds {MASTER} 1000\n"
            f"sentinel failover-timeout {MASTER} 3000\n"
        )
        self._sentinel = subprocess.Popen(
            [self._program, config, "--sentinel"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(self._watches)

    def _watches(self) -> bool:
        try:
            with Redis(port=self._port, socket_timeout=5) as client:
                return bool(client.sentinel_slaves(MASTER))
        except RedisError:
            return False

    def caught_up(self) -> None:
        """Wait until the replica has all that its master has."""
        _wait_in_step(self.master)

    def kill_master(self) -> None:
        """`kill -9`."""
        self.master.kill()

    def stop(self) -> None:
        if self._sentinel:
            self._sentinel.kill()
            self._sentinel.wait()
        self.replica.kill()
        self.master.kill()


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + _WAIT_SECONDS
    while not holds():
        assert time.monotonic() < deadline, "it did not come to pass"
        time.sleep(0.02)


class _Node(RedisServer):
    """One of a cluster."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.bus = free_port()
        cluster = ["--cluster-enabled", "yes", "--cluster-port", str(self.bus)]
        quick = ["--cluster-node-timeout", "1000", "--cluster-replica-validity-factor", "0"]
        super().__init__(program, folder, *cluster, *quick, *_AT_ONCE)


def _client(server: RedisServer) -> Redis:
    return Redis(port=server.port, socket_timeout=10)


def _ask(client: Redis, *command: str | int) -> Any:
    """Redis's own answer to a `CLUSTER` command."""
    return client.execute_command("CLUSTER", *command)  # type: ignore[no-untyped-call] # redis has none here


def _wait_in_step(server: RedisServer) -> None:
    with _client(server) as client:
        wait_until(lambda: _in_step(client))


def _in_step(master: Redis) -> bool:
    known = master.info("replication")
    replica = known.get("slave0", {})
    online = replica.get("state") == "online"
    return bool(online and replica.get("offset") == known["master_repl_offset"])


@pytest.fixture
def redis_cluster(redis_program: Path, tmp_path: Path) -> Iterator[Cluster]:
    """A cluster of its own, running, whose first master may be killed."""
    cluster = Cluster(redis_program, tmp_path)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()


@pytest.fixture
def watched_redis(redis_program: Path, tmp_path: Path) -> Iterator[Watched]:
    """A master under a Sentinel, running, that may be killed."""
    watched = Watched(redis_program, tmp_path)
    try:
        watched.start()
        yield watched
    finally:
        watched.stop()
