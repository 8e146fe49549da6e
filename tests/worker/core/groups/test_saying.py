"""Whether one text says what another says: tables in several languages, and what holds of any words."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worker.core.groups.saying import is_revalued, is_reworded, is_within, missing
from worker.core.texts.words import is_blank

#: A text, and one that has all its words.
WITHIN = [
    ("Ann paints", "Ann has painted sunsets since May"),
    ("Ann hikes in the Alps", "In the Alps, Ann is hiking with her dog"),
    ("Ann moved after meeting Bob", "After meeting Bob, Ann moved"),
    (
        "Arbeitet in der Apotheke",
        "Hat bei den Apotheken in Kiel gearbeitet, arbeitet jetzt weniger",
    ),
    ("Живёт с сестрой в Казани", "В городе Казань живёт вместе с сестрой и кошкой"),
    ("京都に住んでいる", "妹と京都に住みます"),
    ("我住在上海", "我和妹妹住在上海"),
    ("Ann", "Ann paints"),
    ("Is not one of us", "Is not one of us"),
]
#: A text, and one that lacks something of it.
NOT_WITHIN = [
    ("Ann paints at night", "Ann paints"),
    ("Plays the violin", "Plays the viola"),
    ("Arbeitet in Kiel", "Arbeitet in Bremen"),
    ("Живёт в Казани", "Живёт в Москве"),
    ("妹と京都に住んでいる", "京都に住んでいる"),
    ("我和妹妹住在上海", "我住在上海"),
    ("Rent is 840 euros", "Rent is 910 euros"),
    ("Ann lent Bob a bicycle", "Bob lent Ann a bicycle"),
    ("Is not with us", "Is with them"),
]
#: Two of which each has a few words that the other says otherwise: a paraphrase, or another value.
REWORDED = [
    ("Lives in Lisbon with her sister", "Resides in Lisbon with her sister"),
    ("Has two children", "Has two kids"),
    ("Wohnt mit ihrer Schwester in Köln", "Lebt mit ihrer Schwester in Köln"),
    ("Compró un coche en mayo", "Compró un automóvil en mayo"),
    ("Живёт в Казани вместе с сестрой", "Проживает в Казани вместе с сестрой"),
    ("妹と一緒に京都に住んでいる", "妹と一緒に京都で暮らしている"),
    ("Is allergic to peanuts", "Is allergic to walnuts"),
]
NOT_REWORDED = [
    ("Paints", "Draws"),
    ("Ann paints sunsets", "Ann paints sunsets"),
    ("Ann paints sunsets at night", "Ann paints sunsets"),
    ("Nate practices for tournaments", "Nate won his first tournament with a team shooter"),
    ("Ann lent Bob a bicycle in spring", "Bob gave Ann a bicycle in spring"),
]
#: An older text, what takes its place, and what is said to be no longer true: another value of the same.
REVALUED = [
    ("Ann lives in Tromso", "Ann has moved and lives in Perth now", ("Tromso",)),
    ("Ann lives in New York City", "Ann lives in Perth", ("New York City",)),
    ("Ann works as a plumber", "Ann is a florist now, no longer a plumber", ("plumber",)),
    ("Rent is 840 euros", "Rent went up to 910 euros", ("840",)),
    ("Wohnt in Kiel bei der Tante", "Wohnt jetzt in Bremen bei der Tante", ("Kiel",)),
    ("Живёт в Казани", "Теперь живёт в Москве", ("Казани",)),
    ("京都に住んでいる", "今は大阪に住んでいる", ("京都",)),
    ("ニューヨークに住んでいる", "今は大阪に住んでいる", ("ニューヨーク",)),
    ("Ann's dentist is Dr. Amsel.", "Ann changed dentists: it is Dr. Brandt now.", ("Amsel",)),
    ("Ann takes brown sugar in tea", "Ann now takes no sugar in tea", ("brown",)),
    ("Keeps bees, lives in Kiel", "Lives in Bremen and keeps bees", ("Kiel",)),
]
NOT_REVALUED = [
    # A whole statement, or clause, is said to be untrue, and nothing tells that the other is about the same.
    (
        "Nate practices for tournaments",
        "Nate won a tournament",
        ("Nate practices for tournaments",),
    ),
    ("Ann lives in Tromso, she swims daily", "Ann lives in Perth", ("Tromso", "she swims daily")),
    ("Ann owns a cat. Swims daily", "Ann owns a cat called Tom", ("Swims daily",)),
    # The rest of it is said nowhere.
    ("Ann lives in Tromso near the old harbour", "Ann lives in Perth", ("Tromso",)),
    ("Ann likes tea", "Ann owns a boat", ("tea",)),
    # Nothing stands in its place.
    ("Ann lives in Tromso", "Ann lives", ("Tromso",)),
    # So much is no value.
    (
        "Ann swims in cold lakes with old friends at dawn",
        "Ann swims less",
        ("in cold lakes with old friends at dawn",),
    ),
    # What is untrue was not named.
    ("Ann lives in Tromso", "Ann lives in Perth", ()),
]


@pytest.mark.parametrize(("text", "other"), WITHIN)
def test_all_its_words_are_there_in_whatever_form_and_order(text: str, other: str) -> None:
    assert missing(text, other, "Ann") == []
    assert is_within(text, other, "Ann")


@pytest.mark.parametrize(("text", "other"), NOT_WITHIN)
def test_a_word_less_or_who_did_it_to_whom_makes_it_another_statement(
    text: str, other: str
) -> None:
    assert not is_within(text, other, "Ann")


@pytest.mark.parametrize(("text", "other"), REWORDED)
def test_a_few_other_words_in_the_place_of_a_few(text: str, other: str) -> None:
    assert is_reworded(text, other, "user")
    assert is_reworded(other, text, "user")


@pytest.mark.parametrize(("text", "other"), NOT_REWORDED)
def test_more_than_a_few_words_or_none_in_their_place_is_no_rewording(
    text: str, other: str
) -> None:
    assert not is_reworded(text, other, "Ann")


@pytest.mark.parametrize(("text", "other", "drops"), REVALUED)
def test_another_value_of_the_same(text: str, other: str, drops: tuple[str, ...]) -> None:
    assert is_revalued(text, other, "Ann", drops)


@pytest.mark.parametrize(("text", "other", "drops"), NOT_REVALUED)
def test_what_is_said_to_be_untrue_has_to_leave_something_that_the_other_says(
    text: str, other: str, drops: tuple[str, ...]
) -> None:
    assert not is_revalued(text, other, "Ann", drops)


TEXTS = (
    st.lists(
        st.sampled_from("Ann Bob paints swims tea 京都 住む lake and , not 7 Köln в лодке".split()),
        min_size=1,
        max_size=8,
    )
    .map(" ".join)
    .filter(lambda text: not is_blank(text))
)


@settings(deadline=None, max_examples=50)
@given(text=TEXTS, more=TEXTS)
def test_what_is_added_to_never_lacks_anything(text: str, more: str) -> None:
    assert missing(text, f"{text}\n{more}", "Ann") == []
    assert is_within(text, text, "Ann")


@settings(deadline=None, max_examples=50)
@given(text=TEXTS, other=TEXTS, drops=st.lists(TEXTS, max_size=3))
def test_whatever_is_dropped_a_text_of_which_nothing_is_left_has_no_other_value(
    text: str, other: str, drops: list[str]
) -> None:
    if set(missing(text, other, "Ann")) == set(missing(text, "", "Ann")):
        assert not is_revalued(text, other, "Ann", drops)
        assert not is_reworded(text, other, "Ann")
