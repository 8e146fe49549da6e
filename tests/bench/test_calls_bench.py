"""The bench of calls counts what every way to judge asks, and finds fields that no job needs."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from bench import __main__ as bench
from bench.calls.fields import beyond
from bench.calls.made import Made, asked
from worker.core.groups.setting import DetectorName
from worker.core.judging.detectors import DETECTORS
from worker.core.step import Prompt
from worker.settings import Settings

#: Detector → calls of a batch of 3 facts with 2 memories near each.
CALLS: dict[DetectorName, dict[str, int]] = {
    "add_only": {"extraction": 1},
    "pointwise": {"extraction": 1, "pair": 6},
    "listwise": {"extraction": 1, "listwise": 3},
    "listwise_multitarget": {"extraction": 1, "listwise": 3},
    "batchwise": {"extraction": 1, "batchwise": 1},
}


def under(detector: DetectorName, judge_facts: int = 20) -> Settings:
    return Settings(model="x", detector=detector, judge_facts=judge_facts, _env_file=None)


@pytest.mark.parametrize("detector", DETECTORS)
def test_calls_are_counted_by_job(detector: DetectorName) -> None:
    assert asked(Made(3, 2), under(detector)).calls == CALLS[detector]


@pytest.mark.parametrize("detector", DETECTORS)
def test_facts_without_candidates_are_put_to_no_judge(detector: DetectorName) -> None:
    assert asked(Made(3, 0), under(detector)).calls == {"extraction": 1}


def test_a_batch_with_more_facts_than_one_call_takes_is_split() -> None:
    found = [asked(Made(3, 1), under("batchwise", judge_facts=most)) for most in (2, 3)]

    assert [one.is_unsplit for one in found] == [False, True]
    assert [one.calls["batchwise"] for one in found] == [2, 1]


def test_a_field_that_the_job_does_not_need_is_named() -> None:
    def prompt(**fact: str) -> Prompt:
        document = {"fact": {"text": "tea", "kind": "fact", **fact}, "candidate": {"text": "rum"}}
        return Prompt("pair", document, BaseModel)

    assert beyond([prompt()]) == []
    assert beyond([prompt(app="acme"), prompt(app="acme", id="f1")]) == [
        "pair.fact.app",
        "pair.fact.id",
    ]
    assert beyond([Prompt("pair", {"scope": "acme"}, BaseModel)]) == ["pair.scope"]


def test_the_bench_tells_calls_instructions_and_fields(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert bench.main(["calls", "--facts", "2", "--memories", "0", "1"]) == 0

    told = " ".join(capsys.readouterr().out.split())
    assert "batchwise + rewrite │ 1 │ 2" in told
    assert "instructions of" in told
    assert "fields that no job needs" in told


def test_a_peer_without_its_tools_is_told_what_is_missing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    gone = str(tmp_path / "gone")
    assert bench.main(["calls", "--peer", gone, "--tools", gone, "--data", gone]) == 2

    assert "drive_neatmem.py" in capsys.readouterr().err
