"""The bench of recall draws a crowd, times calls in turn and at once, and does without a peer that is not there."""

from pathlib import Path

import numpy as np
import pytest

from bench.recall import command as recall
from bench.recall.crowd import DIMENSIONS, drawn, memory_id
from bench.recall.timing import alternating, at_once
from bench.recall.trial import SCOPE, Trial
from tests.bench.test_measures import figures


def test_the_same_seed_draws_the_same_crowd() -> None:
    one, same, other = drawn(50, 5, 1), drawn(50, 5, 1), drawn(50, 5, 2)

    assert (one.texts, one.questions) == (same.texts, same.questions)
    assert np.array_equal(one.vectors, same.vectors)
    assert one.texts != other.texts


def test_vectors_lie_as_far_apart_as_those_of_sentences() -> None:
    crowd = drawn(400, 20, 1)
    cosines = crowd.vectors @ crowd.vectors.T

    assert crowd.vectors.shape == (400, DIMENSIONS)
    assert np.allclose(np.linalg.norm(crowd.vectors, axis=1), 1, atol=1e-5)
    assert 0.7 < np.median(cosines) < 0.85
    assert len(set(crowd.questions)) == 20


def test_calls_take_turns_until_the_time_is_up() -> None:
    asked: list[tuple[str, int]] = []
    calls = {name: lambda at, name=name: asked.append((name, at)) for name in ("ours", "theirs")}

    found = alternating(calls, 3, 60)

    warm, rest = asked[:2], asked[2:]
    assert warm == [("ours", 0), ("theirs", 0)]
    assert rest == [(name, at) for at in range(3) for name in ("ours", "theirs")]
    assert {name: len(seconds) for name, seconds in found.items()} == {"ours": 3, "theirs": 3}
    assert len(alternating(calls, 3, 0)["ours"]) == 1


def test_callers_at_once_share_the_questions() -> None:
    asked: list[int] = []

    seconds, rate = at_once(asked.append, 10, 4, 60)

    assert sorted(asked) == list(range(10))
    assert len(seconds) == 10
    assert rate > 0


def test_recall_finds_what_a_question_was_drawn_from(tmp_path: Path) -> None:
    crowd = drawn(60, 5, 1)
    url = f"sqlite:///{tmp_path / 'store.db'}"
    with Trial.opened(url, crowd, 20, tmp_path / "bare.db") as trial:
        near = (crowd.vectors @ crowd.wanted.T).argmax(axis=0).tolist()
        for at, place in enumerate(near):
            told = [one.memory.id for one in trial.recall(at).items]
            assert memory_id(SCOPE, place) in told
            assert any(crowd.texts[place] in payload for payload in trial.bare(at))


def test_recall_is_measured_beside_a_bare_query(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recall, "QUESTIONS", 5)
    found = figures(capsys, "recall", "--sizes", "30", "--embedder", "none", "--seconds", "0.1")

    assert found["sqlite, 30: recall, p50"]["value"] > 0
    assert found["sqlite, 30: recall beside the bare query, p50"]["reach"] == ""
    assert found["sqlite, 30: 16 callers, recall"]["unit"] == "calls a second"


def test_without_the_peer_the_rest_is_told_and_why(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(recall, "QUESTIONS", 5)
    nobody = str(tmp_path / "python")
    arguments = ["--sizes", "30", "--embedder", "none", "--seconds", "0.1", "--json"]

    recall.main([*arguments, "--peer", nobody])

    told = capsys.readouterr()
    assert "pip install mem0ai" in told.err
    assert "recall, p50" in told.out
    assert "mem0" not in told.out
