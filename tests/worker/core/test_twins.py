"""Facts of one batch that might be about the same thing."""

import numpy as np
import pytest

from schemas.memory import Fact
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


FAR = np.zeros((2, 2), np.float32)


@pytest.mark.parametrize(
    "one, other",
    [
        (fact("Works at the mill", attribute="job"), fact("Drives a ferry", attribute="job")),
        (fact("ERR_4412 is solved"), fact("Reported ERR_4412")),
    ],
)
def test_however_far_their_words_what_settles_one_thing_is_offered(one: Fact, other: Fact) -> None:
    assert twins([one, other], FAR, [(), ()], 0.8, 8) == ({1: 0.0}, {0: 0.0})


@pytest.mark.parametrize(
    "one, other",
    [
        (fact("Works at the mill"), fact("Drives a ferry")),
        (fact("Works at the mill", attribute="job"), fact("Drives a ferry", attribute="hobby")),
        (fact("Works", attribute="job"), fact("Works", attribute="job", subject="Pim")),
    ],
)
def test_what_has_nothing_in_common_is_not(one: Fact, other: Fact) -> None:
    assert twins([one, other], FAR, [(), ()], 0.8, 8) == ({}, {})
