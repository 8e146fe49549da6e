import pytest

from worker.rules.clause import bare
from worker.rules.sentences import QUOTE, clauses, sentences


@pytest.mark.parametrize(
    "text, expected",
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        (
            "See Dr. Weber at 9 a.m. on Monday. Fine.",
            ["See Dr. Weber at 9 a.m. on Monday.", "Fine."],
        ),
        ("Version 1.2.3 is out", ["Version 1.2.3 is out"]),
        ("- tea\n* milk\n1. bread", ["tea", "milk", "bread"]),
        ("Before ```code. more.``` after", ["Before", "after"]),
        ("> quoted\nmine", ["mine"]),
        ("Mine.\nFrom: a@b.c\nTheirs.", ["Mine."]),
        ('He said "I live in far away Rome." Ok.', [f"He said {QUOTE} Ok."]),
        ('My cat is "Mia".', ['My cat is "Mia".']),
        ("", []),
    ],
)
def test_a_turn_is_cut_into_its_own_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@pytest.mark.parametrize(
    "sentence, expected",
    [
        ("I sing and I dance", ["I sing", "I dance"]),
        ("I sing, my cat listens", ["I sing", "my cat listens"]),
        ("I sing and dance", ["I sing and dance"]),
        ("Every day I sing and I dance", ["Every day I sing and I dance"]),
        ("I sold the car and I cycle now", ["I sold the car and I cycle now"]),
        ("My wife and I sing", ["My wife and I sing"]),
    ],
)
def test_clauses_part_only_where_each_stands_alone(sentence: str, expected: list[str]) -> None:
    assert clauses(sentence) == expected


@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        ("My password is [secret].", "My password is [secret]"),
        ("I live in Oslo (Norway)!", "I live in Oslo (Norway)"),
        ("I own a boat).", "I own a boat"),
        ("I live in Oslo :)", "I live in Oslo"),
    ],
)
def test_a_bracket_that_was_opened_is_closed(sentence: str, left: str) -> None:
    assert bare(sentence) == left
