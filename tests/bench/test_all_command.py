"""`python -m bench all` runs what is asked for, keeps it, and tells the truth about what did not run."""

import json
from pathlib import Path

import pytest

from bench import __main__ as bench
from bench.all import command, machine
from bench.all.plan import Entry, Scale
from bench.all.reading import Reading
from bench.all.results import About, Other, Outcome, Results, done
from bench.all.running import Said, run

ABOUT = About("10:00", "0.1", {"cores": "2"}, {"slowwave": "0.1.0"})
RAN = Outcome("one", 1, "small", "--few", "ran", readings=(Reading("x", "", 1.0),), remarks=("a",))


def test_what_was_kept_is_what_was_measured(tmp_path: Path) -> None:
    results = Results(tmp_path / "deep" / "kept.jsonl")
    results.begin(ABOUT)
    results.add(RAN)

    assert results.resume(ABOUT) == (ABOUT, [RAN])


def test_a_line_that_a_crash_has_cut_is_not_there(tmp_path: Path) -> None:
    results = Results(tmp_path / "kept.jsonl")
    results.begin(ABOUT)
    results.add(RAN)
    results.add(RAN)
    results.path.write_text(results.path.read_text()[:-20])

    assert results.resume(ABOUT)[1] == [RAN]


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "no results\n",
        '{"turns": 5}\n',
        json.dumps({"began_at": "", "load": "", "machine": {"cores": "4"}, "versions": {}}) + "\n",
    ],
    ids=["no file", "empty", "no JSON", "something else", "another machine"],
)
def test_results_of_something_else_are_not_gone_on_from(tmp_path: Path, text: str | None) -> None:
    results = Results(tmp_path / "kept.jsonl")
    if text is not None:
        results.path.write_text(text)

    with pytest.raises(Other, match=r"kept\.jsonl"):
        results.resume(ABOUT)


@pytest.mark.parametrize(
    ("of", "run_of", "words", "is_done"),
    [
        ("one", 1, "--few", True),
        ("two", 1, "--few", False),
        ("one", 2, "--few", False),
        ("one", 1, "--many", False),
    ],
)
def test_only_the_same_run_with_the_same_arguments_is_done(
    of: str, run_of: int, words: str, is_done: bool
) -> None:
    failed = Outcome("one", 1, "small", "--few", "failed", "no")

    assert done([failed], "one", 1, "--few") is None
    assert (done([failed, RAN], of, run_of, words) == RAN) is is_done


def asked(monkeypatch: pytest.MonkeyPatch, *answers: Said) -> list[str]:
    """Has benches answered in this order; the list names those that were run."""
    named: list[str] = []
    left = iter(answers)

    def answer(name: str, *_: object) -> Said:
        named.append(name)
        return next(left)

    monkeypatch.setattr(command, "run", answer)
    monkeypatch.setattr(
        command,
        "ENTRIES",
        [
            Entry("publish", "about", {"small": Scale("", 1)}),
            Entry("hostile", "about", {"small": Scale("", 1)}, varies=False),
        ],
    )
    return named


def whole(tmp_path: Path, *arguments: str) -> tuple[int, str]:
    """Exit status and the page."""
    out = tmp_path / "page.md"
    given = ["all", "--out", str(out), "--minutes", "5", *arguments]
    return bench.main(given), out.read_text()


GOOD = Said(0, '{"turns": 5}', "")


def test_the_status_tells_that_all_ran_not_that_all_is_reached(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    missed = {"name": "x", "value": 9, "unit": "", "reach": "at most 1", "is_reached": False}
    named = asked(monkeypatch, Said(1, json.dumps({"x": missed}), ""), GOOD)

    status, text = whole(tmp_path, "--runs", "1")

    assert (status, named) == (0, ["publish", "hostile"])
    assert "**no**" in text


def test_one_that_failed_is_told_and_stops_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = asked(monkeypatch, Said(1, "", "ValueError: no"), GOOD)

    status, text = whole(tmp_path, "--runs", "1")

    assert (status, named) == (1, ["publish", "hostile"])
    assert "ValueError: no" in text


def test_a_bench_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked(monkeypatch, GOOD)
    one = Entry("absent", "about", {"small": Scale("", 1)})
    monkeypatch.setattr(command, "ENTRIES", [one])

    status, text = whole(tmp_path)

    assert status == 1
    assert "there is no bench absent" in text


def test_what_lacks_its_data_is_told_with_where_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = asked(monkeypatch)
    one = Entry("retrieval", "about", {"small": Scale("", 1)}, needs=("locomo",))
    monkeypatch.setattr(command, "ENTRIES", [one])

    status, text = whole(tmp_path)

    assert (status, named) == (1, [])
    assert "snap-research/locomo" in text


def test_what_is_done_is_not_run_again_and_what_failed_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(monkeypatch, GOOD, Said(1, "", "no"), GOOD)
    assert whole(tmp_path, "--runs", "2")[0] == 1

    named = asked(monkeypatch, Said(0, '{"broken": 0}', ""))
    status, text = whole(tmp_path, "--runs", "2", "--resume")

    assert (status, named) == (0, ["hostile"])
    assert "2 runs" in text


def test_an_interruption_still_tells_of_what_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(monkeypatch, GOOD)

    def stopped(name: str, *_: object) -> Said:
        if name == "publish":
            return GOOD
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "run", stopped)
    status, text = whole(tmp_path, "--runs", "1")

    assert status == 130
    assert "## publish" in text
    assert "* hostile: it was not run" in text


def test_without_time_nothing_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = asked(monkeypatch)
    slow = Entry("publish", "about", {"small": Scale("", 10_000)})
    monkeypatch.setattr(command, "ENTRIES", [slow])

    status, text = whole(tmp_path)

    assert (status, named) == (1, [])
    assert "no time left" in text


@pytest.mark.parametrize(
    "wrong",
    [("--minutes", "0"), ("--minutes", "nan"), ("--runs", "0"), ("--only", "nothing")],
)
def test_wrong_usage_is_refused(wrong: tuple[str, str]) -> None:
    with pytest.raises(SystemExit) as ended:
        bench.main(["all", *wrong])

    assert ended.value.code == 2


def test_a_bench_runs_as_a_process_without_the_settings_of_whoever_runs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOWWAVE_MODEL", "a model that nobody has")

    said = run("hostile", ["--replies", "5"], 60, tmp_path)

    assert said.status == 0, said.err
    assert json.loads(said.out)["broken"] == 0


def test_a_bench_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    said = run("hostile", ["--replies", "1000000"], 0.1, tmp_path)

    assert said.status is None


def test_the_machine_and_the_versions_are_told() -> None:
    found = machine.about({"weaviate": "/bin/weaviate", "mem0": "/bin/python"})

    assert found.machine.keys() == {"processor", "cores", "memory", "kernel"}
    assert {"slowwave", "Python", "redis", "Redis", "Weaviate", "mem0"} <= found.versions.keys()
    assert "neatmem" not in found.versions
    assert all({**found.machine, **found.versions}.values())
