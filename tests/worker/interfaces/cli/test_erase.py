"""`slowwave erase` as people and programs run it."""

import os
import pty
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from redis import Redis

from tests.build import SCOPE
from tests.worker.interfaces.cli.running import WHOSE, Cli, Told
from worker.adapters.inbox import Inbox
from worker.direct.erasing import Contents
from worker.interfaces.cli.erase import PLACES

LINE = {"app": SCOPE.app, "user": SCOPE.user, "role": "user", "text": "I live in Oslo.", "id": "1"}
THERE = {"memories": 1, "runs": 1, "seen": 1, "recent": 1}


@pytest.fixture
def known(cli: Cli) -> Cli:
    cli("publish", cli.write(LINE))
    cli("drain", "--all")
    return cli


def at_a_terminal(cli: Cli, typed: str) -> Told:
    """The command with somebody at the keyboard."""
    keyboard, stdin = pty.openpty()
    os.write(keyboard, f"{typed}\n".encode())
    command = [sys.executable, "-m", "worker.interfaces.cli.main", "erase", *WHOSE]
    environment = {**os.environ, **cli.environment}
    try:
        done = subprocess.run(
            command, stdin=stdin, capture_output=True, text=True, env=environment, check=False
        )
    finally:
        os.close(keyboard)
        os.close(stdin)
    return Told(done.returncode, done.stdout, done.stderr)


def known_texts(cli: Cli) -> list[str]:
    return [line["text"] for line in cli("memories", *WHOSE, "--json").lines]


def test_where_nobody_can_be_asked_it_has_to_be_said(known: Cli) -> None:
    told = known("erase", *WHOSE)

    assert told.status == 2
    assert "--yes" in told.err
    assert known_texts(known) == ["User lives in Oslo"]


def test_it_shows_what_there_is_and_asks_for_the_name(known: Cli) -> None:
    other = at_a_terminal(known, "y")
    left = known_texts(known)
    same = at_a_terminal(known, SCOPE.user)

    assert (other.status, left) == (1, ["User lives in Oslo"])
    assert "nothing was erased" in other.err
    assert "memories" in other.err
    assert other.out == ""
    assert same.status == 0
    assert f"of {SCOPE.key}; what was said until" in same.out
    assert known_texts(known) == []


def test_the_receipt_for_machines_is_one_document_without_names_or_texts(
    known: Cli, redis_client: Redis
) -> None:
    told = known("erase", *WHOSE, "--yes", "--json")

    assert told.status == 0
    assert told.document["scope_key"] == SCOPE.key
    assert told.document["gone"] == Contents(**THERE).model_dump()
    assert "Oslo" not in told.out
    assert known_texts(known) == []
    assert redis_client.keys(f"*{SCOPE.key}*") == []


def test_a_second_time_there_is_nothing_and_what_was_said_does_not_come_back(known: Cli) -> None:
    line = {**LINE, "said_at": "2026-01-01T10:00:00Z", "id": "2"}
    for _ in range(2):
        last = known("erase", *WHOSE, "--yes", "--json")
    known("publish", known.write(line))
    known("drain", "--all")

    assert last.document["gone"] == Contents().model_dump()
    assert known_texts(known) == []


def test_every_place_has_a_name_for_people() -> None:
    assert [*PLACES] == [*Contents.model_fields]


def test_until_when_is_said_by_the_clock_that_all_share(
    known: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of this machine may be a day ahead: what people say meanwhile would be kept out."""
    shared = datetime(2026, 6, 1, 12, tzinfo=UTC)
    monkeypatch.setattr(Inbox, "now", lambda inbox: shared)
    told = known("erase", *WHOSE, "--yes", "--json")

    assert told.document["erased_at"] == "2026-06-01T12:00:00Z"


@pytest.mark.parametrize(
    "command", [("erase",), ("forget", "--query", "Oslo")], ids=["erase", "forget"]
)
def test_the_embedded_redis_keeps_no_word_in_its_files(
    cli: Cli, tmp_path: Path, command: tuple[str, ...]
) -> None:
    own = Cli(cli.folder, {**cli.environment, "SLOWWAVE_REDIS_URL": ""})
    own("publish", own.write(LINE))
    own("drain", "--all")
    assert "Oslo" in files_of_redis(tmp_path)

    assert own(*command, *WHOSE, "--yes").status == 0
    assert "Oslo" not in files_of_redis(tmp_path), (
        "also where the server has stopped with the command"
    )


def files_of_redis(folder: Path) -> str:
    files = (file for file in (folder / "redis").rglob("*") if file.is_file())
    return "".join(file.read_bytes().decode("latin-1") for file in files)
