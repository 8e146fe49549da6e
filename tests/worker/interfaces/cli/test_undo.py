from typing import Any

import pytest

from tests.build import SCOPE
from tests.worker.interfaces.cli.running import WHOSE, Cli

OSLO, BERGEN = "I live in Oslo.", "I moved to Bergen."


def said(text: str, day: int) -> dict[str, Any]:
    line = {"app": SCOPE.app, "user": SCOPE.user, "role": "user", "text": text, "id": text}
    return line | {"said_at": f"2026-05-{day:02}T09:00:00Z"}


def hear(cli: Cli, text: str, day: int) -> str:
    """One turn, consolidated alone; the run that did it."""
    assert cli("publish", cli.write(said(text, day))).status == 0
    assert cli("drain", "--all").status == 0
    run: str = cli("runs", *WHOSE, "--json").lines[0]["id"]
    return run


def live(cli: Cli) -> list[tuple[str, int]]:
    lines = cli("memories", *WHOSE, "--json").lines
    return [(line["text"], line["version"]) for line in lines]


@pytest.fixture
def moved(cli: Cli) -> str:
    """Ann lived in Oslo and moved; the run that learned of it."""
    hear(cli, OSLO, 1)
    return hear(cli, BERGEN, 2)


def test_a_run_is_undone_and_can_be_heard_again(cli: Cli, moved: str) -> None:
    before = live(cli)
    told = cli("undo", moved[:8], *WHOSE)

    assert told.status == 0
    assert f"undid run {moved}" in told.out
    assert "1 turns are free" in told.out
    ((text, _),) = live(cli)
    assert "Oslo" in text
    assert cli("run", moved, *WHOSE, "--json").document["state"] == "undone"
    assert hear(cli, BERGEN, 2) != moved
    assert [text for text, _ in live(cli)] == [text for text, _ in before]


def test_as_json_it_says_what_was_changed(cli: Cli, moved: str) -> None:
    told = cli("undo", moved, *WHOSE, "--json").document
    run = cli("run", told["run"], *WHOSE, "--json").document

    assert (told["undoes"], told["dry_run"], len(told["turn_ids"])) == (moved, False, 1)
    assert [one["kind"] for one in told["changes"]] == [one["kind"] for one in run["changes"]]
    assert (run["kind"], run["undoes"]) == ("undo", moved)


def test_a_dry_run_shows_it_and_changes_nothing(cli: Cli, moved: str) -> None:
    before = live(cli), cli("runs", *WHOSE, "--json").lines

    told = cli("undo", moved, *WHOSE, "--dry-run")

    assert told.status == 0
    assert f"would undo run {moved}" in told.out
    (row,) = [line for line in told.out.splitlines() if "revise" in line]
    ((now, _),), earlier = before[0], "User lives in Oslo"
    assert 0 < row.index(now) < row.index(earlier)
    assert (live(cli), cli("runs", *WHOSE, "--json").lines) == before
    assert cli("undo", moved, *WHOSE, "--dry-run", "--json").document["dry_run"] is True


def test_a_dry_run_needs_no_queue(cli: Cli, moved: str) -> None:
    down = "redis://127.0.0.1:1/0"

    assert cli("undo", moved, *WHOSE, "--dry-run", SLOWWAVE_REDIS_URL=down).status == 0


def test_where_a_later_run_built_on_it_that_one_is_named(cli: Cli, moved: str) -> None:
    first = cli("runs", *WHOSE, "--json").lines[-1]["id"]
    before = live(cli)

    told = cli("undo", first, *WHOSE)

    assert (told.status, told.out) == (1, "")
    assert f"run {moved} (batch" in told.err
    assert f"`slowwave undo {moved}`" in told.err
    assert live(cli) == before


@pytest.mark.parametrize("form", [(), ("--dry-run",)])
def test_an_unknown_run_is_not_found(cli: Cli, moved: str, form: tuple[str, ...]) -> None:
    told = cli("undo", "0" * 32, *WHOSE, *form)

    assert (told.status, told.out) == (1, "")
    assert "is not found in this scope" in told.err


def test_an_undo_is_undone_like_any_run(cli: Cli, moved: str) -> None:
    before = live(cli)
    undo = cli("undo", moved, *WHOSE, "--json").document["run"]

    assert cli("undo", undo, *WHOSE).status == 0
    assert [text for text, _ in live(cli)] == [text for text, _ in before]
    assert cli("run", moved, *WHOSE, "--json").document["state"] == "applied"


def test_an_earlier_version_stands_again(cli: Cli, moved: str) -> None:
    (line,) = cli("memories", *WHOSE, "--json").lines
    told = cli("restore", line["id"][:8], "1", *WHOSE)

    assert told.status == 0
    ((text, version),) = live(cli)
    assert ("Oslo" in text, version) == (True, 3)
    assert text in told.out
    again = cli("restore", line["id"], "1", *WHOSE)
    assert (again.status, "nothing to do" in again.out) == (0, True)
    assert cli("restore", line["id"], "3", *WHOSE, "--json").document == {
        "memory_id": line["id"],
        "restored": 3,
        "version": None,
        "run": None,
    }


def test_an_unknown_version_is_answered_with_those_there_are(cli: Cli, moved: str) -> None:
    (line,) = cli("memories", *WHOSE, "--json").lines
    told = cli("restore", line["id"], "9", *WHOSE, "--json")

    assert (told.status, told.out) == (1, "")
    assert "there are versions 1, 2" in told.err
    assert cli("restore", line["id"], "0", *WHOSE).status == 2


def test_what_a_person_asked_to_forget_comes_back_only_if_that_is_said(cli: Cli) -> None:
    hear(cli, OSLO, 1)
    run = hear(cli, "Please forget that I live in Oslo.", 2)
    assert live(cli) == []

    dry = cli("undo", run, *WHOSE, "--dry-run")
    assert "--remember-again" in dry.err
    told = cli("undo", run, *WHOSE)
    assert told.status == 1
    assert "nothing was done" in told.err
    assert live(cli) == []
    assert cli("undo", run, *WHOSE, "--remember-again").status == 0
    assert len(live(cli)) == 1
