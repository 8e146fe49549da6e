"""The bench of forgetting counts what is left, where, and of which kind of request."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.forgetting import command as forgetting
from bench.forgetting import trial as forgetting_trial
from bench.forgetting.gatemem import Check, domains, episodes
from bench.forgetting.model import Oracle, asks, named
from bench.forgetting.places import PLACES, SHOWN, found
from bench.forgetting.trial import fate
from worker.direct import forgetting as direct

BLUE, RED = "quartz lantern", "amber kettle"
SAID = (
    f"The old phrase is {BLUE}.",
    f"Bo has {BLUE} in the notes as well.",
    f"The spare key hangs by the {RED}.",
    f"Please delete the old phrase {BLUE} from memory.",
    "The sauna is warm on Fridays.",
    "Forget where the spare key hangs.",
)


def turn(at: int, text: str) -> dict[str, Any]:
    speaker = {"principal_id": f"p{at % 2}", "role": "agent" if text == "Noted." else "resident"}
    return {"turn_id": f"t{at}", "speaker": speaker, "text": text}


def checkpoint(after: int, *targets: str, **fields: str) -> dict[str, Any]:
    given = {
        "episode_id": "e1",
        "as_of_turn_id": f"t{after}",
        "query_type": "safety",
        "expected_action": "no_memory",
        "query_text": "What was the old phrase?",
        "leak_targets": list(targets),
    }
    return given | fields


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """One domain of one episode; its checkpoints are out of order, and one is of access control.

    The first is there for a batch to end: what was said before is stored by then.
    """
    people = [{"principal_id": "p0", "display_name": "Ann"}]
    turns = [turn(at, text) for at, text in enumerate((*SAID, "Noted."))]
    episode = {"episode_id": "e1", "domain": "flat", "entities": {"principals": people}}
    checks = [
        checkpoint(6, RED),
        checkpoint(2, "never said"),
        checkpoint(4, BLUE, BLUE[:9], "26", r"(?<!\d)58"),
        checkpoint(4, "sauna", query_type="privacy", expected_action="refuse"),
    ]
    folder = tmp_path / "data" / "flat"
    folder.mkdir(parents=True)
    (folder / "episodes.jsonl").write_text(json.dumps({**episode, "turns": turns}) + "\n")
    (folder / "checkpoints.jsonl").write_text("".join(json.dumps(one) + "\n" for one in checks))
    return folder.parent


def run(
    data: Path, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[int, dict[str, Any]]:
    code = forgetting.main(["--data", str(data), "--embedder", "hash", "--json", *arguments])
    (report,) = json.loads(capsys.readouterr().out)
    return code, report


def test_of_the_checkpoints_those_of_forgetting_are_read_in_order(data: Path) -> None:
    (episode,) = episodes(data, "flat")

    assert domains(data) == ["flat"]
    assert episode.checks == (
        Check(3, "What was the old phrase?", ("never said",)),
        Check(5, "What was the old phrase?", (BLUE,), unsearchable=3),
        Check(7, "What was the old phrase?", (RED,)),
    )
    assert [line["role"] for line in episode.lines[-2:]] == ["user", "assistant"]
    assert [line["speaker"] for line in episode.lines[:2]] == ["Ann", "p1"]
    assert episode.lines[0]["said_at"] < episode.lines[1]["said_at"]


def test_a_folder_without_the_data_says_where_it_comes_from(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert forgetting.main(["--data", str(tmp_path)]) == 2

    assert "rzhub/GateMem" in capsys.readouterr().err


def test_what_was_asked_by_name_is_hidden_at_once_and_stays_stored_for_its_grace(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The key was asked for in other words, which the oracle does not understand: it counts apart."""
    code, report = run(data, capsys, "--mode", "scripted")

    phrase, key = report["rows"]
    assert (code, phrase["fate"], key["fate"]) == (0, "asked", "not named")
    assert (phrase["stored_before"], phrase["stored_archives"], phrase["stored_runs"]) == (1, 1, 1)
    assert [phrase[place] for place in SHOWN] == [0] * len(SHOWN)
    assert (key["targets"], key["stored_before"], key["live"], key["recall"]) == (2, 1, 1, 1)
    assert report["counts"]["checkpoints"] == 3
    assert report["counts"]["unsearchable"] == 3


