import pytest

from worker.rules.third_person import as_typed, retold


@pytest.mark.parametrize(
    "said, told",
    [
        ("I love my cat", "User loves their cat"),
        ("I watch it", "User watches it"),
        ("I carry it", "User carries it"),
        ("I'm happy", "User is happy"),
        ("I was happy", "User was happy"),
        ("We were happy", "User was happy"),
        ("I've been there", "User has been there"),
        ("I'd been there", "User had been there"),
        ("I'd like that", "User would like that"),
        ("I'll go", "User will go"),
        ("I don't go", "User doesn't go"),
        ("I do not go", "User does not go"),
        ("I never go", "User never goes"),
        ("I no longer go", "User no longer goes"),
        ("I moved", "User moved"),
        ("I need it", "User needs it"),
        ("I can't swim", "User can't swim"),
        ("I went home and slept", "User went home and slept"),
        ("I think I am late", "User thinks they are late"),
        ("My dog wakes me", "User's dog wakes them"),
        ("It annoys me", "It annoys User"),
        ("I hurt myself", "User hurt themselves"),
        ("The blue one is mine", "The blue one is User's"),
        ("I trust you and your notes", "User trusts the assistant and the assistant's notes"),
        (
            "I know you're right and you have time",
            "User knows the assistant is right and the assistant has time",
        ),
    ],
)
def test_what_is_said_in_the_first_person_is_told_in_the_third(said: str, told: str) -> None:
    assert retold(said, "User") == told


def test_a_name_takes_the_place_of_user() -> None:
    assert retold("I love my cat", "Moss") == "Moss loves their cat"
    assert retold("My cat loves me", "Moss") == "Moss's cat loves them"


@pytest.mark.parametrize(
    "typed, meant",
    [("im here", "I'm here"), ("ive been", "I've been"), ("so i go", "so I go"), ("I'm", "I'm")],
)
def test_apostrophes_and_capitals_that_people_leave_out(typed: str, meant: str) -> None:
    assert as_typed(typed) == meant
