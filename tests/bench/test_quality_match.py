"""Contestants are put to a set, at each of its moments; what could tell something is found without reading all."""

from datetime import UTC, datetime, timedelta

from hypothesis import example, given
from hypothesis import strategies as st

from bench.quality.contestants import Costs, Heard, Look, Played
from bench.quality.held import Held, Kept
from bench.quality.index import Index
from bench.quality.likeness import Likeness
from bench.quality.match import THRESHOLDS, Set, baselines, played
from bench.quality.rules import add_only, vectors_needed
from bench.quality.stream import Moment, Question, Said, Slot, Stream, Truth
from bench.quality.words import tells
from tests.build import fact
from worker.adapters.embedders.hashed import HashedEmbedder

AT = datetime(2025, 1, 6, 9, tzinfo=UTC)
GRAZ, LYON = "Lives in Graz", "Lives in Lyon"
EARLY = Moment("early", 1, AT, Truth((Slot("home", ("Ana",), "Graz"),)))


def stream(name: str) -> Stream:
    sessions = tuple(
        (Said("talk", "Ana", text, AT + timedelta(days=day)),)
        for day, text in enumerate((GRAZ, LYON))
    )
    end = Truth((Slot("home", ("Ana",), "Lyon", ("Graz",)),))
    asked = (Question("Where does Ana live?", (("Lyon",),), ("Graz",)),)
    return Stream(name, sessions, end, AT + timedelta(days=9), (EARLY,), asked)


FOUND: Heard = tuple((fact(text, subject="Ana", attribute="home"),) for text in (GRAZ, LYON))
SET = Set("set", [stream("one"), stream("two")], seed=7)
HEARD = {"one": FOUND, "two": FOUND}


def test_a_set_has_a_row_for_each_moment_with_what_was_heard_by_then() -> None:
    early, end = played(SET, add_only(), HEARD)[0]

    assert (early.of, end.of, early.seed) == ("set, early", "set", 7)
    assert early.figures()["set"] == "set, early, seed 7"
    assert (early.marks.turns, early.marks.facts, early.marks.slots_right) == (2, 2, 2)
    assert (end.marks.turns, end.marks.facts, end.marks.stale) == (4, 4, 2)


class Costly:
    """Holds nothing and costs something."""

    name = "costly"
    lacks = frozenset({"called_same"})

    def play(self, stream: Stream, heard: Heard) -> Played:
        looks = (Look(Held(), ()), Look(Held((Kept("1", LYON),)), (), ((LYON,),)))
        return Played(looks, heard, Costs(2, 30, 0.5), parked=1)


def test_costs_and_answers_of_all_streams_are_told_in_the_end() -> None:
    early, end = played(SET, Costly(), HEARD)[0]

    assert (early.costs, early.asked.questions) == (None, 0)
    assert end.costs == Costs(4, 60, 1.0)
    assert (end.parked, end.asked.answered, end.asked.told_wrongly) == (2, 2, 0)
    assert end.figures()["called_same"] is None


def test_the_rules_are_told_at_every_moment_the_best_threshold_beside_its_name() -> None:
    texts = vectors_needed(SET.streams, HEARD)
    likeness = Likeness(dict(zip(texts, HashedEmbedder().embed(texts), strict=True)))

    rows = list(baselines(SET, HEARD, likeness))

    assert [(row.of, row.contestant) for row in rows] == [
        (of, name) for name in ("add only", "same slot", "cosine") for of in ("set, early", "set")
    ]
    assert all(row.is_rule for row in rows)
    assert {row.detail for row in rows[:4]} == {""}
    assert float(rows[-1].detail) in THRESHOLDS
    assert [row.marks.slots_right for row in rows[1::2]] == [0, 2, 2]


WORDS = st.sampled_from(
    ["Ana", "lives", "living", "in", "Graz", "4412", "441", "a.b", "杭州", "Köln"]
)
TEXT = st.lists(WORDS, max_size=5).map(" ".join)
NEED = st.one_of(
    TEXT,
    TEXT.map("~{}".format),
    st.tuples(TEXT, TEXT).map("|".join),
    WORDS.filter(str.isalpha).map("{}*".format),
)


@example(["Graz"], ["Graz|Ana"])
@example(["living"], ["liv*"])
@example(["lives in Graz 4412"], ["~lives Graz 4412"])
@given(st.lists(TEXT, max_size=6), st.lists(NEED, max_size=3))
def test_nothing_that_tells_the_needs_is_left_out(texts: list[str], needs: list[str]) -> None:
    near = Index(texts, str).near(needs)

    assert [text for text in near if tells(text, needs)] == [
        text for text in texts if tells(text, needs)
    ]
