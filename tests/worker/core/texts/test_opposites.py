"""Facts that say the opposite of their turn, and honest ones that look like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.core.hearing.forget_requests import asks_to_forget, unasked
from worker.core.hearing.grounding import only_quoted
from worker.core.texts.opposites import reverses


@pytest.mark.parametrize(
    "said, text",
    [
        ("No need to water the ferns.", "Needs watering the ferns"),
        ("Hi there! No need to water the ferns.", "Need to water the ferns"),
        ("I don't like fennel", "Likes fennel"),
        ("I used to smoke a pipe, not any more.", "Smokes a pipe"),
        ("Früher fuhr ich Rad, jetzt nicht mehr.", "Rad"),
        ("Ich esse kein Brot", "Esse Brot"),
        ("Я не ем рыбу", "Ем рыбу"),
        ("No me gusta el mar", "Le gusta el mar"),
        ("ビールは飲みません", "ユーザーはビールを飲む"),
        ("我不吃鱼", "用户吃鱼"),
    ],
)
def test_a_denial_that_got_lost_is_seen(said: str, text: str) -> None:
    assert reverses(text, "user", said) == "leaves out a denial of its turn"


@pytest.mark.parametrize(
    "said, text",
    [
        ("I drink tea", "Drinks no tea"),
        ("I have a brother and I drink tea", "Never drinks tea"),
        ("Ich trinke Tee", "Trinke keinen Tee"),
        ("お茶を飲みます", "お茶を飲まない"),
    ],
)
def test_a_denial_that_nobody_uttered_is_seen(said: str, text: str) -> None:
    assert reverses(text, "user", said) == "denies what its turn says"


@pytest.mark.parametrize(
    "said, text",
    [
        ("No need to water the ferns.", "Wants no help with watering the ferns"),
        ("I don't like fennel", "Dislikes fennel"),
        ("I don't eat meat", "Is a vegetarian"),
        ("I have no siblings", "Is an only child"),
        ("I never miss a rehearsal", "Comes to every rehearsal"),
        ("I can't wait to move to Turku", "Wants to move to Turku"),
        ("I used to smoke a pipe, not any more.", "Used to smoke a pipe"),
        ("I don't live in Lille any more.", "Used to live in Lille"),
        ("I don't live in Lille any more, I moved to Metz.", "Moved to Metz"),
        ("My sister doesn't eat fish but I do", "Eats fish"),
        ("No tea for me at work. I drink tea at home.", "Drinks tea at home"),
        ("Not only do I play the oboe, I teach it", "Plays and teaches the oboe"),
        ("no i moved to metz", "Moved to Metz"),
        ("No, I moved to Metz", "Moved to Metz"),
        ("I quit smoking", "No longer smokes"),
        ("Ich habe aufgehört zu rauchen", "Raucht nicht mehr"),
        ("Do I drink tea? I gave it up.", "Drinks no tea"),
        ("我吃素", "用户不吃肉"),
        ("ok", "Drinks no tea"),
        ("", "Drinks no tea"),
    ],
)
def test_an_honest_paraphrase_is_not_asked_about(said: str, text: str) -> None:
    assert reverses(text, "user", said) is None


@pytest.mark.parametrize("said", ["No need to wake Ines", "I play the oboe", "お茶を飲みません"])
def test_the_words_themselves_are_never_their_opposite(said: str) -> None:
    assert reverses(said, "Ines", said) is None


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_can_be_compared(text: str, said: str) -> None:
    assert reverses(text, "user", said) in {
        None,
        "leaves out a denial of its turn",
        "denies what its turn says",
    }


@pytest.mark.parametrize("piece", ["not a ", "no, ", "“", '"', "a", "don't ", "お", "a? "])
def test_a_turn_of_the_longest_kind_is_read_in_linear_time(piece: str) -> None:
    """Where the time grows with the square of the length, this takes minutes."""
    said = piece * (100_000 // len(piece))

    assert reverses("Plays the oboe", "user", said) is None
    assert unasked("Oboe", said, f"{said} oboe") is None or not asks_to_forget(said)
    assert not only_quoted("Plays the oboe", said)
