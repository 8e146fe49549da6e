"""What the rules join among memories: only what plainly says no more."""

import pytest

from schemas.memory import MemoryRecord
from tests.build import at, candidacy, memory, vector
from worker.rules.reorganizing import RuleReorganize


def found(*said: str, near: bool = True) -> list[tuple[tuple[str, ...], str]]:
    """Groups of statements in the order they were said; the last is what the question is about."""
    records = [
        MemoryRecord(
            memory=memory(text, said_at=at(day - 30), id=memory(f"{day}{text}").id),
            vector=vector("near" if near else text),
        )
        for day, text in enumerate(said)
    ]
    groups = RuleReorganize(same=0.9).read(candidacy([], records[::-1]), []).groups
    return [(one.members, one.relation) for one in groups]


@pytest.mark.parametrize(
    ("said", "relation"),
    [
        (("Likes green tea", "Likes green tea"), "same"),
        (("Likes green tea", "The user likes green tea."), "same"),
        (("Likes tea", "Likes green tea in the morning"), "update"),
    ],
)
def test_what_plainly_says_the_same_or_more_of_it_is_joined(
    said: tuple[str, ...], relation: str
) -> None:
    assert found(*said) == [(("c1", "c2"), relation)]


@pytest.mark.parametrize(
    "said",
    [
        ("Has 2 dogs", "Has 3 dogs"),
        ("Likes green tea", "Does not like green tea"),
        ("Is head nurse at St Elin hospital", "Runs the first-aid course of St Elin hospital"),
        ("Lives in Oslo", "Moved to Bergen"),
        ("Owns a boat", "Sold the boat"),
        ("Error E-11 means a full disk", "Error E-12 means a full disk"),
        ("Swims on Tuesday mornings", "Works from the library on Tuesday mornings"),
    ],
)
def test_what_differs_or_ends_something_is_left_alone(said: tuple[str, ...]) -> None:
    assert found(*said) == []


def test_what_is_far_apart_is_left_alone() -> None:
    assert found("Likes tea", "Likes green tea in the morning", near=False) == []


def test_all_that_say_the_same_are_one_group() -> None:
    assert found("Likes green tea", "Likes green tea", "Likes green tea") == [
        (("c1", "c2", "c3"), "same")
    ]
