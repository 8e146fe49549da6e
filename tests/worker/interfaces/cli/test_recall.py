from tests.build import SCOPE, memory
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
