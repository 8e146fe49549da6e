"""Ids are deterministic and keep apart what is different."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from schemas.ids import batch_run_id, scope_key, turn_id_of_moment, turn_id_of_place, uuid_of
from tests.build import uid

MOMENT = datetime(2026, 1, 1, 10, tzinfo=UTC)
PARTS = st.lists(st.text(max_size=6) | st.integers() | st.none(), max_size=4)


@given(PARTS, PARTS)
def test_different_parts_never_share_an_id(one: list[str], other: list[str]) -> None:
    assert (uuid_of("x", *one) == uuid_of("x", *other)) == (one == other)


def test_names_that_join_to_the_same_letters_are_different_scopes() -> None:
    assert scope_key("ab", "c") != scope_key("a", "bc")


def test_one_moment_in_two_time_zones_is_one_turn() -> None:
    elsewhere = MOMENT.astimezone(timezone(timedelta(hours=9)))

    assert turn_id_of_moment("s", "c", "user", None, "yes", MOMENT) == turn_id_of_moment(
        "s", "c", "user", None, "yes", elsewhere
    )


def test_two_equal_turns_without_a_time_are_two() -> None:
    assert turn_id_of_place("s", "c", "user", None, "yes", 0) != turn_id_of_place(
        "s", "c", "user", None, "yes", 1
    )


def test_a_run_is_known_by_its_turns_whatever_their_order_until_it_is_undone() -> None:
    a, b = uid("a"), uid("b")

    assert batch_run_id("s", [a, b], 0) == batch_run_id("s", [b, a], 0)
    assert batch_run_id("s", [a, b], 0) != batch_run_id("s", [a, b], 1)
