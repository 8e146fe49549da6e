"""Runs a Weaviate server's binary on free ports of this machine, and stops it.

Its gRPC port and its cluster data port listen on all interfaces, whatever the address of the REST port: on a
machine that others can reach, put it behind a firewall.
"""

import http.client
import json
import os
import random
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc  # type: ignore[import-untyped]

#: The oldest server whose searches do what slowwave asks; older ones ignore what they do not know.
OLDEST = (1, 38, 6)
#: Seconds to wait for a server to come up, for one answer of it, and for it to end.
START_SECONDS = 60.0
ANSWER_SECONDS = 5.0
STOP_SECONDS = 15.0
#: Below the range from which Linux and macOS take ports of outgoing connections.
PORTS = range(10_000, 32_000)
BLOCK = 6


class NoServer(Exception):
    """There is no Weaviate server to be had; the message says what was tried."""


@dataclass(frozen=True)
class Papers:
    """Files of a certificate for 127.0.0.1, its key, and the authority that signed it."""

    certificate: Path
    key: Path
    authority: Path


@dataclass(frozen=True)
class Server:
    """A running server."""

    port: int
    grpc_port: int
    version: str
    pid: int
    log: Path
    papers: Papers | None = None

    @property
    def url(self) -> str:
        address = f"127.0.0.1:{self.port}?grpc_port={self.grpc_port}"
        if self.papers is None:
            return f"weaviate://{address}"
        return f"weaviates://{address}&ssl_ca_certs={self.papers.authority}"


@dataclass(frozen=True)
class Place:
    """Where a server runs, and how; it may be started there again and again."""

    binary: Path
    data: Path
    #: The first of its six ports.
    first: int
    environment: Mapping[str, str] = field(default_factory=dict)
    papers: Papers | None = None

    @property
    def log(self) -> Path:
        return self.data / "server.log"


def what_is_wrong(binary: Path) -> str | None:
    """Starts it once: why it cannot be used, or nothing."""
    with tempfile.TemporaryDirectory(prefix="slowwave-weaviate-") as folder:
        try:
            with started(binary, Path(folder)):
                return None
        except NoServer as error:
            return str(error)


@contextmanager
def started(
    binary: Path,
    data: Path,
    environment: Mapping[str, str] | None = None,
    papers: Papers | None = None,
) -> Iterator[Server]:
    """Runs until the block ends, over TLS where it has papers. Raises `NoServer`, quoting the end of its log."""
    place = Place(binary, data, free_block(), environment or {}, papers)
    process = launch(place)
    try:
        yield ready(place, process)
    finally:
        stop(process)


