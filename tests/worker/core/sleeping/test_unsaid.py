"""What a night would take away unsaid: whatever a judge says, what goes is said by what stands or waits."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.base import Vector
from schemas.memory import MemoryRecord
from schemas.plan import Withheld
from tests.build import at, candidacy, memory, uid
from worker.core.groups.judgment import Group, Groups
from worker.core.groups.outcome import outcome
from worker.core.groups.saying import missing
from worker.core.groups.setting import Resolver
from worker.core.sleeping.unsaid import Known, unsaid, vouched
from worker.core.sleeping.withheld import told

SAME = 0.9
#: What the embedder takes for the same, and what not.
NEAR, FAR = 0.05, 1.0


def turned(angle: float) -> Vector:
    """A vector so far from that of angle 0, in radians."""
    return np.array([np.cos(angle), np.sin(angle)], dtype="<f4").tobytes()


def records(*texts: str, apart: float = FAR) -> list[MemoryRecord]:
    """The later said the later."""
    return [
        MemoryRecord(
            memory=memory(text, subject="Ann", said_at=at(nth - 100)), vector=turned(apart * nth)
        )
        for nth, text in enumerate(texts)
    ]


def held_back(
    memories: Sequence[MemoryRecord],
    relation: Any,
    resolver: Resolver = "rewrite",
    known: Known | None = None,
    **fields: Any,
) -> list[str]:
    """Of the memories, judged to be one, the texts that nothing would say."""
    case = candidacy([], list(memories))
    group = Group(why="", members=case.memory_labels, relation=relation, **fields)
    found = unsaid(case, Groups(groups=(group,), new=()), resolver, known or Known(SAME))
    return [one.memory.text for one in memories if one.memory.id in found]


def test_what_is_called_the_same_stands_in_the_words_that_say_most() -> None:
    case = candidacy([], records("Ann paints", "Ann paints sunsets", "Ann is painting"))
    group = Group(why="", members=case.memory_labels, relation="same")

    assert outcome(case, group).text == "Ann paints sunsets"
    assert held_back(case.candidates, "same") == []


def test_other_words_for_the_same_need_the_embedder_s_word_beside_the_judge_s() -> None:
    texts = "Ann resides in a small village", "Ann lives in a small village"

    assert held_back(records(*texts, apart=NEAR), "same") == []
    assert held_back(records(*texts, apart=FAR), "same") == [texts[1]]


def test_the_embedder_s_word_is_not_enough_where_much_differs() -> None:
    texts = "Ann swims in cold lakes", "Ann swims and sings in two choirs"
    assert held_back(records(*texts, apart=NEAR), "same") == [texts[0]]


def test_a_text_that_says_all_of_all_is_done() -> None:
    texts = "Ann mends nets in the boathouse", "Ann mends nets of hemp"
    text = "Ann mends nets of hemp in the boathouse"

    assert held_back(records(*texts), "update", text=text) == []
    assert held_back(records(*texts), "update") == [texts[0]]


@pytest.mark.parametrize("resolver", ["rewrite", "replace"])
def test_what_is_no_longer_true_goes_where_another_value_stands_in_its_place(
    resolver: Resolver,
) -> None:
    older, newer = "Ann lives in Tromso", "Ann has moved and lives in Perth now"

    assert held_back(records(older, newer), "contradict", resolver, drops=("Tromso",)) == []
    assert held_back(records(older, newer), "contradict", resolver, drops=(older,)) == [older]
    assert held_back(records(older, newer), "contradict", resolver) == [older]


def test_the_newest_is_never_the_one_whose_value_goes() -> None:
    older, newer = "Ann lives in Perth", "Ann lives in Tromso"
    found = held_back(
        records(older, newer), "contradict", drops=("Tromso", "Perth"), text="Ann lives in Oslo"
    )
    assert newer in found


def test_what_stands_again_once_an_end_has_come_is_said() -> None:
    older, newer = records("Ann cooks at home", "Ann eats at her aunt's")
    ends = newer.memory.model_copy(update={"until": at(30)})
    pair = [older, MemoryRecord(memory=ends, vector=newer.vector)]

    assert held_back(pair, "update") == []


def test_under_keep_nothing_goes() -> None:
    assert held_back(records("Ann paints", "Ann sings"), "update", "keep") == []


def test_who_is_not_spoken_for_stays_beside_the_rest() -> None:
    case = candidacy([], records("Ann paints", "Ann paints sunsets at dawn", "Ann paints fences"))
    group = Group(why="", members=case.memory_labels, relation="same")
    said = Groups(groups=(group,), new=())

    found, gone = vouched(case, said, "rewrite", Known(SAME))

    assert ([one.members for one in found.groups], gone) == ([("c1", "c2")], ())


def test_where_no_two_are_left_the_whole_waits() -> None:
    case = candidacy([], records("Ann paints", "Ann sings in a choir"))
    said = Groups(groups=(Group(why="", members=case.memory_labels, relation="update"),), new=())

    found, gone = vouched(case, said, "rewrite", Known(SAME))

    assert (found, gone) == (said, (uid("Ann paints"),))


@pytest.mark.parametrize(
    ("texts", "text"),
    [
        (
            ("Ann mends nets in the boathouse", "Ann mends nets at dawn", "Ann mends nets of hemp"),
            "Ann mends nets of hemp in the boathouse",
        ),
        (
            ("Ann does not eat meat", "Ann eats meat with friends", "Ann eats meat daily"),
            "Ann does not eat meat daily",
        ),
    ],
    ids=["a word", "a denial"],
)
def test_the_rest_is_not_joined_in_words_that_lose_something_of_it(
    texts: tuple[str, ...], text: str
) -> None:
    """The judge's words were for all."""
    case = candidacy([], records(*texts))
    group = Group(why="", members=case.memory_labels, relation="update", text=text)
    said = Groups(groups=(group,), new=())

    found, gone = vouched(case, said, "rewrite", Known(SAME))

    assert (found, gone) == (said, (uid(texts[1]),))


