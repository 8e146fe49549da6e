import pytest

from tests.build import SCOPE, at, memory, uid
from tests.snapshots import revised
from tests.worker.interfaces.cli.running import WHOSE, Cli, Shelf


def test_what_answers_best_comes_first_with_its_score(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory("Ann drinks tea."), memory("Ann lives in Oslo."), memory("A red car."))

    told = cli("recall", "Where does Ann live, in Oslo?", *WHOSE, "--json")

    assert told.status == 0
    assert told.lines[0]["text"] == "Ann lives in Oslo."
    scores = [line["score"] for line in told.lines]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_a_limit_holds(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory("Ann drinks tea."), memory("Ann lives in Oslo."))

    assert len(cli("recall", "Ann", *WHOSE, "--limit", "1", "--json").lines) == 1


def test_the_table_shows_the_words(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory("Ann lives in Oslo."))

    assert "Ann lives in Oslo." in cli("recall", "Oslo", *WHOSE).out


def test_nothing_found_is_no_failure(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory("Ann lives in Oslo."))

    told = cli("recall", "Oslo", "--app", SCOPE.app, "--user", "ben", "--json")

    assert (told.status, told.out) == (0, "")


@pytest.mark.parametrize(
    ("times", "first"),
    [
        ((), "Ann lives in Bergen."),
        (("--as-of", "2026-05-24"), "Ann lives in Oslo."),
        (("--valid-at", "2026-05-24"), "Ann lives in Bergen."),
        (("--valid-at", "2026-05-14"), "Ann lives in Oslo."),
    ],
)
def test_a_moment_is_asked_about_with_scores_of_its_own(
    cli: Cli, shelf: Shelf, times: tuple[str, ...], first: str
) -> None:
    home, said = uid("home"), at(-90)
    now = {"since": at(-17), "updated_at": at(-7)}
    shelf.put(memory("Ann lives in Bergen.", id=home, version=2, said_at=said, **now))
    shelf.put(memory("Ann drinks tea.", said_at=said))
    shelf.file(revised(memory("Ann lives in Oslo.", id=home, said_at=said), at(-7)))

    told = cli("recall", "Who lives in which town?", *WHOSE, *times, "--json")

    assert told.status == 0
    assert [line["text"] for line in told.lines] == [first, "Ann drinks tea."]
    assert 0 < told.lines[1]["score"] < told.lines[0]["score"] <= 1
