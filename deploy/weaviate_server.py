"""Finds or gets a real Weaviate server, and runs it on this machine for tests and trials.

`python -m deploy.weaviate_server get` looks in this order and stops at the first server that starts and says
a version that slowwave works with: the binary named by `SLOWWAVE_WEAVIATE_BIN`, `PATH`, our cache folder, the
official release archive (only if its SHA-256 is the published one), and `go install` of the same release.
`run` runs it until Ctrl-C; see `deploy/weaviate_process.py` for who can reach it meanwhile.
"""

import argparse
import fcntl
import hashlib
import http.client
import os
import platform
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from deploy.weaviate_process import NoServer, Papers, Server, started, what_is_wrong

VERSION = "1.39.3"
RELEASES = "https://github.com/weaviate/weaviate/releases/download"
MODULE = "github.com/weaviate/weaviate/cmd/weaviate-server"
#: Seconds to wait for one answer of the network.
NETWORK_SECONDS = 5.0

Say = Callable[[str], None]


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "slowwave" / f"weaviate-{VERSION}"


def cached_binary() -> Path:
    return cache_folder() / "weaviate-server"


def found() -> list[Path]:
    """Binaries that are already here, best first; a binary named by the setting is the only choice."""
    if named := os.environ.get("SLOWWAVE_WEAVIATE_BIN"):
        return [Path(named).expanduser()]
    on_path = [shutil.which(name) for name in ("weaviate-server", "weaviate")]
    places = [*(Path(place) for place in on_path if place), cached_binary()]
    return [place for place in places if os.access(place, os.X_OK)]


def find() -> Path | None:
    """The binary to use, without downloading or building anything."""
    return next(iter(found()), None)


def get(say: Say) -> Path:
    """A binary that was seen to run, fetched or built if need be. Raises `NoServer`."""
    tried: list[str] = []
    for binary in found():
        if wrong := what_is_wrong(binary):
            say(f"{binary}: {wrong}")
            tried.append(f"{binary}: {wrong}")
        else:
            return binary
    if os.environ.get("SLOWWAVE_WEAVIATE_BIN"):
        raise NoServer(f"SLOWWAVE_WEAVIATE_BIN names a server that does not work: {tried[0]}")
    with _only_one(say):
        if not os.access(cached_binary(), os.X_OK) or what_is_wrong(cached_binary()):
            _fetch_or_build(say, tried)
    return cached_binary()


def _fetch_or_build(say: Say, tried: list[str]) -> None:
    for way in (download, build):
        try:
            _keep(way, say)
        except NoServer as error:
            say(f"{way.__name__}: {error}")
            tried.append(f"{way.__name__}: {error}")
        else:
            say(f"Weaviate {VERSION} is in {cached_binary()}")
            return
    raise NoServer(
        f"no Weaviate {VERSION} to be had ({'; '.join(tried)}). Install Go 1.26 or newer, or set"
        " SLOWWAVE_WEAVIATE_BIN to a server's binary"
    )


def _keep(way: Callable[[Path, Say], Path], say: Say) -> None:
    """What is half got never lies where it would be used."""
    with tempfile.TemporaryDirectory(
        prefix="getting-", dir=cache_folder(), ignore_cleanup_errors=True
    ) as folder:
        fresh = way(Path(folder), say)
        if wrong := what_is_wrong(fresh):
            raise NoServer(wrong)
        fresh.replace(cached_binary())


@contextmanager
def _only_one(say: Say) -> Iterator[None]:
    """One session fetches or builds at a time; what a killed one left behind is cleared away."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    with (cache_folder() / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another session is getting the server: waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        for left in cache_folder().glob("getting-*"):
            shutil.rmtree(left, ignore_errors=True)
        yield


def archive_name() -> str:
    """The release's name for this machine. Raises `NoServer` where there is none."""
    system, machine = platform.system(), platform.machine().lower()
    if system == "Darwin":
        return f"weaviate-v{VERSION}-darwin-all.zip"
    processor = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}
    if system != "Linux" or machine not in processor:
        raise NoServer(f"there is no release for {system} on {machine}")
    return f"weaviate-v{VERSION}-linux-{processor[machine]}.tar.gz"


def download(folder: Path, say: Say) -> Path:
    """The release archive's binary; beside each archive the project publishes `<archive>.sha256`."""
    address = f"{RELEASES}/v{VERSION}/{archive_name()}"
    say(f"downloading {address}")
    try:
        published = _read(f"{address}.sha256").decode("ascii", "replace").split()[:1]
        archive = folder / archive_name()
        with archive.open("wb") as file, _open(address) as answer:
            shutil.copyfileobj(answer, file)
    except (OSError, http.client.HTTPException) as error:
        raise NoServer(f"{address} cannot be read: {error}") from error
    with archive.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if published != [digest]:
        raise NoServer(f"{address} has SHA-256 {digest}, published is {published}: not used")
    return _unpack(archive, folder)


