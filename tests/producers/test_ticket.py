from itertools import islice
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from producers.ticket import FIRST_SECONDS, LONGEST_SECONDS, Ticket, pauses

NUMBERS = st.integers(min_value=0, max_value=2**53)


@given(st.uuids(), st.uuids(), NUMBERS, NUMBERS)
def test_a_ticket_is_the_same_once_it_was_handed_on_as_text(
    scope: UUID, turn: UUID, since: int, place: int
) -> None:
    ticket = Ticket(str(scope), turn, since, place)

    assert Ticket.read(str(ticket)) == ticket


@pytest.mark.parametrize(
    "text", ["", "x", "a.b.c.d", f"{UUID(int=1)}.{UUID(int=2)}.1", f"*.{UUID(int=2)}.1.2"]
)
def test_what_is_no_ticket_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no ticket: give the one that `publish` answered with"):
        Ticket.read(text)


def test_the_longer_it_takes_the_less_often_it_is_asked() -> None:
    waits = list(islice(pauses(), 20))

    assert waits[0] == FIRST_SECONDS
    assert waits == sorted(waits)
    assert waits[-1] == LONGEST_SECONDS
