"""A real Redis or Valkey for tests: one for the session, and one of its own for a test that kills it."""

import os
import random
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import RedisError

from deploy.weaviate_process import PORTS
from worker.adapters.embedded import server_program
from worker.adapters.redis_server import connect
from worker.errors import Misconfigured

_HOST = "127.0.0.1"
_WAIT_SECONDS = 60.0


class RedisServer:
    """A private server on a free loopback port. What it acknowledged survives `kill`."""

    def __init__(self, program: Path, folder: Path, *options: str) -> None:
        self._program = program
        self._folder = folder
        self._options = options
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://{_HOST}:{self.port}/0"

    @property
    def socket_path(self) -> Path:
        return self._folder / "redis.sock"

    def start(self) -> None:
        self._folder.mkdir(exist_ok=True)
        options = ["--bind", _HOST, "--port", str(self.port), "--dir", str(self._folder)]
        durable = ["--appendonly", "yes", "--appendfsync", "no", "--save", ""]
        self._process = subprocess.Popen(
            [self._program, *options, *durable, *self._options, "--logfile", "redis.log"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + _WAIT_SECONDS
        while time.monotonic() < deadline:
            if self._answers():
                return
            assert self._process.poll() is None, (self._folder / "redis.log").read_text()
            time.sleep(0.01)
        raise TimeoutError(self.url)

    def kill(self) -> None:
        """`kill -9`."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        try:
            with connect(self.url) as client:
                return bool(client.ping())
        except RedisError:
            return False


def free_port() -> int:
    """One that nobody listens on just now, and that no outgoing connection takes until a server has it (again)."""
    # Not the generator that every test begins anew from the same seed: two processes would choose the same.
    for port in random.SystemRandom().sample(PORTS, 100):
        with suppress(OSError), socket.socket() as probe:
            probe.bind((_HOST, port))
            return port
    raise OSError(f"no free port in {PORTS}")


@pytest.fixture(scope="session")
def redis_program() -> Path:
    try:
        return server_program()
    except Misconfigured as error:
        if os.environ.get("CI") == "true":
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def _shared_redis(
    redis_program: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RedisServer]:
    server = RedisServer(redis_program, tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def redis_url(_shared_redis: RedisServer) -> str:
    """The session's server; what is on it belongs to whoever uses `redis_client`."""
    return _shared_redis.url


@pytest.fixture
def redis_client(redis_url: str) -> Iterator[Redis]:
    """A client on an empty server."""
    with connect(redis_url) as client:
        client.flushall()
        yield client


@pytest.fixture
def redis_server(redis_program: Path, tmp_path: Path) -> Iterator[RedisServer]:
    """A server of its own, running, to be killed and started again."""
    server = RedisServer(redis_program, tmp_path)
    server.start()
    yield server
    server.kill()
