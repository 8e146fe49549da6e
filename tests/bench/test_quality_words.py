"""Whether a text says a value is told by whole words and numbers, and whether it calls it over."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.quality.words import claims, clauses, tells, tokens


@pytest.mark.parametrize(
    ("text", "needs", "is_told"),
    [
        ("Ana's code is 4412.", ["4412"], True),
        ("Ana's code is 4412.", ["4"], False),
        ("Ana's code is 4412.", ["441"], False),
        ("Pays 4.5 euros.", ["4"], False),
        ("Pays 4.5 euros.", ["5"], False),
        ("Pays 4.5 euros.", ["4.5"], True),
        ("Uses version 3.10.", ["3.1"], False),
        ("Has room A-4.", ["4"], False),
        ("Has room A-4.", ["a-4"], True),
        ("The rent is 1,150 euros.", ["1150"], True),
        ("The rent is 1150 euros.", ["1,150"], True),
        ("Has 4, maybe 5 cats.", ["4"], True),
        ("Owns 4 cats.", ["4", "4"], False),
        ("Lives in New York.", ["New York"], True),
        ("York is new to Ana.", ["New York"], False),
        ("Works at Artemis.", ["art"], False),
        ("Goes to the gym on Monday.", ["Mondays"], True),
        ("Ana’s home is in Graz", ["Ana", "Graz"], True),
        ("Victoria Beckham is married to Ana.", ["Victoria Beckham", "Beckham"], False),
        ("Victoria Beckham is married to David Beckham.", ["Victoria Beckham", "Beckham"], True),
        ("Born in Washington, D.C..", ["Washington, D.C."], True),
        ("Written by Ursula K. Le Guin.", ["Ursula K. Le Guin"], True),
        ("Grew up in VIENNA or Berlin", ["rome|vienna"], True),
        ("Walnuts are off the table", ["walnut*"], True),
        ("Живёт в Самаре", ["Самар*"], True),
        ("她住在杭州。", ["杭州*"], True),
        ("她住在杭。", ["杭州*"], False),
        ("Живёт в Самаре", ["Самара"], False),
        ("Was in Крым", ["Рим"], False),
        ("李娜: 我现在住在杭州。", ["李娜", "杭州"], True),
        ("李娜: 我的房租是3200元。", ["320"], False),
        ("李娜: 我的房租是3200元。", ["3200"], True),
        ("李娜: 我住在州杭。", ["杭州"], False),
        ("Wohnt in Köln", ["Ko\u0308ln"], True),
        ("Verifying an invoice comes before promises of refunds", ["~verify invoice before promising refund"], True),
        ("Refunds are promised at once", ["~verify invoice before promising refund"], False),
        ("Case C-119 waits on the invoice", ["~case C-118 waits on the invoice"], False),
        ("Anything", [], True),
        ("Anything", [""], False),
    ],
)  # fmt: skip
def test_a_need_is_told_by_whole_words_and_numbers(
    text: str, needs: list[str], is_told: bool
) -> None:
    assert tells(text, needs) is is_told


HOMES = ("Graz", "Lyon")


@pytest.mark.parametrize(
    ("text", "claimed"),
    [
        ("Ana lives in Graz.", {"Graz"}),
        ("Ana moved from Graz to Lyon.", {"Lyon"}),
        ("Ana moved to Lyon from Graz.", {"Lyon"}),
        ("Ana lives in Lyon now, no longer in Graz", {"Lyon"}),
        ("Ana no longer lives in Graz, but in Lyon", {"Lyon"}),
        ("Ana lives in Lyon instead of Graz", {"Lyon"}),
        ("Ana lives in Lyon; before: Ana lives in Graz", {"Lyon"}),
        ("Ana lives in Lyon; before that lived in Graz", {"Lyon"}),
        ("Until June Ana lives in Lyon; otherwise: Ana lives in Graz", {"Lyon"}),
        ("Ana used to live in Graz", set()),
        ("Ana is from Graz", {"Graz"}),
        ("Ana takes pills before breakfast in Graz", {"Graz"}),
        ("Ana lives in Graz; Ana lives in Lyon", {"Graz", "Lyon"}),
        ("Ana lives in Graz. Ana lives in Lyon.", {"Graz", "Lyon"}),
        ("Ana wohnt jetzt in Lyon, nicht mehr in Graz.", {"Lyon"}),
        ("Ana: Ya no vivo en Graz: ahora vivo en Lyon.", {"Lyon"}),
        ("Bo lives in Graz", set()),
    ],
)
def test_a_value_is_claimed_unless_the_text_calls_it_over(text: str, claimed: set[str]) -> None:
    assert {one for one in HOMES if claims(text, ("Ana",), one, HOMES)} == claimed


def test_in_scripts_without_spaces_a_value_may_be_over_too() -> None:
    text = "李娜: 我不再住在杭州，现在住在昆明。"

    assert claims(text, ("李娜",), "昆明", ("杭州", "昆明"))
    assert not claims(text, ("李娜",), "杭州", ("杭州", "昆明"))


def test_the_name_in_front_is_no_value() -> None:
    assert not claims("Beckham: has a dog", ("Beckham",), "Beckham")


@pytest.mark.parametrize(
    ("text", "many"),
    [
        ("Sees Dr. Amsel on Fridays.", 1),
        ("Reads Ursula K. Le Guin.", 1),
        ("Has a dog. Has a cat", 2),
        ("我住在杭州。我会拉二胡。", 2),
        ("...", 0),
    ],
)
def test_a_stop_ends_a_clause_but_behind_a_title_or_an_initial(text: str, many: int) -> None:
    assert len(clauses(tokens(text))) == many


WORDS = st.lists(st.sampled_from("ana lives graz 4412 杭 Köln sold no".split()), max_size=6)


@given(before=WORDS, words=WORDS.filter(bool), behind=WORDS)
def test_whatever_stands_around_it_a_phrase_is_found(
    before: list[str], words: list[str], behind: list[str]
) -> None:
    assert tells(" ".join([*before, *words, *behind]), [" ".join(words)])


@given(st.text(max_size=40), st.text(max_size=20), st.text(max_size=20))
def test_no_text_is_too_odd_to_be_looked_at(text: str, about: str, value: str) -> None:
    if claims(text, (about,), value):
        assert tells(text, (value,))
