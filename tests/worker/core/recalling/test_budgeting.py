"""As much as fits."""

from hypothesis import given
from hypothesis import strategies as st

from tests.worker.core.recalling.values import entry, texts
from worker.core.recalling.ask import Budget
from worker.core.recalling.budgeting import bounded
from worker.core.recalling.pool import Entry, LeftOut, Pool


def told(limit: int, budget: Budget, *words: str) -> tuple[list[str], tuple[LeftOut, ...]]:
    found = bounded(limit, budget)(Pool(tuple(map(entry, words))))
    return texts(found.entries), found.left_out


def test_beyond_the_limit_nothing_is_told() -> None:
    kept, gone = told(2, Budget(), "a", "b", "c")

    assert kept == ["a", "b"]
    assert [(one.memory.text, one.stage) for one in gone] == [("c", "limit")]


def test_what_does_not_fit_is_passed_over_for_what_does_and_that_is_told() -> None:
    kept, gone = told(9, Budget(characters=10), "12345", "123456", "1234", "1", "x")

    assert kept == ["12345", "1234", "1"]
    assert [(one.memory.text, one.why) for one in gone] == [
        ("123456", "its 6 characters do not fit in the 5 left"),
        ("x", "its 1 characters do not fit in the 0 left"),
    ]


def test_tokens_are_counted_as_the_asker_counts_them() -> None:
    by_words = Budget(tokens=3, count=lambda text: len(text.split()))

    kept, gone = told(9, by_words, "a b", "c d", "e")
    assert kept == ["a b", "e"]
    assert gone[0].why == "its 2 tokens do not fit in the 1 left"


def test_no_room_is_no_answer() -> None:
    assert told(9, Budget(tokens=0), "a")[0] == []


@given(
    st.lists(st.text("abc ", min_size=1, max_size=9), unique=True, max_size=8),
    st.integers(1, 9),
    st.none() | st.integers(0, 30),
    st.none() | st.integers(0, 30),
)
def test_texts_are_whole_in_order_within_all_bounds_and_each_other_one_has_a_reason(
    words: list[str], limit: int, characters: int | None, tokens: int | None
) -> None:
    budget = Budget(characters, tokens, count=len)
    entries: list[Entry] = list(map(entry, words))
    found = bounded(limit, budget)(Pool(tuple(entries)))
    kept = texts(found.entries)

    assert kept == [word for word in words if word in kept]
    assert len(kept) <= limit
    assert sum(map(len, kept)) <= min(b for b in (characters, tokens, 10**9) if b is not None)
    assert sorted([*kept, *(one.memory.text for one in found.left_out)]) == sorted(words)
    room = min(b for b in (characters, tokens, 10**9) if b is not None) - sum(map(len, kept))
    if len(kept) < limit:
        assert all(len(one.memory.text) > room for one in found.left_out)
