"""Getting a server in every way there is, and running the one that is here."""

import errno
import hashlib
import io
import os
import signal
import socket
import subprocess
import sys
import tarfile
import textwrap
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from deploy import weaviate_process, weaviate_server
from deploy.weaviate_process import BLOCK, NoServer, Server, free_block, started, what_is_wrong
from deploy.weaviate_server import (
    archive_name,
    build,
    cached_binary,
    download,
    find,
    get,
    main,
    server,
)

VERSION = weaviate_server.VERSION
#: Before the tests hide it.
HERE = find()
OLD_SERVER = """
    import sys
    from http.server import BaseHTTPRequestHandler, HTTPServer

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = b'{"version": "1.30.0"}'
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    HTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Handler).serve_forever()
"""


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def shell(path: Path, text: str) -> Path:
    return program(path, f"#!/bin/sh\n{text}\n")


@pytest.fixture(autouse=True)
def empty_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No server anywhere, a cache folder of the test's own, and no network."""
    bare = tmp_path / "bin"
    bare.mkdir()
    monkeypatch.setenv("PATH", str(bare))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("SLOWWAVE_WEAVIATE_BIN", raising=False)
    monkeypatch.setattr(weaviate_server, "RELEASES", "http://127.0.0.1:9/none")
    return tmp_path


def test_a_machine_without_a_server_has_none() -> None:
    assert find() is None


def test_the_setting_goes_before_path_and_path_before_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached = shell(cached_binary(), "exit 1")
    assert find() == cached
    on_path = shell(tmp_path / "bin" / "weaviate", "exit 1")
    assert find() == on_path
    better_named = shell(tmp_path / "bin" / "weaviate-server", "exit 1")
    assert find() == better_named
    monkeypatch.setenv("SLOWWAVE_WEAVIATE_BIN", "/opt/own")
    assert find() == Path("/opt/own")


def test_a_server_that_ends_at_start_is_quoted(tmp_path: Path) -> None:
    broken = shell(tmp_path / "broken", "echo 'no private IP address' >&2; exit 3")

    assert what_is_wrong(broken) == "it ended with code 3 at start: no private IP address"


def test_a_file_that_cannot_be_run_is_named(tmp_path: Path) -> None:
    text = program(tmp_path / "notes.txt", "just text")

    assert "cannot be run" in str(what_is_wrong(text))
    assert "cannot be run" in str(what_is_wrong(tmp_path / "missing"))


def test_a_server_that_is_too_old_is_named_with_both_versions(tmp_path: Path) -> None:
    old = program(tmp_path / "old", f"#!{sys.executable}\n{textwrap.dedent(OLD_SERVER)}")

    wrong = what_is_wrong(old)

    assert wrong == "it is Weaviate 1.30.0; slowwave needs 1.38.6 or newer"


def test_a_server_that_never_answers_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weaviate_process, "START_SECONDS", 0.3)
    silent = shell(tmp_path / "silent", f"echo $$ > {tmp_path}/pid; exec /bin/sleep 1000")

    assert "not ready" in str(what_is_wrong(silent))
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_a_named_server_that_does_not_work_is_not_replaced_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell(cached_binary(), "exit 1")
    monkeypatch.setenv("SLOWWAVE_WEAVIATE_BIN", str(shell(tmp_path / "own", "exit 7")))

    with pytest.raises(NoServer, match=r"SLOWWAVE_WEAVIATE_BIN.*code 7"):
        get(lambda _: None)


