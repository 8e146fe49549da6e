import pytest

from worker.core.forgetting.topics import (
    Topic,
    distinctive,
    has_all,
    lost_words,
    mentions,
    of_query,
    said_elsewhere,
    telling,
)


@pytest.mark.parametrize(
    ("text", "query", "is_named"),
    [
        ("Was treated for gout in Ghent", "gout", True),
        ("Was treated for gout in Ghent", "the gout in Ghent", True),
        ("Was treated for gout in Ghent", "gout in Bruges", False),
        ("Takes allopurinol", "gout", False),
        ("Has three cats", "my cat", True),
        ("Hat Rückenschmerzen seit Mai", "Rückenschmerzen", True),
        ("Сломал ногу на катке", "ногу", True),
        ("Сломал ногу на катке", "руку", False),
        ("Лечит бессонницу травами", "бессонница", True),
        ("Видел Анну", "Анна", True),
        ("Марина пришла", "Мария", False),
        ("Завтра маркетинг", "Марк", False),
        ("Bringt den Müll raus", "Müller", False),
        ("Müllers Hund", "Müller", True),
        ("김민수는 학생이다", "김민수", True),
        ("김민지는 학생이다", "김민수", False),
        ("去年得了肺炎，现在好了", "肺炎", True),
        ("去年得了肠炎，现在好了", "肺炎", False),
        ("先月から不眠症に悩んでいる", "不眠症", True),
        ("천식이 있다", "천식", True),
        ("يعالج من السكري", "السكري", True),
        ("The code is 88213-A", "88213-A", True),
        ("The code is 88213-B", "88213-A", False),
        ("It is what it is", "it is", False),
    ],
)
def test_a_text_names_a_query_only_with_every_content_word(
    text: str, query: str, is_named: bool
) -> None:
    assert has_all(text, telling(query)) is is_named
    assert of_query(query).is_told_by(text) is is_named


@pytest.mark.parametrize(
    ("text", "query", "is_mentioned"),
    [
        ("The Ghent hospital", "gout in Ghent", True),
        ("Sails on Sundays", "gout in Ghent", False),
        ("Боится врачей с тех пор, как сломал руку", "о сломанной руке", True),
        ("Лечит бессонницу травами", "бессонница", True),
        ("Лечит кашель травами", "бессонница", False),
        ("喜欢中心公园", "心脏病", False),
        ("心脏不好", "心脏病", True),
        ("", "gout", False),
    ],
)
def test_one_word_in_any_case_is_too_much_in_what_remains(
    text: str, query: str, is_mentioned: bool
) -> None:
    assert of_query(query).is_in(text) is is_mentioned
    assert mentions(text, of_query(query).words) is is_mentioned


@pytest.mark.parametrize(
    ("text", "query", "is_all"),
    [
        ("Ines has gout", "gout", True),
        ("Ines has gout in her toe", "gout", False),
        ("有肺炎", "肺炎", False),
        ("Ines sails", "gout", False),
    ],
)
def test_whoever_says_nothing_else_goes_whole(text: str, query: str, is_all: bool) -> None:
    assert of_query(query).is_all_of(text, "Ines") is is_all


def test_a_turn_goes_only_with_all_the_words() -> None:
    topic = of_query("gout in Ghent")

    assert topic.is_told_by("In GHENT they found out it is gout!")
    assert not topic.is_told_by("They found out it is gout")
    assert not Topic("", frozenset()).is_told_by("anything")


def test_a_subject_tells_nothing() -> None:
    assert telling("Ines likes Ines's boat", "Ines") == telling("likes boat")
    assert telling("what it is") == frozenset()


def test_what_a_version_lost_is_what_the_next_does_not_have() -> None:
    lost = lost_words("Sails and has gout", "Sails", "user")

    assert lost == telling("gout")
    assert lost_words("Ines has gout", None, "Ines") == telling("gout")


@pytest.mark.parametrize(
    ("text", "others", "words"),
    [
        ("Works nights as a nurse", ["Works in Porto"], "nights nurse"),
        ("Has bad gout", ["Was told it is bad gout, in Ghent"], "bad gout"),
        ("Works nights", ["Works in Porto", "Sleeps badly at nights after gin"], "works nights"),
        ("Likes tea", ["Likes hiking"], "tea"),
        ("천식이 있다", ["개가 있다"], "천식이"),
    ],
)
def test_words_that_others_have_for_something_else_are_not_distinctive(
    text: str, others: list[str], words: str
) -> None:
    assert distinctive(text, others) == telling(words)


@pytest.mark.parametrize(
    ("near", "far", "common"),
    [
        (["Likes hiking"], [], "likes"),
        ([], ["Likes hiking", "Likes chess"], "likes"),
        ([], ["Likes hiking"], ""),
        (["Likes tea with milk"], [], ""),
        (["Likes hiking", "Drinks tea"], [], ""),
        (["Sails"], ["Bakes", "Knits"], ""),
    ],
)
def test_a_word_that_is_said_of_other_things_tells_nothing_by_itself(
    near: list[str], far: list[str], common: str
) -> None:
    assert said_elsewhere(telling("likes tea"), near, far) == telling(common)


def test_what_is_common_still_has_to_be_in_a_turn_that_goes() -> None:
    topic = of_query("likes tea", telling("likes"))

    assert not topic.is_in("Likes hiking")
    assert topic.is_in("Likes tea")
    assert topic.is_told_by("She likes her tea")
    assert not topic.is_told_by("Tea is at five")


def test_of_two_topics_only_what_is_common_to_both_is_common() -> None:
    tea = of_query("likes tea", telling("likes"))
    both = tea.with_(of_query("hates gin"))

    assert tea.with_(tea) == tea
    assert not both.is_in("Likes hiking")
    assert [both.is_in(text) for text in ("Tea", "Gin", "Hates mud")] == [True, True, True]
    assert tea.with_(of_query("likes gin")).is_in("Likes hiking")
