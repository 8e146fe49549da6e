from datetime import UTC, datetime

import pytest

from worker.adapters.sources.entry import own_id, published_at, turn_in
from worker.errors import Unprocessable


def test_an_entry_holds_the_fields_of_a_turn() -> None:
    fields = {b"app": b"acme", b"user": b"ann", b"role": b"user", b"text": "Grüße".encode()}

    assert turn_in(fields) == {"app": "acme", "user": "ann", "role": "user", "text": "Grüße"}


def test_fields_that_are_no_text_stand_there_as_json() -> None:
    assert turn_in({b"text": b'{"a": 1}', b"metadata": b'{"a": 1}'}) == {
        "text": '{"a": 1}',
        "metadata": {"a": 1},
    }


def test_a_single_field_may_hold_the_whole_turn() -> None:
    assert turn_in({b"turn": b'{"content": [{"type": "text"}]}'}) == {"content": [{"type": "text"}]}


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({b"turn": b"nonsense"}, "is not JSON"),
        ({b"turn": b"[]"}, "is not an object"),
        ({b"text": b"\xff"}, "no UTF-8"),
        ({b"\xff": b"x"}, "no UTF-8"),
        ({b"text": b"x", b"metadata": b"{"}, "no JSON in `metadata`"),
    ],
)
def test_what_cannot_be_read_says_why(fields: dict[bytes, bytes], problem: str) -> None:
    with pytest.raises(Unprocessable, match=problem):
        turn_in(fields)


def test_entries_of_two_streams_are_never_the_same_turn() -> None:
    assert own_id("turns", "1796034643685-0") != own_id("other", "1796034643685-0")


@pytest.mark.parametrize("name", ["turns", "t" * 5_000])
def test_an_entrys_own_id_fits_into_a_turn(name: str) -> None:
    assert len(own_id(name, f"{2**64 - 1}-{2**64 - 1}")) <= 256


@pytest.mark.parametrize(
    ("id", "at"),
    [
        ("1796034643685-3", datetime(2026, 11, 30, 10, 30, 43, 685_000, tzinfo=UTC)),
        ("7-1", None),
        (f"{2**64 - 1}-0", None),
    ],
)
def test_redis_ids_say_when_an_entry_was_added_and_numbers_of_ones_own_do_not(
    id: str, at: datetime | None
) -> None:
    assert published_at(id) == at
