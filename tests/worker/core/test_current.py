"""One notion of what is current, and since when."""

import pytest

from tests.build import NOW, at, memory
from worker.core.current import current, first_said


@pytest.mark.parametrize(
    ("until", "after", "text"),
    [
        (None, None, "drinks Americano"),
        (at(1), "drinks pour-over", "drinks Americano"),
        (at(-1), "drinks pour-over", "drinks pour-over"),
        (NOW, "drinks pour-over", "drinks pour-over"),
        (at(-1), None, None),
    ],
)
def test_a_temporary_state_gives_way_to_what_stands_again(
    until: object, after: str | None, text: str | None
) -> None:
    stands = current(memory("drinks Americano", until=until, after=after), NOW)

    assert (stands.text if stands else None) == text


def test_a_memory_says_what_it_says_since_it_was_first_said() -> None:
    assert first_said(memory("drinks tea", since=at(-90), said_at=at(-3))) == at(-90)


def test_a_record_that_kept_no_first_time_has_its_latest() -> None:
    assert first_said(memory("drinks tea", said_at=at(-3))) == at(-3)


def test_what_stands_again_does_so_since_the_end_of_what_was_for_a_while() -> None:
    overlay = memory("drinks tea", since=at(-9), until=at(-1), after="drinks coffee")

    stands = current(overlay, NOW)

    assert stands
    assert first_said(stands) == at(-1)
