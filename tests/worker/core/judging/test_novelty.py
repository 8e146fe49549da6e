"""The gate that takes what is hardly new for a repetition, and where it never does."""

from dataclasses import replace
from typing import Any

import pytest

from tests.build import at, candidacy, fact, record
from worker.core.groups.judgment import Candidacy
from worker.core.judging.gate import gate
from worker.core.judging.novelty import HARDLY_NEW, Novelty

GATE = Novelty(below=0.05)


def near(new: str, known: str, cosine: float = 0.99, **fields: Any) -> Candidacy:
    case = candidacy([fact(new, **fields)], [record(known)], {"f1": ("c1",)})
    return replace(case, cosines={("f1", "c1"): cosine})


def fires(case: Candidacy, novelty: Novelty | None = GATE) -> bool:
    return [group.why for group in gate(case, novelty).settled.groups] == [HARDLY_NEW]


WALK = "Walks the dog before breakfast"


def test_what_is_hardly_new_confirms_the_nearest_memory() -> None:
    assert fires(near("Walks his dog before breakfast", WALK))


@pytest.mark.parametrize(
    "case, novelty",
    [
        (near("Walks his dog before breakfast", WALK), None),
        (near("Walks his dog before breakfast", WALK, cosine=0.94), GATE),
        (candidacy([fact("Walks his dog")], [record(WALK)], {"f1": ("c1",)}), GATE),
        (candidacy([fact("Walks his dog")], [record(WALK)], {"f1": ()}), GATE),
    ],
)
def test_it_is_off_unless_set_and_asks_for_a_cosine_below(
    case: Candidacy, novelty: Novelty | None
) -> None:
    assert not fires(case, novelty)


@pytest.mark.parametrize(
    "new, known",
    [
        ("Staging listens on port 7443", "Staging listens on port 7444"),
        ("Code QX-118 means a worn lamp", "Code QX-181 means a worn lamp"),
        ("Has two cats", "Has three cats"),
        ("Met Olive in the park", "Met Bruno in the park"),
        ("Takes no sugar in tea", "Takes sugar in tea"),
        ("Takes sugar in tea", "Takes no sugar in tea"),
        ("Moved in March 2024", "Moved in March 2025"),
        ('Reads "Emma" again', 'Reads "Ulysses" again'),
        ("猫を二匹飼っています", "猫を三匹飼っています"),
        ("Не ест мясо", "Ест мясо"),
        ("Cycled from Ghent to Bruges", "Cycled from Bruges to Ghent"),
        ("Olive drove Bruno home", "Bruno drove Olive home"),
        ("Татьяна дала книгу Марине", "Марина дала книгу Татьяне"),
        ("鈴木さんが田中さんに鍵を渡した", "田中さんが鈴木さんに鍵を渡した"),
    ],
)
def test_a_number_code_name_date_quotation_negation_or_order_that_differs_is_judged(
    new: str, known: str
) -> None:
    assert not fires(near(new, known))


@pytest.mark.parametrize(
    "fields",
    [{"until": at(5)}, {"happened_at": "2026-05"}, {"kind": "instruction"}, {"kind": "forget"}],
)
def test_another_time_or_an_exempt_kind_is_judged(fields: dict[str, Any]) -> None:
    assert not fires(near("Walks his dog before breakfast", WALK, **fields))


def test_kinds_are_exempt_by_setting() -> None:
    exempt = Novelty(0.05, frozenset({"preference"}))

    assert not fires(near("Walks his dog before breakfast", WALK, kind="preference"), exempt)
    ordered = record(WALK, kind="instruction")
    case = candidacy([fact("Walks his dog before breakfast", kind="instruction")], [ordered])
    assert fires(replace(case, cosines={("f1", "c1"): 0.99}), exempt)


def test_two_facts_never_confirm_one_memory_by_themselves() -> None:
    case = candidacy(
        [fact("Walks his dog before breakfast"), fact("Walks her dog before breakfast")],
        [record(WALK)],
        {"f1": ("c1",), "f2": ("c1",)},
    )
    both = replace(case, cosines={("f1", "c1"): 0.99, ("f2", "c1"): 0.99})

    assert gate(both, GATE).settled.groups == ()
