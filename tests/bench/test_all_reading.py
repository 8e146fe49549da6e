"""Whatever shape a bench prints its numbers in, they are read; what is no result is told as such."""

import json
from typing import Any

import pytest

from bench.all.plan import Entry, Scale
from bench.all.reading import Reading, Unreadable, read
from bench.all.results import Outcome
from bench.all.running import Said, judged
from bench.all.sums import number, spread, sums

FIGURE = {"name": "a / b", "value": 1.5, "unit": "", "reach": "at most 2", "is_reached": True}
ONE = Entry("one", "", {"small": Scale("", 1)}, zero=frozenset(("lost",)))


@pytest.mark.parametrize(
    ("document", "readings"),
    [
        ({"a / b": FIGURE}, [Reading("a / b", "", 1.5, "", "at most 2", True)]),
        (
            {"turns": 5, "equal": True, "name": "x", "none": None},
            [Reading("turns", "", 5), Reading("equal", "", 1)],
        ),
        (
            [{"system": "ours", "way": "usual", "calls": 2, "archived": None}],
            [Reading("ours, usual", "calls", 2)],
        ),
        (
            [{"way": "both", "figures": {"hit": 0.5}, "many": 3}],
            [Reading("both", "hit", 0.5), Reading("both", "many", 3)],
        ),
        (
            [{"mode": "rules", "rows": [{"domain": "home", "left": 1}]}],
            [Reading("rules, home", "left", 1)],
        ),
        (
            {"detectors": {"rules": {"right": 3, "kinds": {"update": {"right": 1}}}}},
            [Reading("detectors, rules", "right", 3)],
        ),
        ({"sqlite": {"Redis": {"words": ["a", "b"]}}}, [Reading("sqlite, Redis", "words", 2)]),
        ({"turns": 1, "examples": ["x"], "faults": [1]}, [Reading("turns", "", 1)]),
        (
            {"themes": [{"theme": "x", "of": 2}], "cases": [{"name": "y", "n": 1}]},
            [Reading("themes, x", "of", 2)],
        ),
    ],
    ids=[
        *("figures", "counts", "rows", "a table in a row", "rows in a row", "nested"),
        *("lists are counted", "examples are left out", "single cases are left out"),
    ],
)
def test_numbers_are_read_from_each_shape(document: Any, readings: list[Reading]) -> None:
    assert read(json.dumps(document)) == readings


def test_numbers_that_say_which_line_it_is_name_it() -> None:
    lines = [
        {"set": "made", "seed": 1, "first": at, "last": at, "changes": 9 - at} for at in (1, 2)
    ]

    assert read(json.dumps(lines)) == [
        Reading("made, seed 1, first 1, last 1", "changes", 8),
        Reading("made, seed 1, first 2, last 2", "changes", 7),
    ]


def test_lines_that_are_called_the_same_are_no_further_runs_of_one() -> None:
    assert [one.row for one in read(json.dumps([{"way": "x", "n": 1}, {"way": "x", "n": 2}]))] == [
        "x",
        "x (2)",
    ]


def test_what_is_printed_before_the_document_does_no_harm() -> None:
    assert read('loading\n{"turns": 5}\n') == [Reading("turns", "", 5)]


@pytest.mark.parametrize("said", ["", "no", "{}", "[]", '"text"', '{"name": "x"}'])
def test_a_document_without_a_number_is_no_result(said: str) -> None:
    with pytest.raises(Unreadable):
        read(said)


@pytest.mark.parametrize(("value", "is_reached"), [(0, True), (1, False)])
def test_what_has_to_be_zero_is_held_against_it(value: int, is_reached: bool) -> None:
    found = read(json.dumps({"lost": value, "turns": 3}), frozenset(("lost",)))

    assert found == [
        Reading("lost", "", value, "", "at most 0", is_reached),
        Reading("turns", "", 3),
    ]


@pytest.mark.parametrize(
    ("said", "state", "why"),
    [
        (Said(0, '{"turns": 5}', ""), "ran", ""),
        (Said(1, '{"turns": 5}', ""), "ran", ""),
        (Said(1, "", "Traceback\nValueError: no"), "failed", "exit status 1: ValueError: no"),
        (Said(0, "nothing", ""), "failed", "no JSON document"),
        (Said(2, '{"turns": 5}', "usage\nwrong use"), "failed", "exit status 2: wrong use"),
        (Said(-9, "", ""), "failed", "exit status -9: it said nothing"),
        (Said(None, '{"turns": 5}', ""), "late", "after 30 s"),
    ],
    ids=["done", "not reached", "broken", "no document", "wrong use", "killed", "too long"],
)
def test_what_did_not_run_says_why(said: Said, state: str, why: str) -> None:
    found = judged(ONE, said, 30)

    assert found.state == state
    assert why in found.why
    assert bool(found.readings) == (state == "ran")


def test_a_column_that_has_to_be_zero_is_held_against_it_too() -> None:
    (found,) = read('[{"way": "x", "lost": 1}]', frozenset(("lost",)))

    assert (found.column, found.reach, found.is_reached) == ("lost", "at most 0", False)


def test_folders_that_are_gone_afterwards_are_not_named() -> None:
    found = judged(ONE, Said(1, "", "no worker: see /tmp/slowwave-bench-x1/worker0.log"), 30)

    assert found.why == "it failed with exit status 1: no worker: see worker0.log"


def test_what_a_bench_left_out_is_kept() -> None:
    found = judged(ONE, Said(0, '{"turns": 5}', "one\nmem0 is left out: not there\ntwo"), 30)

    assert found.remarks == ("mem0 is left out: not there",)


def outcome(*readings: Reading) -> Outcome:
    return Outcome("one", 1, "small", "", "ran", readings=readings)


def test_several_runs_are_told_by_their_median_and_spread() -> None:
    (found,) = sums([outcome(Reading("p50", "", value, "ms")) for value in (3.0, 1.0, 2.0)])

    assert (found.middle, found.unit, spread(found.values)) == (2.0, "ms", "1 – 3")


@pytest.mark.parametrize(
    ("reached", "is_reached"),
    [([True], True), ([False], False), ([True, True, False], True), ([True, False], False)],
    ids=["one", "none", "most", "half"],
)
def test_a_figure_is_reached_where_most_runs_reach_it(
    reached: list[bool], is_reached: bool
) -> None:
    runs = [outcome(Reading("x", "", 1, "", "at most 1", one)) for one in reached]

    assert sums(runs)[0].is_reached is is_reached


def test_what_is_asked_for_comes_first_and_ratios_before_amounts() -> None:
    readings = (
        Reading("ms", "", 1, "ms"),
        Reading("ratio", "", 1),
        Reading("asked", "", 1, "ms", "at most 2", True),
    )

    assert [one.row for one in sums([outcome(*readings)])] == ["asked", "ratio", "ms"]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (0, "0"),
        (1.0, "1"),
        (0.12345, "0.123"),
        (12.345, "12.3"),
        (1234.5, "1,234"),
        (1_000_000, "1,000,000"),
    ],
)
def test_numbers_are_told_no_finer_than_they_mean(value: float, told: str) -> None:
    assert number(value) == told
