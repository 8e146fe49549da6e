"""A small conversation is marked by words, and every case is put through the pipeline and reported."""

import json

import pytest

from bench.model import command as model
from bench.model.marks import Case, Cases, Session, load
from schemas.memory import Memory
from tests.build import memory
from tests.endpoint import endpoint

CASES = Cases(words={"past": ("sold", "no longer")}, cases=())
SESSION = Session.model_validate(
    {"at": "2025-01-08T08:00:00Z", "turns": ["user Ada: I ski.", "assistant: Do you?"]}
)


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        (["tram", "drives|driver"], "Is a tram driver", True),
        (["tram", "drives|driver"], "Takes the tram", False),
        (["cat"], "Moved to another location", False),
        (["art"], "Moved to a cart", False),
        (["walnut*"], "Walnuts are off the table", True),
        (["walnut"], "Walnuts are off the table", False),
        (["2025-05"], "Sold it on 2025-05-06", True),
        (["10"], "Owns 100 books", False),
        (["van", "!@past"], "Owns a van", True),
        (["van", "!@past"], "No longer owns a van", False),
        (["don't"], "Don’t ring", True),
        (["größenwahn"], "Cafe\u0301 Gro\u0308ßenwahn", True),
        (["самар"], "Живёт в Самаре", True),
        (["犬"], "犬を三匹飼っている", True),
    ],
)
def test_a_pattern_fits_by_whole_words_in_any_script(
    pattern: list[str], text: str, fits: bool
) -> None:
    assert CASES.fits(pattern, text) is fits


@pytest.mark.parametrize(
    ("wanted", "live", "faults"),
    [
        ({"live": [["kayak"], ["canoe"]]}, ["Owns a kayak and a canoe"], 0),
        ({"live": [["kayak", "canoe"]]}, ["Owns a kayak", "Owns a canoe"], 1),
        ({"never": [["yoga"]]}, ["Does yoga"], 1),
        ({"never": [["yoga"]]}, [], 0),
        ({"at_most": 1}, ["Owns a kayak", "Owns a canoe"], 1),
        ({"live": [["ann"]]}, [memory("Skis", subject="Ann")], 0),
        ({"live": [["2025-02"]]}, [memory("Skied", happened_at="2025-02")], 0),
    ],
)
def test_a_state_is_held_against_what_a_case_wants(
    wanted: dict[str, object], live: list[str | Memory], faults: int
) -> None:
    case = Case.model_validate({"theme": "t", "name": "n", "sessions": [], **wanted})
    known = [memory(one) if isinstance(one, str) else one for one in live]

    assert len(CASES.faults(case, known)) == faults


def test_turns_of_a_session_follow_each_other() -> None:
    first, second = SESSION.lines()

    assert (first["role"], first["speaker"], first["text"]) == ("user", "Ada", "I ski.")
    assert (second["role"], second["text"]) == ("assistant", "Do you?")
    assert "speaker" not in second
    assert first["said_at"] < second["said_at"]


def test_every_word_list_that_a_case_names_is_there() -> None:
    cases = load()
    for case in cases.cases:
        for pattern in (*case.live, *case.never):
            cases.fits(pattern, "anything")


def test_without_a_model_the_rules_are_marked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SLOWWAVE_MODEL", raising=False)
    monkeypatch.setenv("SLOWWAVE_EMBEDDER", "hash")

    assert model.main(["--theme", "further", "--each", "2"]) == 0

    told = capsys.readouterr()
    assert told.err.count("further: ") == 2
    assert told.out.splitlines()[-1].split()[:4] == ["all", "2", "2", "0"]


def test_a_model_is_marked_with_its_calls_tokens_and_bad_replies(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SLOWWAVE_EMBEDDER", "hash")
    monkeypatch.setenv("SLOWWAVE_MODEL", "scripted")
    with endpoint(lambda job, document: "I would rather not.") as server:
        monkeypatch.setenv("SLOWWAVE_MODEL_URL", server.url)

        assert model.main(["--theme", "invented", "--each", "1", "--json"]) == 0

    document = json.loads(capsys.readouterr().out)
    (theme,), (case,) = document["themes"], document["cases"]
    assert (theme["passed"], theme["of"], theme["calls"], theme["tokens"]) == (0, 1, 3, 45)
    assert (theme["asked again"], theme["parked"]) == (2, 3)
    assert not case["passed"]
    assert case["live"] == []


def test_a_model_that_cannot_be_reached_is_no_result(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SLOWWAVE_EMBEDDER", "hash")
    monkeypatch.setenv("SLOWWAVE_MODEL", "absent")
    monkeypatch.setenv("SLOWWAVE_MODEL_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("SLOWWAVE_MODEL_PATIENCE_SECONDS", "0")

    assert model.main(["--theme", "invented", "--each", "1"]) == 1

    assert "cannot be reached" in capsys.readouterr().err