def _read(address: str) -> bytes:
    with _open(address) as answer:
        return answer.read(1024)


def _open(address: str) -> http.client.HTTPResponse:
    answer: http.client.HTTPResponse = urllib.request.urlopen(address, timeout=NETWORK_SECONDS)  # noqa: S310 - below RELEASES
    return answer


def _unpack(archive: Path, folder: Path) -> Path:
    binary = folder / "weaviate-server"
    with ExitStack() as open_files:
        inside: IO[bytes] | None = None
        if archive.suffix == ".zip":
            packed = open_files.enter_context(zipfile.ZipFile(archive))
            inside = packed.open("weaviate") if "weaviate" in packed.namelist() else None
        else:
            tar = open_files.enter_context(tarfile.open(archive))
            member = next((m for m in tar if Path(m.name).name == "weaviate" and m.isfile()), None)
            inside = tar.extractfile(member) if member else None
        if inside is None:
            raise NoServer(f"{archive.name} holds no file `weaviate`")
        with binary.open("wb") as file:
            shutil.copyfileobj(inside, file)
    binary.chmod(0o755)
    return binary


def build(folder: Path, say: Say, go: str | None = None) -> Path:
    """Compiles the release; the 4 GB of sources and objects live and go with `folder`."""
    compiler = go or shutil.which("go")
    if compiler is None:
        raise NoServer("there is no `go` on PATH")
    command = [compiler, "install", "-ldflags", "-s -w", f"{MODULE}@v{VERSION}"]
    say(f"compiling with {compiler}: some 4 minutes and 4 GB of disk, given back afterwards")
    done = subprocess.run(
        command, env=_build_environment(folder), capture_output=True, text=True, check=False
    )
    binary = folder / "weaviate-server"
    if done.returncode != 0 or not binary.exists():
        raise NoServer(f"`{' '.join(command)}` failed: {done.stderr.strip()[-1000:]}")
    return binary


def _build_environment(folder: Path) -> dict[str, str]:
    places = {"GOBIN": ".", "GOPATH": "path", "GOMODCACHE": "modules", "GOCACHE": "objects"}
    # Go writes its module files read-only, so that nobody could remove the folder.
    flags = {"CGO_ENABLED": "0", "GOFLAGS": "-buildvcs=false -modcacherw"}
    own = {name: str((folder / place).resolve()) for name, place in places.items()}
    return {**os.environ, **flags, **own}


def _first_that_works() -> Path | None:
    """Where there is only one, starting it for good tells soon enough."""
    here = found()
    others = (place for place in here[:-1] if not what_is_wrong(place))
    return next(others, here[-1] if here else None)


@contextmanager
def server(
    data: Path,
    binary: Path | None = None,
    environment: Mapping[str, str] | None = None,
    papers: Papers | None = None,
) -> Iterator[Server]:
    """Runs the first binary here that works, on the data in this folder. Raises `NoServer`."""
    with started(binary or working(), data, environment, papers) as running:
        yield running


def working() -> Path:
    """The first binary here that works. Raises `NoServer`."""
    chosen = _first_that_works()
    if chosen is None:
        raise NoServer("no Weaviate server here: run `python -m deploy.weaviate_server get`")
    return chosen


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m deploy.weaviate_server", description=__doc__)
    parser.add_argument("command", choices=("get", "run"))
    parser.add_argument("--data", type=Path, default=None, help="folder of the data (run)")
    chosen = parser.parse_args(arguments)
    try:
        binary = get(lambda line: print(line, file=sys.stderr, flush=True))
        print(binary, flush=True)
        if chosen.command == "run":
            _run(binary, chosen.data or cache_folder() / "data")
    except NoServer as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _run(binary: Path, data: Path) -> None:
    # A shell that starts it in the background has it ignore Ctrl-C's signal, as does what a script leaves running.
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.default_int_handler)
    with suppress(KeyboardInterrupt), server(data, binary) as running:
        print(f"SLOWWAVE_STORE_URL={running.url}", flush=True)
        print(f"data and log in {data}; stop with Ctrl-C", file=sys.stderr, flush=True)
        # A signal that arrives just before an endless wait would not end it.
        while True:
            time.sleep(0.2)


if __name__ == "__main__":
    sys.exit(main())
