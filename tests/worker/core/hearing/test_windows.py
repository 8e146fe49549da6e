"""Turns in portions that one call can hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.tokens import estimate
from tests.build import turn
from worker.core.hearing.heard import Heard
from worker.core.hearing.windows import OVERLAP, less_context, windows

LINE = "INFO pump 4 idle, waiting\n"


def texts(*said: str, window: int) -> list[list[str]]:
    turns = tuple(turn(f"t{at}", text) for at, text in enumerate(said))
    return [[one.text for one in part.turns] for part in windows(Heard(turns, window=window))]


def test_what_fits_one_call_stays_in_one_call() -> None:
    assert texts("Hello.", "I moved.", window=100) == [["Hello.", "I moved."]]


def test_turns_that_do_not_fit_one_call_are_in_several_and_none_is_cut() -> None:
    short = "I moved to Ghent and I like it there."

    assert texts(*[short] * 5, window=2 * estimate(short)) == [[short] * 2, [short] * 2, [short]]


def test_a_long_turn_is_cut_where_a_line_or_a_sentence_ends() -> None:
    parts = [part for (part,) in texts(LINE * 100 + "I moved. I like it. " * 50, window=300)]

    assert len(parts) > 3
    assert all(part.endswith(("\n", ". ")) for part in parts)


def test_what_stands_where_a_part_ends_stands_whole_in_the_next() -> None:
    said = "My daughter's school is Lindeskolan.\n"
    for lines in range(5, 30):
        parts = [part for (part,) in texts(LINE * lines + said + LINE * 30, window=200)]
        assert any(said in part for part in parts)
    first, second, *_ = parts
    again = next(n for n in range(len(first)) if second.startswith(first[n:]))
    assert 0 < estimate(first[again:]) <= OVERLAP


def test_the_parts_are_one_turn_with_all_context() -> None:
    heard = Heard((turn("t1", LINE * 100),), context=(turn("t0", "Before."),), window=300)
    parts = windows(heard)

    assert len(parts) > 1
    assert {one.id for part in parts for one in part.turns} == {heard.turns[0].id}
    assert all(part.context[:1] == heard.context for part in parts)


def test_an_answer_that_begins_a_portion_has_its_question_as_context() -> None:
    question = "Long ago. " * 60 + "Is Mia your sister?"
    asked, answer = turn("t1", question, role="assistant"), turn("t2", "Yes!" + " Yes!" * 60)

    first, second = windows(Heard((asked, answer), window=estimate(question)))

    assert (first.turns, second.turns) == ((asked,), (answer,))
    assert first.context == ()
    assert second.context[0].text.endswith("Is Mia your sister?")
    assert len(second.context[0].text) < len(question)


def test_less_context_is_what_was_said_last() -> None:
    heard = Heard((turn(),), context=tuple(turn(f"t{n}", str(n)) for n in range(3)))

    left = less_context(heard)
    assert left is not None
    assert [one.text for one in left.context] == ["2"]
    none = less_context(left)
    assert none is not None
    assert none.context == ()
    assert less_context(none) is None


def test_nothing_heard_is_asked_about_in_no_call() -> None:
    assert windows(Heard(())) == []


@pytest.mark.parametrize(
    "text", ["x" * 5_000, "猫" * 5_000, "🍓" * 2_000, "\n" * 5_000, "a\u200bb" * 3_000]
)
def test_a_text_without_boundaries_is_cut_all_the_same(text: str) -> None:
    parts = [part for (part,) in texts(text, window=1_000)]

    assert all(estimate(part) <= 1_000 for part in parts)
    assert set("".join(parts)) == set(text)


@given(
    st.lists(st.text(st.sampled_from("ab \n.!?。猫🍓1"), max_size=3_000), min_size=1, max_size=4),
    st.integers(1_000, 3_000),
)
def test_nothing_is_lost_and_no_call_is_too_long(said: list[str], window: int) -> None:
    turns = tuple(turn(f"t{at}", text or "-") for at, text in enumerate(said))
    parts = windows(Heard(turns, window=window))

    for one in turns:
        reached = 0
        for text in (part.text for portion in parts for part in portion.turns if part.id == one.id):
            starts = [at for at in range(reached + 1) if one.text.startswith(text, at)]
            assert starts, "a gap"
            reached = starts[-1] + len(text)
        assert reached == len(one.text)
    assert all(sum(estimate(one.text) for one in part.turns) <= window for part in parts)
