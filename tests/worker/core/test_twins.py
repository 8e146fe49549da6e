"""Facts of one batch that might be about the same thing."""

import numpy as np
import pytest

from tests.build import fact, uid
from worker.core.twins import twins


@pytest.mark.parametrize("count", [2, 8, 9, 10, 30])
def test_a_sentence_said_any_number_of_times_is_offered_to_all_its_repetitions(count: int) -> None:
    facts = [fact("I live in Seattle.", turn_ids=(uid(str(n)),)) for n in range(count)]

    found = twins(facts, np.ones((count, count), np.float32), [()] * count, 0.8, 8)

    assert all(set(peers) == set(range(count)) - {at} for at, peers in enumerate(found))


def test_of_other_words_only_the_closest_are_offered() -> None:
    facts = [fact(f"Sentence {n}") for n in range(20)]

    found = twins(facts, np.full((20, 20), 0.9, np.float32), [()] * 20, 0.8, 3)

    assert set(found[19]) == {0, 1, 2}
