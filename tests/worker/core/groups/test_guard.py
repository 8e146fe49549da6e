"""The guard of a merge: a table of what is lost, what is invented, and what is neither."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.memory import Fact
from tests.build import fact
from worker.core.groups.guard import invented, lost

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


#: Of each pair the second says the same as the first.
HONEST = [
    ("Runs 5 km on Sundays", "On Sundays runs five km"),
    ("Weighs 82 kg", "Weighs 82 kilograms"),
    ("Lost 5 pounds", "Lost 5 lb"),
    ("Owes 30 dollars", "Owes $30"),
    ("A 20-minute walk", "Walk of twenty minutes"),
    ("Is nine", "Is nine years old"),
    ("One day met Tom", "Met Tom once"),
    ("Drinks half a litre", "Drinks 0.5 litre"),
    ("Earns $4k", "Earns $4,000"),
    ("Has 1.5 million followers", "Has 1,500,000 followers"),
    ("Zahlt 1.500 Euro", "Zahlt 1500 Euro"),
    ("Pays 12,50 Euro", "Pays 12.50 Euro"),
    ("Has twenty-one hens", "Has 21 hens"),
    ("Hat einundzwanzig Hühner", "Hat 21 Hühner"),
    ("Tiene dieciséis primos", "Tiene 16 primos"),
    ("A vingt poules", "A 20 poules"),
    ("Имеет двадцать пять кур", "Имеет 25 кур"),
    ("有三只猫", "有3只猫"),
    ("고양이 세 마리가 있다", "고양이 3마리가 있다"),
    ("لديه أربع قطط", "لديه ٤ قطط"),
    ("मेरे पास चार बिल्लियाँ हैं", "मेरे पास ४ बिल्लियाँ हैं"),
    ("มีแมวสามตัว", "มีแมว ๓ ตัว"),
    ("Born on 4 July 1990", "Born July 4th, 1990"),
    ("Né le 14 juillet 1990", "Né le 14/07/1990"),
    ("Nacida el 3 de mayo de 2001", "Nacida el 03/05/2001"),
    ("Родился 9 мая 1985 года", "Родился 09.05.1985"),
    ("1990年7月4日出生", "出生于1990-07-04"),
    ("1990년 7월 4일에 태어났다", "1990-07-04에 태어났다"),
    ("Trifft sich montags", "Trifft sich am Montag"),
    ("Встречается по понедельникам", "Встречается в понедельник"),
    ("星期二见面", "周二见面"),
    ("Uses v2.3.1 of the app", "Uses version 2.3.1 of the app"),
    ("Sits in room 12b", "Sits in room 12B"),
    ("Lives on 5th Avenue", "Lives on Fifth Avenue"),
    ("Isst kein Fleisch", "Isst nicht Fleisch"),
    ("No come carne", "Nunca come carne"),
    ("Is unable to swim", "Cannot swim"),
    ("Is without a car", "Has no car"),
    ("コーヒーを飲まない", "コーヒーは飲みません"),
    ("ไม่ดื่มกาแฟ", "ไม่ดื่มกาแฟเลย"),
    ("座右の銘は「七転び八起き」", "座右の銘：『七転び八起き』"),
]


@pytest.mark.parametrize("said, text", HONEST)
def test_honest_words_in_many_languages_pass(said: str, text: str) -> None:
    assert lost(members(said), [text]) == []
    assert invented(members(said), [text]) == []


#: Of each pair the second says something else in the place of a detail: it is lost, and another is invented.
EXCHANGED = [
    ("Runs 5 km", "Runs 5 miles"),
    ("Takes 5 mg", "Takes 5 g"),
    ("Takes 50mg", "Takes 50g"),
    ("Costs $30", "Costs €30"),
    ("Rent is 900 euros", "Rent is 900 dollars"),
    ("Fever of 39 °C", "Fever of 39 °F"),
    ("Stays five days", "Stays five weeks"),
    ("Temperature is -5", "Temperature is 5"),
    ("Room 12b", "Room 12c"),
    ("Hat dreißig Hühner", "Hat vierzig Hühner"),
    ("A vingt poules", "A trente poules"),
    ("Имеет двадцать кур", "Имеет тридцать кур"),
    ("有三只猫", "有四只猫"),
    ("고양이 세 마리가 있다", "고양이 네 마리가 있다"),
    ("لديه ثلاث قطط", "لديه أربع قطط"),
    ("मेरे पास तीन बिल्लियाँ हैं", "मेरे पास चार बिल्लियाँ हैं"),
    ("มีแมวสามตัว", "มีแมวสี่ตัว"),
    ("มีแมว ๓ ตัว", "มีแมว ๔ ตัว"),
    ("Né le 14 juillet 1990", "Né le 14 juin 1990"),
    ("Родился 9 мая 1985", "Родился 9 июня 1985"),
    ("1990년 7월 4일", "1990년 8월 4일"),
    ("Встречается в понедельник", "Встречается во вторник"),
    ("月曜日に会う", "火曜日に会う"),
    ("星期一见面", "星期二见面"),
    ("월요일에 만난다", "화요일에 만난다"),
    ("Works with Anna", "Works with Annika"),
    ("Живёт с Анной", "Живёт с Ольгой"),
    ("鈴木さんと働く", "佐藤さんと働く"),
    ("Mail ann@x.org", "Mail anna@x.org"),
    ("Uses err_disk_full", "Uses err_disk_empty"),
    ("代码QX-181表示打开", "代码QX-118表示打开"),
    ("IP 10.0.0.1", "IP 10.0.0.2"),
]


@pytest.mark.parametrize("said, text", EXCHANGED)
def test_a_detail_that_was_exchanged_is_both_lost_and_invented(said: str, text: str) -> None:
    assert lost(members(said), [text])
    assert invented(members(said), [text])


@pytest.mark.parametrize(
    "denial, plain",
    [
        ("No come carne", "Come carne"),
        ("Ne mange pas de viande", "Mange de la viande"),
        ("커피를 안 마신다", "커피를 마신다"),
        ("لا يشرب القهوة", "يشرب القهوة"),
        ("कॉफ़ी नहीं पीता", "कॉफ़ी पीता"),
        ("ไม่ดื่มกาแฟ", "ดื่มกาแฟ"),
        ("Is unable to swim", "Is able to swim"),
    ],
)
def test_a_denial_is_neither_dropped_nor_added(denial: str, plain: str) -> None:
    assert lost(members(denial), [plain])
    assert invented(members(plain), [denial])


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
        (("Moved to Ghent",), "Moved to Ghent and wants a divorce", "wants a divorce"),
        (("Живёт в Казани",), "Живёт в Казани и хочет развода", "хочет развода"),
        (("根特に住んでいる",), "根特に住んでいる、離婚希望", "離婚希望"),
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


def test_the_subjects_name_makes_no_clause_anybodys_words() -> None:
    known = members("Tariq is coeliac", subject="Tariq")

    assert invented(known, ["Tariq is coeliac and Tariq was fired"]) == ['all of "Tariq was fired"']


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
