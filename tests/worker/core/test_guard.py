"""The guard of a merge: a table of what is lost, what is invented, and what is neither."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.memory import Fact
from tests.build import fact
from worker.core.guard import invented, lost

SAID = datetime(2026, 6, 10, 8, 0, tzinfo=UTC)  # a Wednesday


def members(*texts: str, **fields: Any) -> list[Fact]:
    return [fact(text, **{"said_at": SAID, **fields}) for text in texts]


BAKES = (
    "Bakes sourdough every Saturday with a twelve-year-old starter called Gus while listening to"
    " Portuguese radio"
)
SISTERS = "Bakes at sister's on Sundays this month because the oven died"
OFFICE = (
    "Drives an old Saab to the office every weekday",
    "Rents a parking place in Mill Street",
    "Sold the Saab and gave up the parking place; cycles to work now",
)

#: Members, the text that stands, what is dropped: nothing is lost and nothing invented.
KEPT: list[tuple[tuple[str, ...], str, tuple[str, ...]]] = [
    (
        (BAKES, SISTERS),
        (
            "Bakes sourdough on Sundays at sister's this month because the oven died, with a"
            " twelve-year-old starter called Gus, listening to Portuguese radio"
        ),
        ("every Saturday",),
    ),
    (
        OFFICE,
        (
            "Since June 2026 cycles to work; sold the Saab and gave up the parking place in Mill Street"
            " (before that drove to the office every weekday)"
        ),
        (),
    ),
    (
        ("Lived in Seattle for over three years", "Moved to Austin"),
        "Moved to Austin after over 3 years in Seattle",
        ("Lived",),
    ),
    (
        (
            "Keeps two rescue greyhounds",
            "The two rescue greyhounds are called Biscuit and Olive and are nine (May 2026)",
        ),
        "Keeps two rescue greyhounds, Biscuit and Olive, nine years old as of May 2026",
        (),
    ),
    (("Flight on 2026-06-01",), "Flight on June 1, 2026", ()),
    (("Flight on 1 June 2026",), "Flight on 2026-06-01", ()),
    (("Flight on 6/1/2026",), "Flight on 1 June 2026", ()),
    (("Fliegt am 1.6.2026",), "Fliegt am 1. Juni 2026", ()),
    (("2026年6月1日に飛ぶ",), "2026-06-01に飛ぶ", ()),
    (("Meets at 6 pm",), "Meets at 18:00", ()),
    (("Waters at six every morning",), "Waters at 6 am every morning", ()),
    (("Paid 1,000 euros",), "Paid 1000 euros", ()),
    (("Runs two hundred and five km",), "Runs 205 km", ()),
    (("Lives on the third floor",), "Lives on the 3rd floor", ()),
    (("Has one cat",), "Has a cat", ()),
    (("Has 1 cat",), "Has one cat", ()),
    (("Calls twice a week",), "Calls 2 times a week", ()),
    (("猫を二匹飼っています",), "猫を2匹飼っている", ()),
    (("Doesn't eat meat",), "Does not eat meat", ()),
    (("Never smokes",), "Does not smoke", ()),
    (("肉を食べない",), "お肉は食べません", ()),
    (("Живёт в Казани",), "Город: Казань, там живёт", ()),
    (("Sold Rosa's car",), "Car of Rosa was sold", ()),
    (("Likes Saabs",), "Likes the Saab", ()),
    (('Favourite book is "The Hobbit"',), "Favourite book is The Hobbit", ()),
    (("Lives with 田中さん",), "田中さんと暮らす, lives", ()),
    (("Uses build 88213-A on port 7443",), "Port 7443 and build 88213-a: uses them", ()),
    (("Drinks pour-over", "Drinks an Americano"), "Drinks an Americano", ("pour-over",)),
    (("Moved to Ghent",), "Moved to Ghent in 2026", ()),
    (("Moved to Ghent",), "Moved to Ghent on Wednesday, 10 June 2026", ()),
]


@pytest.mark.parametrize("texts, text, drops", KEPT, ids=[case[1][:40] for case in KEPT])
def test_the_same_in_other_words_is_neither_lost_nor_invented(
    texts: tuple[str, ...], text: str, drops: tuple[str, ...]
) -> None:
    assert lost(members(*texts), (text, *drops)) == []
    assert invented(members(*texts), [text]) == []


@pytest.mark.parametrize(
    "texts, text, expected",
    [
        (("Lived in Seattle for over three years",), "Lived in Seattle", ["number 3", "three"]),
        (("Staging listens on 7443",), "Staging listens on 7444", ["number 7443"]),
        (("Code QX-118 is a lamp",), "Code QX-181 is a lamp", ['identifier "qx-118"']),
        (("Order 88213-A",), "Order 88213-B", ['identifier "88213-a"']),
        (("Flight on 1 June 2026",), "Flight in June 2026", ["day 6-1"]),
        (("Swims on Tuesday",), "Swims weekly", ["weekday 1"]),
        (("Starter called Gus",), "Has a starter, called something", ['name "Gus"']),
        (("Travels with Aunt Rosa",), "Travels with an aunt", ['name "Rosa"']),
        (("田中さんと住んでいる",), "友達と住んでいる", ['name "田中"']),
        (('Motto is "work hard"',), "Motto is to work", ['quotation "work hard"']),
        (("Does not eat meat",), "Eats meat", ["negation"]),
        (("我不吃辣",), "我吃辣", ["negation"]),
        (("매운 음식을 못 먹어요",), "매운 음식을 먹어요", ["negation"]),
        (("Не ест мясо",), "Ест мясо", ["negation"]),
        (("Isn't married and doesn't smoke",), "Isn't married and smokes", ['"doesn\'t smoke"']),
        (("Bakes bread; feeds the ducks",), "Bakes bread", ['"feeds the ducks"']),
        (("パンを焼く。犬と散歩する",), "パンを焼く", ['"犬と散歩する"']),
    ],
)
def test_what_gets_lost_is_named(texts: tuple[str, ...], text: str, expected: list[str]) -> None:
    missing = lost(members(*texts), [text])

    assert missing
    assert all(any(part in one for one in missing) for part in expected[:1])


@pytest.mark.parametrize(
    "texts, text, expected",
    [
        (("Has cats",), "Has three cats", "number 3"),
        (("猫を二匹飼っています",), "猫を3匹飼っている", "number 3"),
        (("Moved to Ghent",), "Moved to Ghent in 2019", "number 2019"),
        (("Moved to Ghent",), "Moved to Ghent in May", "month 5"),
        (("Uses a build",), "Uses build 88213-A", 'identifier "88213-a"'),
        (("Has an aunt",), "Has an aunt, Rosa", 'name "Rosa"'),
        (("友達と住んでいる",), "鈴木さんと住んでいる", 'name "鈴木"'),
        (("Has a motto",), 'Has a motto: "work hard"', 'quotation "work hard"'),
        (("Eats meat",), "Does not eat meat", "negation"),
        (("Smokes but isn't married",), "Doesn't smoke, isn't married", "negation"),
        (("我吃辣",), "我不吃辣", "negation"),
    ],
)
def test_what_is_invented_is_named(texts: tuple[str, ...], text: str, expected: str) -> None:
    (extra,) = invented(members(*texts), [text])

    assert expected in extra


def test_the_members_own_times_exact_or_coarser_count_as_theirs() -> None:
    known = members("Moved to Ghent", happened_at="2025-11", until=datetime(2027, 3, 1, tzinfo=UTC))

    assert (
        invented(known, ["Moved to Ghent in November 2025", "Moved to Ghent until March 2027"])
        == []
    )
    assert invented(known, ["Moved to Ghent on 3 November 2025"]) == ["the date (day 11-3)"]


def test_the_subjects_name_may_be_written_or_left_out() -> None:
    known = members("Friend of Tariq is coeliac", subject="Tariq", said_by="Ines")

    assert lost(known, ["A friend is coeliac"]) == []
    assert (
        invented(members("Is coeliac", subject="Tariq", said_by="Ines"), ["So Tariq is coeliac"])
        == []
    )


text = st.text(alphabet="abc ABC 12 .,;-:/'\"no t二月日さん不ж", max_size=60)


@given(text)
def test_a_text_loses_and_invents_nothing_of_itself(one: str) -> None:
    if one:
        assert lost(members(one), [one]) == []
        assert invented(members(one), [one]) == []


@given(text, text, st.integers(2, 10**6))
def test_a_number_of_a_member_is_never_lost_unseen(before: str, after: str, number: int) -> None:
    found = lost(members(f"{before} {number} {after}"), ["nothing of it"])

    assert any(str(number) in one for one in found)
