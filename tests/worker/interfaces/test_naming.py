from collections.abc import Iterator
from uuid import UUID

import pytest

from worker.errors import NotFound, Unprocessable
from worker.interfaces.naming import digits_in, the_one

ONE, OTHER = (UUID(f"abcd{n}000-0000-5000-8000-000000000000") for n in (1, 2))
RUNS = ("run", "runs")


@pytest.mark.parametrize("given", ["abc", "wxyz", "", "abcd " * 2, "a" * 33])
def test_less_than_four_digits_or_others_are_no_id(given: str) -> None:
    assert digits_in(given) is None


@pytest.mark.parametrize(
    ("given", "digits"), [("ABCD1", "abcd1"), (str(ONE), ONE.hex), ("abcd-1000", "abcd1000")]
)
def test_an_id_may_be_given_as_it_is_printed(given: str, digits: str) -> None:
    assert digits_in(given) == digits


def test_the_first_digits_are_enough_where_one_begins_so() -> None:
    assert the_one("abcd1", [ONE, OTHER, ONE], RUNS, "look") == ONE


def test_none_and_several_are_said() -> None:
    with pytest.raises(NotFound, match="run ffff is not found in this scope: look"):
        the_one("ffff", [ONE], RUNS, "look")
    with pytest.raises(Unprocessable, match="2 runs begin with abcd: write more"):
        the_one("abcd", [ONE, OTHER], RUNS, "look")


def test_a_whole_id_is_taken_without_reading_the_scope() -> None:
    def never() -> Iterator[UUID]:
        raise AssertionError
        yield

    assert the_one(ONE.hex, never(), RUNS, "look") == ONE
