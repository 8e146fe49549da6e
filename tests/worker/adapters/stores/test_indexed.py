from itertools import chain

import numpy as np
import pytest

from tests.build import memory, uid
from worker.adapters.stores.indexed import (
    best,
    by_shared,
    identifier_keys,
    in_chunks,
    slot_key,
    words_of,
)


@pytest.mark.parametrize(
    "scores, pool, places",
    [
        ([], 3, []),
        ([0.1, 0.9, 0.5], 2, [1, 2]),
        ([0.1, 0.9, 0.5], 9, [1, 2, 0]),
        ([0.5, 0.5, 0.5, 0.9], 2, [3, 0]),
        ([0.5000001, 0.5000002, 0.4], 1, [0]),
        ([-1.0, -0.5], 1, [1]),
        ([0.5, 0.4], 0, []),
    ],
)
def test_the_best_come_first_and_ties_by_place(
    scores: list[float], pool: int, places: list[int]
) -> None:
    assert best(np.array(scores), pool).tolist() == places


def test_shared_identifiers_are_counted_once_each() -> None:
    low, high = sorted([uid("a"), uid("b")])
    held = [(high, ("x1", "y2")), (low, ("x1", "y2", "z3")), (uid("c"), ("z3",))]

    assert by_shared(("x1", "y2", "x1"), held, 5) == (low, high)
    assert by_shared(("x1", "y2"), held, 1) == (low,)


@pytest.mark.parametrize(
    "given, keys",
    [
        (("ERR_1", "err_1", " Err_1 "), ("err_1",)),
        (("", "  ", "b2", "a1"), ("b2", "a1")),
        (("STRASSE-7", "straße-7"), ("strasse-7",)),
    ],
)
def test_identifiers_differ_by_more_than_case_and_space(
    given: tuple[str, ...], keys: tuple[str, ...]
) -> None:
    assert identifier_keys(given) == keys


def test_a_slot_s_parts_do_not_run_together() -> None:
    assert slot_key(("a", "bc")) != slot_key(("ab", "c"))
    assert slot_key(("A", "b")) == slot_key(("a", "B"))


def test_words_count_repetitions_and_what_stands_again() -> None:
    assert words_of(memory("tea tea", after="coffee")) == ("tea", "tea", "coffee")


def test_chunks_hold_each_id_once_in_order() -> None:
    ids = [uid(f"{n}") for n in range(7)]

    chunks = list(in_chunks([*ids, *ids], 3))

    assert [len(chunk) for chunk in chunks] == [3, 3, 1]
    assert [*chain(*chunks)] == sorted(ids)
