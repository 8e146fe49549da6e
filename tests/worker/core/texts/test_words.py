"""Words in any script."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.core.texts.words import carriers, content_words, negations, normalised, terms

#: One statement each: no two may ever be the same.
EVERY_SCRIPT = (
    "猫を二匹飼っています",
    "左利きです",
    "Живу в Казани",
    "매운 음식을 못 먹어요",
    "Likes 🍓",
    "Likes 🍋",
    "Meets friends at Café Müller",
    "हिन्दी बोलता हूँ",
    "أعيش في القاهرة",
    "ไม่กินเผ็ด",
    "ไม่กินหวาน",
    "Takes sugar in tea",
    "Takes no sugar in tea",
    "Takes 3-5 pills",
    "Takes 3.5 pills",
    "-5 degrees",
    "5 degrees",
)


def test_no_two_statements_of_any_script_have_the_same_words() -> None:
    assert len({normalised(text) for text in EVERY_SCRIPT}) == len(EVERY_SCRIPT)


@pytest.mark.parametrize(
    "one, other",
    [
        ("Meets friends at Café Müller", "Meets friends at Cafe\u0301 Mu\u0308ller"),
        ("Lives in Ghent.", "lives  in\nGhent"),
        ("Doesn’t eat meat", "doesn't eat meat"),
        ("Ｌｉｋｅｓ　ＴＥＡ", "likes tea"),
        ("Straße", "STRASSE"),
        ('Reads "Emma", daily!', "reads Emma daily"),
        ("Tea — with milk", "tea with milk"),
    ],
)
def test_spelling_that_says_nothing_is_levelled(one: str, other: str) -> None:
    assert normalised(one) == normalised(other)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_only_blank_text_has_no_words(text: str) -> None:
    visible = text.translate(dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufe0e\ufe0f\ufeff")))

    assert bool(normalised(text)) == bool(visible.strip())


@given(st.text())
def test_any_text_has_terms_and_content(text: str) -> None:
    assert all(terms(text))
    assert all(content_words(text))
    assert carriers(text) <= content_words(text)
    assert content_words(text) or not normalised(text)
    assert all(negations(text))


@pytest.mark.parametrize(
    "text, expected",
    [
        ("The user's two cats", ("the", "user", "two", "cats")),
        ("猫を二匹", ("猫を", "を二", "二匹")),
        ("猫", ("猫",)),
        ("음식", ("음식",)),
        ("ERR_MEM_4412", ("err", "mem", "4412", "err_mem_4412")),
        ("QX-118은", ("qx", "118", "은", "qx-118")),
        ("हिन्दी", ("हिन्दी",)),
    ],
)
def test_terms_are_words_bigrams_and_whole_identifiers(
    text: str, expected: tuple[str, ...]
) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    "one, other",
    [
        ("Keeps rescues", "kept a rescue"),
        ("毎朝コーヒーを飲みます", "ユーザーは毎朝コーヒーを飲む"),
        ("Likes 🍓", "🍓 every day"),
        ("Ich wohne in Köln", "Umzug nach Köln"),
    ],
)
def test_statements_about_one_thing_share_content(one: str, other: str) -> None:
    assert content_words(one) & content_words(other)


@pytest.mark.parametrize(
    "one, other",
    [
        ("I was in the house", "You were by the sea"),
        ("猫を飼っています", "左利きになっています"),
        ("我的猫", "你的狗"),
        ("Der Hund und die Katze", "Der Zug und das Auto"),
    ],
)
def test_grammar_alone_is_nothing_in_common(one: str, other: str) -> None:
    assert not content_words(one) & content_words(other)


def test_a_text_that_is_all_grammar_still_has_content() -> None:
    assert content_words("I am") == {"i", "am"}
    assert carriers("I am") == frozenset()


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Doesn't eat meat", ("not",)),
        ("Does not eat meat and cannot swim", ("not", "not")),
        ("isnt sure, never was", ("not", "never")),
        ("Er raucht nicht und trinkt keinen Wein", ("nicht", "keinen")),
        ("No come carne sin sal", ("no", "sin")),
        ("Je ne fume pas", ("ne", "pas")),
        ("Не ест мясо", ("не",)),
        ("我不吃辣", ("不",)),
        ("他没有车", ("没",)),
        ("肉を食べない", ("ない",)),
        ("매운 음식을 못 먹어요", ("못",)),
        ("ไม่กินเผ็ด", ("ไม่",)),
        ("非常喜欢", ()),
        ("Lives at No. 5", ()),
        ("Notes everything; knows Noah", ()),
    ],
)
def test_negations_are_found_in_several_languages(text: str, expected: tuple[str, ...]) -> None:
    assert negations(text) == expected
