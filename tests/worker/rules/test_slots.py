import pytest

from worker.rules.slots import slot_of


@pytest.mark.parametrize(
    "text, attribute, value",
    [
        ("User lives in a small flat in Porto", "home", "Porto"),
        ("User has moved to New York", "home", "New York"),
        ("Porto is User's home", "home", "Porto"),
        ("User works as a vet at Green Paws", "job", "vet"),
        ("User is a head nurse", "job", "head nurse"),
        ("User's favorite tea is sencha", "favourite tea", "sencha"),
        ("User is 41 years old", "age", "41"),
        ("User is vegan", "diet", "vegan"),
        ("Every morning User drinks black tea", "morning drink", "black tea"),
        ("User takes the tram to work", "commute", "takes the tram"),
        ("User speaks Dutch", "language", "Dutch"),
        ("User adopted a cat", "pet", "a cat"),
        ("E12 means it is full", "meaning of E12", "it is full"),
        ("Production moved to 7445", "port of Production", "7445"),
    ],
)
def test_common_statements_fill_a_slot(text: str, attribute: str, value: str) -> None:
    slot = slot_of(text)

    assert slot is not None
    assert slot.attribute == attribute
    assert slot.parts[0][1] == value


@pytest.mark.parametrize(
    "text",
    [
        "User lived in Porto as a child",
        "User used to live in Porto",
        "User wants to live in Porto",
        "User hasn't moved to Porto",
        "User doesn't live in Porto",
        "User is thinking of moving to Porto",
        "User moved to Kubernetes last month",
        "User's cat lives in Porto",
        "User no longer works at Acme",
        "User is seeing their therapist",
        "User drives their kids to school",
        "User is 30 minutes late",
        "User has a plan",
    ],
)
def test_what_is_over_to_come_denied_or_of_something_else_fills_none(text: str) -> None:
    assert slot_of(text) is None
