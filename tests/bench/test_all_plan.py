"""The plan of all benches answers every row of the design, and fits into the time that there is."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.__main__ import BENCHES
from bench.all.choice import SHARE, chosen, cost, rounds, words
from bench.all.needs import REMEDIES, Places, shown
from bench.all.notes import notes
from bench.all.plan import ENTRIES, ROWS, SIZES, Entry, Scale, Size

DESIGN = Path(__file__).parent.parent.parent / "docs" / "design.md"
#: Those that measure nothing.
NO_MEASURE = {"all", "locomo", "peers"}

SCALES = st.fixed_dictionaries(
    {"small": st.builds(Scale, st.just("s"), st.floats(0.1, 100))},
    optional={
        "usual": st.builds(Scale, st.just("u"), st.floats(0.1, 500)),
        "long": st.builds(Scale, st.just("l"), st.floats(0.1, 2000)),
    },
)
PLANS = st.lists(
    st.builds(Entry, st.uuids().map(str), st.just(""), SCALES, varies=st.booleans()), max_size=8
)


def entry(name: str = "one", small: float = 10, **more: float) -> Entry:
    seconds = {"small": small, **more}
    return Entry(name, "", {size: Scale(size, seconds[size]) for size in SIZES if size in seconds})


def rows_of_the_design() -> list[str]:
    text = DESIGN.read_text().partition("\n## 12.")[2].partition("\n## 13.")[0]
    cells = re.findall(r"^\| ([^|]+) \|", text, re.MULTILINE)
    return [cell for cell in cells if cell != "what"]


def test_every_row_of_the_design_is_answered_in_its_order() -> None:
    found = rows_of_the_design()

    assert len(found) == len(ROWS)
    assert [
        row.what for row, cell in zip(ROWS, found, strict=True) if cell.startswith(row.what)
    ] == [row.what for row in ROWS]


def test_every_bench_that_measures_is_in_the_plan() -> None:
    planned = {one.bench for one in ENTRIES} | {"scaling"}

    assert BENCHES.keys() - NO_MEASURE - planned == set()


def test_names_are_used_once_and_rows_name_them() -> None:
    names = [one.name for one in ENTRIES]

    assert len(set(names)) == len(names)
    assert {name for row in ROWS for name in row.entries} <= set(names)


def test_what_a_bench_needs_has_a_remedy_to_be_told() -> None:
    assert {need for one in ENTRIES for need in (*one.needs, *one.gains)} <= REMEDIES.keys()


def test_reasons_are_known_of_rows_only() -> None:
    assert notes().keys() <= {row.what for row in ROWS}


@given(PLANS, st.floats(0.1, 120), st.integers(1, 5))
def test_what_is_chosen_fits_into_the_time_or_is_as_small_as_can_be(
    plan: list[Entry], minutes: float, runs: int
) -> None:
    sizes = chosen(plan, minutes, runs)
    whole = sum(cost(one, sizes[one.name], runs) for one in plan)

    assert sizes.keys() == {one.name for one in plan}
    assert whole <= 60 * minutes * SHARE + 1e-6 or set(sizes.values()) <= {"small"}


@pytest.mark.parametrize(
    ("minutes", "sizes"),
    [
        (0.1, ["small", "small"]),
        (1, ["small", "small"]),
        (2, ["usual", "small"]),
        (4, ["usual", "usual"]),
        (20, ["long", "usual"]),
    ],
)
def test_the_first_to_come_are_the_first_to_grow(minutes: float, sizes: list[Size]) -> None:
    plan = [entry("first", 10, usual=60, long=600), entry("second", 10, usual=60)]

    found = list(chosen(plan, minutes, 1).values())

    assert [plan[at].scale(size).arguments for at, size in enumerate(found)] == sizes


def test_all_are_run_once_before_any_is_run_again() -> None:
    plan = [entry("a"), Entry("b", "", {"small": Scale("", 1)}, varies=False), entry("c")]

    assert [(one.name, at) for one, at in rounds(plan, 2)] == [
        ("a", 1),
        ("b", 1),
        ("c", 1),
        ("a", 2),
        ("c", 2),
    ]


def test_what_is_there_makes_a_bench_do_more() -> None:
    one = Entry("x", "", {"small": Scale("--seconds 2", 1)}, gains={"weaviate": "--store both"})

    assert words(one, "small", {}) == "--seconds 2"
    assert words(one, "small", {"weaviate": "/bin/weaviate"}) == "--seconds 2 --store both"


def test_folders_are_filled_in_whole_and_shown_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "my data"
    given_words = "--sets fc-6k {fc} {stand_in}"
    places = Places(folder, tmp_path)

    assert places.filled(given_words, {}) == [
        *("--sets", "fc-6k", "--factconsolidation", f"{folder}/factconsolidation"),
        *("--tools", str(tmp_path), "--locomo", f"{folder}/locomo10.json"),
    ]
    assert str(tmp_path) not in shown(given_words)
    assert "DATA/locomo10.json" in shown(given_words)


@pytest.mark.parametrize("one", ENTRIES, ids=lambda one: one.name)
def test_all_words_of_the_plan_can_be_filled_in(one: Entry, tmp_path: Path) -> None:
    has = {need: str(tmp_path) for need in one.gains}
    for size in one.scales:
        filled = Places(tmp_path, tmp_path).filled(words(one, size, has), has)

        assert not [word for word in filled if "{" in word]


def test_a_need_is_met_only_by_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "locomo10.json").touch()

    assert Places(tmp_path, None).has()["locomo"] == str(tmp_path / "locomo10.json")
    assert not {"locomo", "gatemem", "tools"} & Places(None, tmp_path).has().keys()
