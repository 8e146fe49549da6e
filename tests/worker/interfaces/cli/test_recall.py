import pytest

from tests.build import SCOPE, at, memory, uid
from tests.snapshots import revised
from tests.worker.interfaces.cli.running import WHOSE, Cli, Shelf, Told


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


TEA, BOAT = "Ann drinks tea.", "Ann has a boat."


def told_texts(told: Told) -> list[str]:
    return [line["text"] for line in told.lines]


def test_without_a_question_the_profile_is_told(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory(TEA), memory(BOAT, pinned=True))

    assert told_texts(cli("recall", *WHOSE, "--json")) == [BOAT, TEA]
    assert told_texts(cli("recall", "  ", *WHOSE, "--json")) == [BOAT, TEA]


def test_several_questions_are_answered_together(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory(TEA), memory(BOAT), memory("Ben is out."), memory("It rains."))

    told = cli("recall", "Who drinks tea?", "Whose is a boat?", *WHOSE, "--limit", "2", "--json")
    assert {*told_texts(told)} == {TEA, BOAT}


@pytest.mark.parametrize(
    "narrowed",
    [
        ("--kind", "plan"),
        ("--tag", "water"),
        ("--about", "ANN"),
        ("--said-by", "assistant"),
        ("--said-from", "2026-05-20"),
        ("--field", "page=3", "--field", "document=log"),
    ],
)
def test_an_answer_can_be_narrowed(cli: Cli, shelf: Shelf, narrowed: tuple[str, ...]) -> None:
    fields = {
        "kind": "plan",
        "tags": ("water",),
        "subject": "Ann",
        "authority": "assistant",
        "said_at": at(-12),
        "metadata": {"page": 3, "document": "log"},
    }
    shelf.put(memory(TEA), memory(BOAT, **fields))

    assert told_texts(cli("recall", "Ann", *WHOSE, *narrowed, "--json")) == [BOAT]


def test_a_date_to_say_before_means_its_beginning(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory(TEA, said_at=at(-12)), memory(BOAT, said_at=at(-11)))

    told = cli("recall", "Ann", *WHOSE, "--said-before", "2026-05-21", "--json")
    assert told_texts(told) == [TEA]


def test_it_is_explained_what_a_score_is_made_of_and_why_what_is_left_out(
    cli: Cli, shelf: Shelf
) -> None:
    shelf.put(memory(TEA), memory(TEA, id=uid("too")), memory(BOAT, tags=("water",)))

    told = cli("recall", "tea", *WHOSE, "--explain", "--limit", "1", "--json")
    first, *rest = told.lines
    assert sum(first["terms"]["parts"].values()) == pytest.approx(first["score"], abs=1e-4)
    assert {line["left_out"]["stage"] for line in rest} == {"copy", "limit"}
    shown = cli("recall", "tea", *WHOSE, "--explain", "--tag", "water").out
    assert "2 left out" in shown
    assert "it has no tag water" in shown
    assert "cosine" in shown


def test_what_was_shown_is_told_only_if_it_changed_or_is_gone(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory(TEA), memory(BOAT, version=2))
    shown = [f"--shown={uid(text)}=1" for text in (TEA, BOAT, "gone")]

    told = cli("recall", "Ann", *WHOSE, *shown, "--json")
    assert [(line["text"], line["state"]) for line in told.lines] == [(BOAT, "correction")]
    assert f"{uid('gone')} was shown in version 1 and no longer stands" in told.err
    assert "[corrects what was shown]" in cli("recall", "Ann", *WHOSE, *shown).out


def test_only_so_much_text_is_told_and_what_did_not_fit_is_counted(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory(TEA), memory("Ann has a boat and a lot to say of it, day and night."))

    for bound in (("--max-characters", "20"), ("--max-tokens", "6")):
        told = cli("recall", "Ann", *WHOSE, *bound, "--json")
        assert told_texts(told) == [TEA]
        assert "did not fit: 1" in told.err
    assert told_texts(cli("recall", "Ann", *WHOSE, "--json", SLOWWAVE_RECALL_MAX_TOKENS="6")) == [
        TEA
    ]


def test_history_is_told_and_marked(cli: Cli, shelf: Shelf) -> None:
    home = uid("home")
    shelf.put(memory("Ann lives in Bergen.", id=home, version=2))
    shelf.file(revised(memory("Ann lives in Oslo.", id=home), at(-7)))

    told = cli("recall", "Oslo", *WHOSE, "--with-history", "--json")
    assert [(line["text"], line["superseded"]) for line in told.lines] == [
        ("Ann lives in Oslo.", True),
        ("Ann lives in Bergen.", False),
    ]
    assert "[no longer stands]" in cli("recall", "Oslo", *WHOSE, "--with-history").out


def test_weights_that_leave_nothing_are_a_wrong_setting(cli: Cli, shelf: Shelf) -> None:
    shelf.put(memory(TEA))
    weights = '{"cosine": 0, "bm25": 0, "codes": 0}'

    told = cli("recall", "tea", *WHOSE, SLOWWAVE_RECALL_WEIGHTS=weights)
    assert (told.status, told.out) == (1, "")
    assert "SLOWWAVE_RECALL_WEIGHTS" in told.err
    unknown = cli("recall", "tea", *WHOSE, SLOWWAVE_RECALL_WEIGHTS='{"bm52": 1}')
    assert "SLOWWAVE_RECALL_WEIGHTS" in unknown.err
