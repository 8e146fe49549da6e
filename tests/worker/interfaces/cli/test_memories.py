from datetime import timedelta

import pytest

from tests.build import NOW, SCOPE, memory
from tests.worker.interfaces.cli.running import WHOSE, Cli, Shelf


def test_memories_are_listed_the_latest_change_first(cli: Cli, shelf: Shelf) -> None:
    shelf.put(
        memory("Ann lives in Oslo.", updated_at=NOW),
        memory("Ann drinks tea.", updated_at=NOW + timedelta(days=1)),
    )

    told = cli("memories", *WHOSE, "--json")

    assert told.status == 0
    assert [line["text"] for line in told.lines] == ["Ann drinks tea.", "Ann lives in Oslo."]
    assert told.lines[0]["scope"] == {"app": SCOPE.app, "user": SCOPE.user}


def test_a_limit_shortens_the_list_and_says_so(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory("one"), memory("two"), memory("three"))

    told = cli("memories", *WHOSE, "--limit", "2")

    assert sum(word in told.out for word in ("one", "two", "three")) == 2
    assert "2 of 3" in told.err


def test_what_has_ended_is_not_known_and_what_stands_again_is(cli: Cli, shelf: Shelf) -> None:
    shelf.put(
        memory("Ann is in Rome.", until=NOW - timedelta(days=900)),
        memory("Ann drinks tea.", until=NOW - timedelta(days=900), after="Ann drinks coffee."),
    )

    told = cli("memories", *WHOSE, "--json")

    assert [line["text"] for line in told.lines] == ["Ann drinks coffee."]


def test_another_scope_knows_nothing_of_it(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory("Ann lives in Oslo."))

    told = cli("memories", "--app", SCOPE.app, "--user", "ben")

    assert told.status == 0
    assert told.out == ""
    assert "no memories yet" in told.err


def test_a_table_is_for_people_and_has_no_colours_when_piped(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory("Ann likes [red]brackets[/red]."))

    told = cli("memories", *WHOSE)

    assert "Ann likes [red]brackets[/red]." in told.out
    assert "\x1b" not in told.out


@pytest.mark.parametrize("command", [("memories",), ("history", "abcd"), ("recall", "Oslo")])
def test_reading_a_mistyped_store_says_so_and_makes_nothing(
    cli: Cli, command: tuple[str, ...]
) -> None:
    path = cli.folder / "mistyped" / "m.db"

    told = cli(*command, *WHOSE, SLOWWAVE_STORE_URL=f"sqlite:///{path}")

    assert (told.status, told.out) == (1, "")
    assert f"no store at {path} yet: check SLOWWAVE_STORE_URL" in told.err
    assert not path.parent.exists()


def test_the_embedded_store_may_be_read_before_anything_was_learned(cli: Cli) -> None:
    told = cli("memories", *WHOSE, SLOWWAVE_STORE_URL="", SLOWWAVE_DATA_DIR=str(cli.folder / "new"))

    assert told.status == 0
    assert "no memories yet" in told.err
