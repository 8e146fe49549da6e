from datetime import timedelta

import pytest

from tests.build import NOW, SCOPE, at, memory, uid
from tests.snapshots import revised, snapshot
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


@pytest.fixture
def moved(shelf: Shelf) -> Shelf:
    """From Oslo to Bergen on 15 May, as was learned on 25 May; something was forgotten on 30 May."""
    home = uid("home")
    shelf.put(memory("Bergen", id=home, version=2, since=at(-17), updated_at=at(-7)))
    shelf.file(
        revised(memory("Oslo", id=home, said_at=at(-90)), at(-7)),
        snapshot(memory("Has asthma", said_at=at(-90)), "forgotten", None, at(-2)),
    )
    return shelf


@pytest.mark.parametrize(
    ("times", "shown"),
    [
        ((), ["Bergen"]),
        (("--as-of", "2026-05-24"), ["Oslo"]),
        (("--as-of", "2026-05-25"), ["Bergen"]),
        (("--as-of", "2026-05-25T11:59:59Z"), ["Oslo"]),
        (("--as-of", "2026-05-25T12:00:00"), ["Bergen"]),
        (("--as-of", "2026-05-25T12:00:00+02:00"), ["Oslo"]),
        (("--valid-at", "2026-05-14"), ["Oslo"]),
        (("--valid-at", "20260515"), ["Bergen"]),
        (("--as-of", "2026-05-20", "--valid-at", "2026-05-20"), ["Oslo"]),
        (("--as-of", "2999-12-31"), ["Bergen"]),
    ],
)
def test_a_moment_shows_what_was_believed_or_true_then(
    cli: Cli, moved: Shelf, times: tuple[str, ...], shown: list[str]
) -> None:
    told = cli("memories", *WHOSE, *times, "--json")

    assert told.status == 0
    assert [line["text"] for line in told.lines] == shown


def test_where_nothing_was_known_then_that_is_said(cli: Cli, moved: Shelf) -> None:
    told = cli("memories", *WHOSE, "--as-of", "2020-01-01")

    assert (told.status, told.out) == (0, "")
    assert "nothing is known for then" in told.err


@pytest.mark.parametrize("option", ["--as-of", "--valid-at"])
@pytest.mark.parametrize("time", ["yesterday", "2026-05", "2026-13-01", "", "2026-05-25T25:00"])
@pytest.mark.parametrize("command", [("memories",), ("recall", "Oslo")])
def test_what_is_no_time_is_wrong_usage(
    cli: Cli, command: tuple[str, ...], option: str, time: str
) -> None:
    told = cli(*command, *WHOSE, option, time)

    assert (told.status, told.out) == (2, "")
    assert "2026-03-01T12:00:00Z" in " ".join(told.err.split())
