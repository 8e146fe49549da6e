"""`slowwave forget` as people and programs run it."""

import os
import pty
import subprocess
import sys

import pytest

from tests.build import memory
from tests.worker.interfaces.cli.running import WHOSE, Cli, Shelf, Told

ASTHMA = "User has asthma"
BOTH = "User has asthma and sings in a choir"
CHOIR = "User sings in a choir"


@pytest.fixture
def known(cli: Cli, shelf: Shelf) -> Cli:
    shelf.put(memory(ASTHMA), memory(CHOIR), memory("User breathes easily"))
    return cli


def texts(cli: Cli) -> set[str]:
    return {line["text"] for line in cli("memories", *WHOSE, "--json").lines}


def id_of(cli: Cli, text: str) -> str:
    lines = cli("memories", *WHOSE, "--json").lines
    return next(str(line["id"]) for line in lines if line["text"] == text)


def at_a_terminal(cli: Cli, typed: str, *arguments: str) -> Told:
    """The command with somebody at the keyboard."""
    keyboard, stdin = pty.openpty()
    os.write(keyboard, f"{typed}\n".encode())
    command = [sys.executable, "-m", "worker.interfaces.cli.main", "forget", *WHOSE, *arguments]
    environment = {**os.environ, **cli.environment}
    try:
        done = subprocess.run(
            command, stdin=stdin, capture_output=True, text=True, env=environment, check=False
        )
    finally:
        os.close(keyboard)
        os.close(stdin)
    return Told(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    "arguments",
    [
        ("--yes",),
        ("--yes", "abcd", "--query", "asthma"),
        ("--yes", "--query", "is it"),
        ("--yes", "no id"),
        ("--query", "asthma"),
    ],
    ids=" ".join,
)
def test_it_has_to_be_said_what_and_that_it_is_meant(
    known: Cli, arguments: tuple[str, ...]
) -> None:
    told = known("forget", *WHOSE, *arguments)

    assert told.status == 2
    assert len(texts(known)) == 3


def test_a_query_takes_what_has_all_its_words(known: Cli) -> None:
    told = known("forget", *WHOSE, "--query", "the asthma", "--yes", "--json")

    assert told.status == 0
    assert told.document["memories"] == 1
    assert texts(known) == {CHOIR, "User breathes easily"}
    again = known("forget", *WHOSE, "--query", "the asthma", "--yes", "--json")
    assert (again.status, sum(again.document.values())) == (0, 0)


def test_an_id_takes_one_memory_also_by_its_first_digits_and_is_known_afterwards(
    known: Cli,
) -> None:
    id = id_of(known, ASTHMA)
    told = known("forget", *WHOSE, id[:8], "--yes")
    again = known("forget", *WHOSE, id[:8], "--yes", "--json")

    assert (told.status, again.status) == (0, 0)
    assert "memories that are gone" in told.out
    assert sum(again.document.values()) == 0
    assert texts(known) == {CHOIR, "User breathes easily"}


@pytest.mark.parametrize("id", ["abcdef", "00000000-0000-5000-8000-000000000009"])
def test_an_id_that_nobody_knows_is_said(known: Cli, id: str) -> None:
    told = known("forget", *WHOSE, id, "--yes")

    assert (told.status, told.out) == (1, "")
    assert "not found in this scope" in told.err


@pytest.mark.parametrize(
    ("typed", "status", "left"),
    [
        ("all", 0, {CHOIR}),
        ("2, 1", 0, {CHOIR}),
        ("3", 1, {ASTHMA, "User fears asthma", CHOIR}),
        ("", 1, {ASTHMA, "User fears asthma", CHOIR}),
    ],
)
def test_what_was_found_is_shown_numbered_and_asked_about(
    cli: Cli, shelf: Shelf, typed: str, status: int, left: set[str]
) -> None:
    shelf.put(memory(ASTHMA), memory(CHOIR), memory("User fears asthma"))
    told = at_a_terminal(cli, typed, "--query", "asthma")

    assert told.status == status
    assert ASTHMA in told.err
    assert ASTHMA not in told.out
    assert texts(cli) == left


@pytest.mark.parametrize(("typed", "left"), [("y", 2), ("n", 3)])
def test_before_a_memory_goes_its_words_are_shown(known: Cli, typed: str, left: int) -> None:
    told = at_a_terminal(known, typed, id_of(known, ASTHMA))

    assert ASTHMA in told.err
    assert len(texts(known)) == left


def test_what_is_only_near_is_shown_and_stays(known: Cli) -> None:
    told = at_a_terminal(known, "all", "--query", "asthma")

    assert "also near" in told.err
    assert "sings in a choir" in told.err
    assert CHOIR in texts(known)
