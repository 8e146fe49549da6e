from datetime import timedelta
from uuid import UUID

import pytest

from schemas.memory import Archive, Memory
from tests.build import NOW, RUN, SCOPE, memory
from tests.worker.interfaces.cli.running import WHOSE, Cli, Shelf

ID = UUID("abcd1234-0000-5000-8000-000000000001")
OTHER = UUID("abcd5678-0000-5000-8000-000000000002")


def replaced(old: Memory, days: int = 0, by: UUID | None = ID, why: str = "moved") -> Archive:
    return Archive(
        memory=old,
        replaced_by=by,
        archived_at=NOW + timedelta(days=days),
        reason="superseded",
        why=why,
        run=RUN,
    )


@pytest.fixture
def moved(shelf: Shelf) -> Shelf:
    """Ann lived in Oslo, then in Bergen, now in Tromsø."""
    shelf.put(memory("Ann lives in Tromsø.", id=ID, version=3))
    shelf.file(
        replaced(memory("Ann lives in Oslo.", id=ID)),
        replaced(memory("Ann lives in Bergen.", id=ID, version=2), days=9, why="moved again"),
    )
    return shelf


def test_json_has_the_live_record_then_archives_newest_first(cli: Cli, moved: Shelf) -> None:
    live, newest, oldest = cli("history", str(ID), *WHOSE, "--json").lines

    assert (live["text"], live["version"]) == ("Ann lives in Tromsø.", 3)
    assert newest["memory"]["text"] == "Ann lives in Bergen."
    assert oldest["memory"]["text"] == "Ann lives in Oslo."
    assert {"replaced_by", "archived_at", "reason", "why", "run"} <= newest.keys()


def test_the_table_says_what_replaced_each_version_and_why(cli: Cli, moved: Shelf) -> None:
    told = cli("history", "abcd", *WHOSE)

    assert told.status == 0
    row = next(line for line in told.out.splitlines() if "Ann lives in Oslo." in line)
    assert "Ann lives in Bergen." in row
    assert "superseded: moved" in row
    assert str(RUN)[:8] in row


def test_the_first_digits_do_if_they_are_one_memorys_alone(cli: Cli, moved: Shelf) -> None:
    moved.put(memory("Ann has a cat.", id=OTHER))

    many, one = cli("history", "abcd", *WHOSE), cli("history", "ABCD1234-0", *WHOSE)

    assert many.status == 1
    assert "2 memories begin with abcd" in many.err
    assert one.status == 0


def test_a_memory_that_no_longer_stands_has_its_history(cli: Cli, shelf: Shelf) -> None:
    shelf.file(replaced(memory("Ann drinks tea.", id=ID), by=None))

    told = cli("history", str(ID), *WHOSE, "--json")

    assert [line["memory"]["text"] for line in told.lines] == ["Ann drinks tea."]
    assert "no longer stands" in cli("history", str(ID), *WHOSE).out


@pytest.mark.parametrize(
    ("id", "user"),
    [("eeee", SCOPE.user), (str(OTHER), SCOPE.user), (str(ID), "ben")],
)
def test_what_is_not_in_this_scope_is_not_found(cli: Cli, moved: Shelf, id: str, user: str) -> None:
    told = cli("history", id, "--app", SCOPE.app, "--user", user, "--json")

    assert told.status == 1
    assert "not found" in told.err
    assert not told.out