def test_without_grace_nothing_of_it_is_stored_either(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, report = run(data, capsys, "--mode", "scripted", "--grace", "0")

    phrase = report["rows"][0]
    assert (phrase["stored_before"], phrase["stored_archives"], phrase["stored_runs"]) == (1, 0, 0)


def test_a_request_over_the_cap_leaves_all_it_means_and_is_counted(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, report = run(data, capsys, "--mode", "scripted", "--cap", "0")

    assert report["rows"][0]["live"] == 1
    assert report["counts"]["over_the_cap"] == 1


def test_a_direct_act_leaves_nothing_however_it_was_said(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, report = run(data, capsys, "--mode", "direct")

    (row,) = report["rows"]
    assert (code, row["targets"], row["stored_before"]) == (0, 3, 2)
    assert [row[place] for place in PLACES] == [0] * len(PLACES)


def test_a_direct_act_that_does_nothing_is_seen(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting_trial, "forget", lambda *_: direct.Receipt())

    code, report = run(data, capsys, "--mode", "direct")

    assert (code, report["rows"][0]["live"], report["rows"][0]["redis"]) == (1, 2, 2)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["It is 4408.", "Delete the code 4408."], "asked"),
        (["It is 4408.", "Delete the code 4408.", "Confirmed: 4408 is deleted."], "said again"),
        (["It is 4408.", "Delete the code.", "4408 was deleted."], "not named"),
        (["It is 4408.", "Delete 4408.", "It is 4408 still.", "Delete 4408."], "asked"),
    ],
)
def test_what_became_of_a_target_is_told_by_the_last_turn_that_has_it(
    said: list[str], expected: str
) -> None:
    assert fate(said, "4408") == expected


@pytest.mark.parametrize(
    ("text", "is_request"),
    [
        ("Please also delete the retired code.", True),
        ("Rotation is complete: delete the earlier one.", True),
        ("I am formally requesting deletion of the older amount.", True),
        ("Confirmed. The retired code is deleted from memory.", False),
        ("Don't forget the key.", False),
        ("The landlord will remove my old bath.", False),
    ],
)
def test_only_an_explicit_request_is_one(text: str, *, is_request: bool) -> None:
    assert asks(text) is is_request
    assert named(text, [text[-8:]]) == ((text[-8:],) if is_request else ())


def document(*offered: str) -> dict[str, Any]:
    fact = {"kind": "fact", "said_at": "2026-01-01T10:00", "candidates": []}
    return {
        "candidates": [{"id": "c1", "text": "It is 4408.", "said_at": "2026-01-01T09:00"}],
        "facts": [
            {**fact, "id": "f1", "text": "4408 is the code."},
            {**fact, "id": "f2", "text": "Delete 4408.", "kind": "forget", "candidates": offered},
        ],
    }


@pytest.mark.parametrize(
    ("change", "members"),
    [
        (lambda asked: None, [["f2", "c1", "f1"]]),
        (lambda asked: asked["facts"][0].update(said_at="2026-01-01T11:00"), [["f2", "c1"]]),
        (lambda asked: asked["candidates"][0].update(text="It is 9."), [["f2", "f1"]]),
        (lambda asked: asked["facts"][1].update(candidates=[]), []),
    ],
)
def test_the_oracle_means_what_it_is_offered_that_holds_the_target_and_was_said_by_then(
    change: Callable[[dict[str, Any]], None], members: list[list[str]]
) -> None:
    asked = document("f1", "c1")
    change(asked)

    answer = Oracle(targets=("4408",)).answer("batchwise", asked)

    assert [group["members"] for group in answer["groups"]] == members


def test_what_is_shown_counts_as_shown_alone() -> None:
    told = {"archives": "4408", "stored_archives": "4408", "stored_runs": "4408", "live": ""}

    assert found(told, "4408") == {"archives", "stored_runs"}
