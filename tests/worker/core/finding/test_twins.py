"""Facts of one batch that might be about the same thing."""

import numpy as np
import pytest

from schemas.memory import Fact
from tests.build import at, fact
from worker.core.finding.twins import twins


def test_only_the_closest_are_offered() -> None:
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


def test_a_request_to_forget_is_offered_what_was_said_until_then_of_anybody_and_to_its_kind_only() -> (
    None
):
    facts = [
        fact("Forget the illness", kind="forget", subject="Ann"),
        fact("Mia is ill", subject="Mia"),
        fact("Mia is well", subject="Mia", said_at=at(1)),
        fact("Forget Mia", kind="forget", subject="Mia", said_at=at(2)),
    ]

    found = twins(facts, np.full((4, 4), 0.9, np.float32), [()] * 4, 0.8, 8)

    assert [set(one) for one in found] == [{1, 3}, {2}, {1}, {0, 1, 2}]


def test_a_request_to_forget_is_offered_what_has_a_word_of_it_however_far() -> None:
    facts = [
        fact("Visited the library lion", subject="Mia"),
        fact("Forget the library lion", kind="forget"),
        fact("Visited the zoo", subject="Mia"),
    ]

    found = twins(facts, np.zeros((3, 3), np.float32), [()] * 3, 0.8, 8)

    assert [set(one) for one in found] == [set(), {0}, set()]