def archive(folder: Path, content: bytes) -> Path:
    """A release as the project publishes it, its SHA-256 beside it."""
    place = folder / f"v{VERSION}" / archive_name()
    place.parent.mkdir(parents=True)
    if place.suffix == ".zip":
        with zipfile.ZipFile(place, "w") as packed:
            packed.writestr("weaviate", content)
    else:
        with tarfile.open(place, "w:gz") as tar:
            for name in ("LICENSE", "weaviate"):
                member = tarfile.TarInfo(name)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    digest = hashlib.sha256(place.read_bytes()).hexdigest()
    place.with_name(place.name + ".sha256").write_text(f"{digest}\n")
    return place


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A place that serves the folder `releases`."""
    folder = tmp_path / "releases"
    folder.mkdir()
    handler = partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        monkeypatch.setattr(
            weaviate_server, "RELEASES", f"http://127.0.0.1:{http.server_address[1]}"
        )
        yield
        http.shutdown()
        thread.join()


@pytest.mark.usefixtures("releases")
@pytest.mark.parametrize("system", ["Linux", "Darwin"])
def test_a_release_with_its_published_checksum_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    monkeypatch.setattr("platform.system", lambda: system)
    archive(tmp_path / "releases", b"#!/bin/sh\n")

    binary = download(tmp_path, lambda _: None)

    assert binary.read_bytes() == b"#!/bin/sh\n"
    assert os.access(binary, os.X_OK)


@pytest.mark.usefixtures("releases")
@pytest.mark.parametrize("published", ["0" * 64, "", "<html>"])
def test_a_release_with_another_checksum_is_not_used(tmp_path: Path, published: str) -> None:
    place = archive(tmp_path / "releases", b"#!/bin/sh\n")
    place.with_name(place.name + ".sha256").write_text(published)

    with pytest.raises(NoServer, match="not used"):
        download(tmp_path, lambda _: None)
    assert not (tmp_path / "weaviate-server").exists()


@pytest.mark.usefixtures("releases")
def test_a_release_without_a_checksum_is_not_used(tmp_path: Path) -> None:
    place = archive(tmp_path / "releases", b"#!/bin/sh\n")
    place.with_name(place.name + ".sha256").unlink()

    with pytest.raises(NoServer, match="cannot be read"):
        download(tmp_path, lambda _: None)


@pytest.mark.parametrize("system, machine", [("Windows", "AMD64"), ("Linux", "riscv64")])
def test_a_machine_without_a_release_is_told(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str
) -> None:
    monkeypatch.setattr("platform.system", lambda: system)
    monkeypatch.setattr("platform.machine", lambda: machine)

    with pytest.raises(NoServer, match=f"no release for {system}"):
        archive_name()


def test_go_builds_into_the_folder_it_is_given(tmp_path: Path) -> None:
    go = shell(
        tmp_path / "go",
        'case "$*" in *"weaviate-server@v"*) echo "$GOMODCACHE $GOCACHE $GOFLAGS" > "$GOBIN/weaviate-server";;'
        " esac",
    )

    binary = build(tmp_path, lambda _: None, str(go))

    modules, objects, *flags = binary.read_text().split()
    assert Path(modules).is_relative_to(tmp_path)
    assert Path(objects).is_relative_to(tmp_path)
    assert "-modcacherw" in flags


def test_what_go_says_is_quoted(tmp_path: Path) -> None:
    go = shell(tmp_path / "go", "echo 'requires go >= 1.26' >&2; exit 1")

    with pytest.raises(NoServer, match=r"requires go >= 1\.26"):
        build(tmp_path, lambda _: None, str(go))


def test_nothing_to_be_had_says_what_was_tried_and_leaves_nothing(tmp_path: Path) -> None:
    shell(tmp_path / "bin" / "weaviate", "exit 5")
    said: list[str] = []
    left = cached_binary().parent / "getting-killed"
    left.mkdir(parents=True)

    with pytest.raises(NoServer, match=r"code 5.*download: .*build: .*SLOWWAVE_WEAVIATE_BIN"):
        get(said.append)

    assert any("downloading" in line for line in said)
    assert [file.name for file in cached_binary().parent.iterdir()] == ["lock"]


def test_what_was_built_but_does_not_run_is_not_kept(tmp_path: Path) -> None:
    shell(
        tmp_path / "bin" / "go",
        """printf '#!/bin/sh\\nexit 9' > "$GOBIN/weaviate-server"; chmod +x "$GOBIN/weaviate-server" """,
    )
    (tmp_path / "bin" / "chmod").symlink_to("/bin/chmod")

    with pytest.raises(NoServer, match="build: it ended with code 9"):
        get(lambda _: None)
    assert not cached_binary().exists()


def test_two_sessions_do_not_both_build() -> None:
    inside = threading.Event()
    said: list[str] = []

    def second() -> None:
        with weaviate_server._only_one(said.append):
            inside.set()

    with weaviate_server._only_one(lambda _: None):
        thread = threading.Thread(target=second)
        thread.start()
        assert not inside.wait(0.1)
    thread.join(timeout=10)

    assert inside.is_set()
    assert said == ["another session is getting the server: waiting for it"]


def test_a_block_of_ports_is_free_and_below_those_of_outgoing_connections() -> None:
    first = free_block()

    for port in range(first, first + BLOCK):
        with socket.socket() as tried:
            tried.bind(("127.0.0.1", port))
    assert 10_000 <= first < 32_000 - BLOCK


def test_a_port_in_use_is_not_free() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))

        assert not weaviate_process._is_free(held.getsockname()[1])


def test_the_command_fails_with_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["get"]) == 1
    assert "error: no Weaviate" in capsys.readouterr().err


def test_a_running_server_says_where_it_is(weaviate_server: Server) -> None:
    expected = f"weaviate://127.0.0.1:{weaviate_server.port}?grpc_port={weaviate_server.port + 1}"

    assert weaviate_server.url == expected
    assert weaviate_server.version.startswith("1.")


def test_a_server_is_gone_when_its_block_ends(tmp_path: Path, weaviate_server: Server) -> None:
    assert HERE is not None
    with started(HERE, tmp_path / "data") as short:
        os.kill(short.pid, 0)

    with pytest.raises(ProcessLookupError):
        os.kill(short.pid, 0)
    os.kill(weaviate_server.pid, 0)


@pytest.mark.usefixtures("weaviate_server")
def test_a_server_that_does_not_work_gives_way_to_the_next(tmp_path: Path) -> None:
    assert HERE is not None
    shell(tmp_path / "bin" / "weaviate", "exit 1")
    cached_binary().parent.mkdir(parents=True)
    cached_binary().symlink_to(HERE)

    with server(tmp_path / "data") as running:
        assert running.version.startswith("1.")


@pytest.mark.usefixtures("weaviate_server")
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_run_says_the_address_and_takes_the_server_with_it(
    tmp_path: Path, stop: signal.Signals
) -> None:
    command = [sys.executable, "-m", "deploy.weaviate_server", "run", "--data", str(tmp_path / "d")]
    own = {**os.environ, "SLOWWAVE_WEAVIATE_BIN": str(HERE)}
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, env=own, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline().strip() == str(HERE)
        url = running.stdout.readline().strip().removeprefix("SLOWWAVE_STORE_URL=")
        running.send_signal(stop)
        assert running.wait(timeout=30) == 0

    port = urlsplit(url).port
    assert port is not None
    with socket.socket() as tried:
        assert tried.connect_ex(("127.0.0.1", port)) == errno.ECONNREFUSED
