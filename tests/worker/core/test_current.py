"""One notion of what is current."""

import pytest

from tests.build import NOW, at, memory
from worker.core.current import current


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
