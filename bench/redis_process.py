"""A Redis of a bench's own, on a free loopback port, that may be killed and started again."""

import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from redis import Redis
from redis.exceptions import RedisError

from worker.adapters.embedded import server_program
from worker.adapters.redis_server import connect

HOST = "127.0.0.1"
WAIT_SECONDS = 60.0

Fsync = Literal["always", "everysec", "no"]


class RedisProcess:
    """Runs while it is entered. What it has acknowledged survives `kill`."""

    def __init__(self, folder: Path, fsync: Fsync = "everysec") -> None:
        """Raises `Misconfigured` where there is no server program."""
        self._program = server_program()
        self._folder = folder
        self._fsync = fsync
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://{HOST}:{self.port}/0"

    def client(self) -> Redis:
        return connect(self.url)

    def start(self) -> None:
        """Raises `TimeoutError` if it does not answer within a minute."""
        self._folder.mkdir(parents=True, exist_ok=True)
        options = {
            "--bind": HOST,
            "--port": str(self.port),
            "--dir": str(self._folder),
            "--appendonly": "yes",
            "--appendfsync": self._fsync,
            "--save": "",
            # A rewrite runs in a child, which would outlive a server that is killed.
            "--auto-aof-rewrite-percentage": "0",
            "--logfile": "redis.log",
        }
        words = [word for option in options.items() for word in option]
        self._process = subprocess.Popen([self._program, *words], stdout=subprocess.DEVNULL)  # noqa: S603 - our own server
        until = time.monotonic() + WAIT_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > until:
                raise TimeoutError(f"Redis does not start: see {self._folder / 'redis.log'}")
            time.sleep(0.01)

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

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