def _others(words: Iterable[str]) -> str:
    return f"Ann {' '.join(words)}"


def test_nothing_wears_away_over_nights_a_word_at_a_time() -> None:
    """Each step alone would pass."""
    first, second, third = (
        _others(words)
        for words in (
            "keeps brown hens behind barns".split(),
            "keeps brown hens behind sheds".split(),
            "keeps brown ducks behind sheds".split(),
        )
    )
    (oldest,) = records(first)
    merged, newest = records(second, third, apart=NEAR)
    assert held_back([merged, newest], "update") == []

    known = Known(SAME, parents={merged.memory.id: [oldest]})
    assert held_back([merged, newest], "update", known=known) == [second]


def test_what_was_overturned_since_is_no_part_of_what_a_memory_was_made_of() -> None:
    (over,) = records("Ann keeps ducks in Tromso")
    pair = records("Ann lives alone in Perth", "Ann lives alone in Perth now")
    known = Known(SAME, parents={pair[0].memory.id: [over]})

    assert held_back(pair, "same", known=known) == []


def test_the_reason_names_the_memory_and_no_words_of_it() -> None:
    reason = told(Withheld(unsaid=(uid("a"),)))
    assert reason == f"what would stand does not say all that memory {str(uid('a'))[:8]} says"


WORDS = st.lists(
    st.sampled_from("paints swims sings lake tea boats dawn choir violin lathe 京都 лодка".split()),
    min_size=1,
    max_size=6,
    unique=True,
)


@settings(deadline=None, max_examples=50)
@given(
    words=st.lists(WORDS, min_size=2, max_size=4, unique_by=tuple),
    relation=st.sampled_from(["same", "update", "contradict"]),
    resolver=st.sampled_from(["rewrite", "replace"]),
    text=st.none() | WORDS,
    drops=st.lists(WORDS, max_size=3),
)
def test_whatever_a_judge_says_no_memory_goes_of_which_nothing_stays(
    words: list[list[str]],
    relation: Any,
    resolver: Resolver,
    text: list[str] | None,
    drops: list[list[str]],
) -> None:
    memories = records(*map(_others, words), apart=0.0)
    case = candidacy([], memories)
    group = Group(
        why="",
        members=case.memory_labels,
        relation=relation,
        text=_others(text) if text else None,
        drops=tuple(map(_others, drops)),
    )
    found = outcome(case, group, resolver)
    kept = unsaid(case, Groups(groups=(group,), new=()), resolver, Known(SAME))
    for one in memories:
        said = one.memory.text
        if found.text and len(missing(said, found.text, "Ann")) == len(missing(said, "", "Ann")):
            assert one.memory.id in kept
