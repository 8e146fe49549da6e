"""Commands started by a shell that closes, fills or cuts off their streams."""

import os
import shlex
import subprocess
import sys

import pytest

from tests.worker.interfaces.cli.running import Cli

COMMAND = shlex.join([sys.executable, "-P", "-m", "worker.interfaces.cli.main"])
WHOSE = "--app a --user u"
CLOSED = ("<&-", ">&-", "2>&-", "<&- >&- 2>&-")


def shell(cli: Cli, arguments: str) -> subprocess.CompletedProcess[str]:
    """The arguments may end in redirections."""
    return subprocess.run(
        ["sh", "-c", f"{COMMAND} {arguments}"],
        env={**os.environ, **cli.environment},
        cwd=cli.folder,
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("command", ["--help", f"memories {WHOSE}"])
def test_a_closed_stream_is_no_error(cli: Cli, command: str, closed: str) -> None:
    done = shell(cli, f"{command} {closed}")

    assert done.returncode == 0
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("rest", ["", " >&-", " 2>&-"])
def test_nothing_can_be_published_from_a_closed_stdin(cli: Cli, rest: str) -> None:
    done = shell(cli, f"publish -{rest} <&-")

    assert done.returncode == 1
    assert not done.stdout
    assert done.stderr in {
        "",
        "slowwave: stdin is closed: pipe turns into it, or name a file of them\n",
    }
    assert done.stderr or "2>&-" in rest


@pytest.mark.parametrize("command", ["--help", "status", "status --json"])
def test_a_stdout_without_room_is_said_on_one_line(cli: Cli, command: str) -> None:
    done = shell(cli, f"{command} >/dev/full")

    assert done.returncode == 1
    assert done.stderr.startswith("slowwave: stdout does not take the answer (No space left")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("command", "status"), [("nonsense", 2), ("publish x", 1)])
def test_a_stderr_without_room_changes_nothing(cli: Cli, command: str, status: int) -> None:
    assert shell(cli, f"{command} 2>/dev/full").returncode == status


@pytest.mark.parametrize("command", ["--help", "check --json"])
def test_a_reader_that_has_read_enough_is_no_error_worth_a_word(cli: Cli, command: str) -> None:
    done = shell(cli, f"{command} | true")

    assert not done.stderr


def test_letters_that_the_terminal_lacks_are_escaped(cli: Cli) -> None:
    poor = Cli(cli.folder, {**cli.environment, "PYTHONIOENCODING": "ascii"})

    done = shell(poor, "check")

    assert done.returncode == 0
    assert "\\u2013" in done.stdout
