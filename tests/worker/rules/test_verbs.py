import pytest

from worker.rules.verbs import is_past, past, third_person


@pytest.mark.parametrize(
    "base, third, before",
    [
        ("live", "lives", "lived"),
        ("go", "goes", "went"),
        ("have", "has", "had"),
        ("try", "tries", "tried"),
        ("play", "plays", "played"),
        ("stop", "stops", "stopped"),
        ("visit", "visits", "visited"),
        ("watch", "watches", "watched"),
        ("drink", "drinks", "drank"),
        ("make", "makes", "made"),
    ],
)
def test_a_verb_goes_to_the_third_person_and_the_past(base: str, third: str, before: str) -> None:
    assert third_person(base) == third
    assert past(third) == before
    assert is_past(before)
    assert not is_past(third)


def test_an_unknown_verb_has_no_past() -> None:
    assert past("pets") is None