def launch(place: Place) -> subprocess.Popen[bytes]:
    """Returns at once; `ready` waits. Raises `NoServer` for what is no program."""
    place.data.mkdir(parents=True, exist_ok=True)
    patience = ["--read-timeout=600s", "--write-timeout=600s"]
    own = _settings(place.data, place.first)
    with place.log.open("ab") as output:
        try:
            return subprocess.Popen(
                [str(place.binary.absolute()), *_address(place), *patience],
                env={**os.environ, **own, **_grpc_papers(place.papers), **place.environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=place.data,
            )
        except OSError as error:
            raise NoServer(f"{place.binary} cannot be run: {error}") from error


def _address(place: Place) -> list[str]:
    where = ["127.0.0.1", str(place.first)]
    if place.papers is None:
        return ["--scheme", "http", "--host", where[0], "--port", where[1]]
    signed = [
        "--tls-certificate",
        str(place.papers.certificate),
        "--tls-key",
        str(place.papers.key),
    ]
    return ["--scheme", "https", "--tls-host", where[0], "--tls-port", where[1], *signed]


def _grpc_papers(papers: Papers | None) -> dict[str, str]:
    if papers is None:
        return {}
    return {"GRPC_CERT_FILE": str(papers.certificate), "GRPC_KEY_FILE": str(papers.key)}


def _settings(data: Path, first: int) -> dict[str, str]:
    """One node for itself, loopback wherever the server lets us choose, modules and telemetry off.

    The server wants the data port right after the gossip port, and the inner raft port right after raft's.
    """
    return {
        "CLUSTER_HOSTNAME": "node1",
        "CLUSTER_IN_LOCALHOST": "true",
        "CLUSTER_BIND_ADDR": "127.0.0.1",
        "CLUSTER_ADVERTISE_ADDR": "127.0.0.1",
        "GRPC_PORT": str(first + 1),
        "CLUSTER_GOSSIP_BIND_PORT": str(first + 2),
        "CLUSTER_DATA_BIND_PORT": str(first + 3),
        "RAFT_PORT": str(first + 4),
        "RAFT_INTERNAL_RPC_PORT": str(first + 5),
        "RAFT_BOOTSTRAP_EXPECT": "1",
        "RAFT_BOOTSTRAP_TIMEOUT": "60",
        "RAFT_TIMEOUTS_MULTIPLIER": "1",
        "GO_PROFILING_DISABLE": "true",
        "PERSISTENCE_DATA_PATH": str(data.absolute()),
        "DEFAULT_VECTORIZER_MODULE": "none",
        "ENABLE_MODULES": "",
        "API_BASED_MODULES_DISABLED": "true",
        "AUTOSCHEMA_ENABLED": "false",
        "DISABLE_TELEMETRY": "true",
        "DISABLE_GRAPHQL": "true",
        "DISK_USE_READONLY_PERCENTAGE": "100",
        "DISK_USE_WARNING_PERCENTAGE": "100",
        "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "true",
        "LOG_LEVEL": "warning",
        "GOMEMLIMIT": "1GiB",
    }


def free_block() -> int:
    """The first of six neighbouring ports that nobody listens on just now."""
    for _ in range(200):
        first = random.SystemRandom().randrange(PORTS.start, PORTS.stop - BLOCK)
        if all(_is_free(port) for port in range(first, first + BLOCK)):
            return first
    raise NoServer(f"no {BLOCK} free ports in a row between {PORTS.start} and {PORTS.stop}")


def _is_free(port: int) -> bool:
    with ExitStack() as held:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
            try:
                held.enter_context(socket.socket(socket.AF_INET, kind)).bind(("", port))
            except OSError:
                return False
    return True


def ready(place: Place, process: subprocess.Popen[bytes]) -> Server:
    """Waits until it serves. Raises `NoServer`."""
    deadline = time.monotonic() + START_SECONDS
    _wait_for(lambda: _answers(place), process, place.log, deadline)
    version = _version(place)
    if tuple(int(part) for part in version.split("-")[0].split(".")) < OLDEST:
        raise NoServer(
            f"it is Weaviate {version}; slowwave needs {'.'.join(map(str, OLDEST))} or newer"
        )
    _wait_for(lambda: _serves_grpc(place), process, place.log, deadline)
    return Server(place.first, place.first + 1, version, process.pid, place.log, place.papers)


def _wait_for(
    ready: Callable[[], bool], process: subprocess.Popen[bytes], log: Path, deadline: float
) -> None:
    while not ready():
        if process.poll() is not None:
            raise NoServer(f"it ended with code {process.returncode} at start: {_end_of(log)}")
        if time.monotonic() > deadline:
            raise NoServer(f"it was not ready within {START_SECONDS:.0f} s: {_end_of(log)}")
        time.sleep(0.05)


def _end_of(log: Path) -> str:
    return log.read_text(errors="replace").strip()[-2000:] or "its log is empty"


def _answers(place: Place) -> bool:
    with suppress(OSError, http.client.HTTPException), _open(place, "/.well-known/ready"):
        return True
    return False


def _open(place: Place, path: str) -> http.client.HTTPResponse:
    key = place.environment.get("AUTHENTICATION_APIKEY_ALLOWED_KEYS", "").split(",")[0]
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    scheme, context = "http", None
    if place.papers:
        scheme, context = "https", ssl.create_default_context(cafile=place.papers.authority)
    address = f"{scheme}://127.0.0.1:{place.first}/v1{path}"
    request = urllib.request.Request(address, headers=headers)  # noqa: S310 - our own server
    answer: http.client.HTTPResponse = urllib.request.urlopen(  # noqa: S310 - our own server
        request, timeout=ANSWER_SECONDS, context=context
    )
    return answer


def _version(place: Place) -> str:
    with _open(place, "/meta") as answer:
        return str(json.load(answer)["version"])


def _serves_grpc(place: Place) -> bool:
    """Standard health check (grpc.health.v1): an empty request, answered by field 1 = SERVING (1)."""
    with _channel(f"127.0.0.1:{place.first + 1}", place.papers) as channel:
        check = channel.unary_unary("/grpc.health.v1.Health/Check")
        with suppress(grpc.RpcError):
            return bool(check(b"", timeout=1.0) == b"\x08\x01")
    return False


def _channel(target: str, papers: Papers | None) -> Any:
    if papers is None:
        return grpc.insecure_channel(target)
    trusted = grpc.ssl_channel_credentials(papers.authority.read_bytes())
    return grpc.secure_channel(target, trusted)


def stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
