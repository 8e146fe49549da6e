"""Whether the small words of a text are known."""

import pytest

from worker.core.texts.language import is_listed


@pytest.mark.parametrize(
    "text",
    [
        "What time is it in Lille?",
        "I like pickled ginger and I have a cat",
        "Ich habe einen Hund und eine Katze",
        "Я живу в этом городе и у меня есть кот",
        "J'ai un chat et je suis de Lille",
        "犬を三匹飼っています",
        "우유를 못 마셔요",
    ],
)
def test_a_listed_language_is_known_by_its_small_words(text: str) -> None:
    assert is_listed(text)


@pytest.mark.parametrize(
    "text", ["", "?!", "Scrios an bád le do thoil", "Nilihamia Mombasa mwezi uliopita", "Tea?"]
)
def test_in_doubt_a_language_is_not_listed(text: str) -> None:
    assert not is_listed(text)
