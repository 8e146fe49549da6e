"""The page tells of every row what was measured, or why it was not."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from bench.all.page import Whole, page
from bench.all.plan import ENTRIES, ROWS, Entry, Scale, Size
from bench.all.reading import Reading
from bench.all.results import About, Outcome

ABOUT = About("2026-01-01 10:00+00:00", "0.10", {"cores": "2"}, {"slowwave": "0.1.0, commit abc"})
PUBLISH = "the Redis call / RPUSH, p50"


def ran(entry: str, *readings: Reading, size: Size = "usual", **fields: Any) -> Outcome:
    return Outcome(entry, 1, size, "", "ran", seconds=3, readings=readings, **fields)


def told(
    outcomes: Sequence[Outcome],
    notes: Mapping[str, str] | None = None,
    entries: Sequence[Entry] = ENTRIES,
) -> str:
    return page(
        Whole(entries, outcomes, ABOUT, "11:00", "0.20", "python -m bench all", notes or {})
    )


def section(text: str, title: str) -> str:
    return text.partition(f"## {title}")[2].partition("\n## ")[0]


def line(text: str, begins: str) -> str:
    return next(one for one in text.splitlines() if one.startswith(f"| {begins}"))


def publish(value: float, run: int = 1) -> Outcome:
    reading = Reading(PUBLISH, "", value, "", "at most 1.7", value <= 1.7)
    return replace(ran("publish", reading), run=run)


def test_every_row_stands_there_even_if_nothing_was_measured() -> None:
    targets = section(told([]), "What has to be reached")

    assert [row.what for row in ROWS if f"| {row.what} | " in targets] == [row.what for row in ROWS]
    assert targets.count("not measured") >= len(ROWS)


def test_a_row_shows_median_spread_and_whether_it_is_reached() -> None:
    text = told([publish(value, at) for at, value in enumerate((1.5, 1.6, 1.8), start=1)])

    found = line(section(text, "What has to be reached"), "publish, the Redis call")
    assert "| 1.6 | 1.5 – 1.8 | at most 1.7 | yes (2 of 3 runs) |" in found


@pytest.mark.parametrize(("value", "is_shown"), [(1.9, True), (1.5, False)])
def test_a_reason_is_given_only_where_the_row_is_not_reached(value: float, is_shown: bool) -> None:
    text = told([publish(value)], {"publish, the Redis call": "Redis is far away."})

    assert ("Redis is far away." in text) is is_shown


def test_a_size_below_the_one_that_is_asked_for_is_said() -> None:
    reading = Reading("claim, Redis time, p99", "", 90, "µs", "at most 1,000", True)

    small, usual = (told([ran("claim", reading, size=size)]) for size in ("small", "usual"))

    assert "yes, at a smaller size than is asked" in line(small, "a million scopes")
    assert "smaller" not in line(usual, "a million scopes")


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("failed", "it failed with exit status 1: no"),
        ("late", "it was ended after 30 s"),
        ("missing", "it needs x"),
    ],
)
def test_what_did_not_run_is_said_with_its_reason(state: Any, why: str) -> None:
    text = told([Outcome("publish", 1, "small", "", state, why)])

    assert f"* publish: {why}" in section(text, "What was not measured")
    assert f"not measured: {why}" in line(text, "publish, the Redis call")


def test_what_a_run_left_out_and_a_run_that_failed_beside_others_are_said() -> None:
    failed = Outcome("publish", 2, "small", "", "failed", "it failed")
    text = section(told([replace(publish(1), remarks=("left out: mem0",)), failed]), "What was not")

    assert "* of publish: left out: mem0" in text
    assert "* publish, run 2: it failed" in text


def test_what_has_to_hold_beyond_the_rows_is_told_apart() -> None:
    lost = Reading("lost", "", 2, "", "at most 0", False)

    found = section(told([ran("torture", lost), publish(1)]), "What else has to hold")

    assert "| torture | lost | 2 | at most 0 | **no** |" in found
    assert PUBLISH not in found


def test_columns_of_which_nothing_is_known_are_left_out() -> None:
    text = told([ran("torture", Reading("turns", "", 5)), publish(1)])

    assert "|  | median |\n" in section(text, "torture")
    assert "|  | median | to reach | reached |\n" in section(text, "publish")


@pytest.mark.parametrize(("status", "is_said"), [(0, False), (1, True), (None, False)])
def test_a_bench_that_says_that_something_is_wrong_is_heard(
    status: int | None, is_said: bool
) -> None:
    text = told([ran("nights", Reading("turns", "", 5), status=status)])

    assert ("of which 1 exited 1" in section(text, "nights")) is is_said


def test_a_table_with_more_columns_than_rows_is_laid_on_its_side() -> None:
    readings = [Reading("ours", name, 1) for name in ("calls", "tokens_per_batch")]

    found = section(told([ran("adding", *readings)]), "adding")

    assert "|  | ours |" in found
    assert "| tokens per batch | 1 |" in found


def test_a_cell_that_was_not_measured_is_empty_and_no_zero() -> None:
    readings = [
        Reading("ours", "archived", 1),
        Reading("ours", "calls", 1),
        Reading("peer", "calls", 2),
    ]

    assert "| peer | – | 2 |" in told([ran("adding", *readings)])


def test_only_the_columns_that_are_told_are_shown() -> None:
    one = Entry("one", "", {"small": Scale("", 1)}, told=("stale",))
    readings = [Reading("ours", "stale", 1), Reading("ours", "facts", 7)]

    found = section(told([ran("one", *readings)], entries=[one]), "one")

    assert "stale" in found
    assert "facts" not in found


def test_the_page_ends_with_the_machine_and_the_commands_to_repeat() -> None:
    text = told([replace(publish(1), words="--turns 4000")])

    assert "| cores | 2 |" in text
    assert "| began | 2026-01-01 10:00+00:00, load 0.10 |" in text
    assert "commit abc" in text
    assert "python -m bench publish --turns 4000\n" in section(text, "To repeat")
