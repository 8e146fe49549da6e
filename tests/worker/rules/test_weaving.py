import pytest

from worker.rules.weaving import LONGEST, standing, with_before, with_rest


@pytest.mark.parametrize(
    "older, newest, told",
    [
        ("User lives in Porto", "User moved", "before that lived in Porto"),
        ("User is based in Porto", "User moved", "before that was based in Porto"),
        ("User has lived here for years", "User moved", "before that lived here for years"),
        ("User has a cat", "User moved", "before that had a cat"),
        ("User works at Acme now", "User works at B", "before that worked at Acme"),
        ("User's home is in Porto", "User moved", "before that their home was in Porto"),
        ("User's tea is black", "User's tea is green", "before that was black"),
        ("User's kids go out", "User moved", "before: User's kids go out"),
        ("Every day User sings", "User dances", "before: Every day User sings"),
        ("Omar (User's friend) lives in Perth", "Omar moved", "before that lived in Perth"),
    ],
)
def test_what_was_before_is_told_in_the_past(older: str, newest: str, told: str) -> None:
    text, drops = with_before(newest, [older])

    assert (text, drops) == (f"{newest}; {told}", ())


def test_the_past_of_the_past_is_kept_until_it_is_too_long() -> None:
    text, drops = "User lives in Town0", tuple[str, ...]()
    for number in range(1, 30):
        text, drops = with_before(f"User lives in Town{number}", [text])

    assert text.startswith("User lives in Town29; before that lived in Town28; before that")
    assert len(text) <= LONGEST
    assert drops
    assert all("Town" in drop and ";" not in drop for drop in drops)


def test_only_the_newest_statement_of_a_woven_text_stands() -> None:
    text = with_rest(with_before("User moved", ["User lives in Porto"])[0], ["User sings"], "also")

    assert text == "User moved; before that lived in Porto; also: User sings"
    assert standing(text) == "User moved"
