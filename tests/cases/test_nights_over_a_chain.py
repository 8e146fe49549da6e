"""Each resembles the next: night after night no record grows that holds what never belonged together."""

from collections.abc import Callable, Mapping, Sequence

import pytest

from schemas.memory import Memory
from schemas.scope import Scope
from tests.build import uid
from tests.cases.asleep import Verdict, asleep, separate, those
from tests.cases.talk import AtDesk
from tests.cases.verdicts import Thing
from tests.desk import Desk
from tests.worker.direct.nightly import everything, night, remember
from worker.core.texts.lengths import LONGEST_TEXT

ROWS = "Rows on Thursday evenings before supper"
EATS = "Eats at the boathouse on Thursday evenings"
PAINTS = "Paints the boathouse doors in spring"
FRAMES = "Frames spring watercolours for neighbours"
CHAIN = (ROWS, EATS, PAINTS, FRAMES)
NIGHTS = (1, 2, 3)
ROWS_AND_EATS = (
    "Rows on Thursday evenings before supper; eats at the boathouse on Thursday evenings"
)


#: Each at 0.7 of the next, and at less than the floor of all others.
NEIGHBOURS = {EATS: (ROWS, 0.7), PAINTS: (EATS, 0.7), FRAMES: (PAINTS, 0.7)}
#: Three that are all near each other.
ALL_NEAR = {EATS: (ROWS, 0.9), PAINTS: (ROWS, 0.8)}
#: What two become is nearer to the third than either.
MERGED = {ROWS_AND_EATS: (EATS, 0.9)}
Near = Mapping[str, tuple[str, float]]


@pytest.fixture
def chained(at_desk: AtDesk, scope: Scope) -> Callable[[Near], Desk]:
    def made(near: Near) -> Desk:
        table = at_desk(scope, {**near, **MERGED})
        remember(table, *CHAIN)
        return table

    return made


def holds(memory: Memory, text: str) -> bool:
    """By the turns behind it: words may have been changed."""
    return uid(f"turn of {text}") in memory.turn_ids


def test_what_a_judge_leaves_apart_is_unchanged_and_later_nights_are_quiet(
    chained: Callable[[Near], Desk],
) -> None:
    table = chained(NEIGHBOURS)
    before = table.live()
    with asleep(table, separate) as model:
        night(table, 1)
        assert model.heard() == [(EATS, ROWS), (FRAMES, PAINTS), (PAINTS, EATS)]
        slept = everything(table)
        for nth in NIGHTS[1:]:
            assert night(table, nth).calls == 0
        assert model.heard() == []

    assert table.live() == before
    assert everything(table) == slept


SAME = Thing((EATS, ROWS), "same", ROWS_AND_EATS), Thing((PAINTS, EATS), "same", None)


def overlapping(texts: Sequence[str]) -> Sequence[Thing]:
    """Both pairs, as soon as all three are there, in one reply; else what it is shown."""
    return those(*SAME)(texts)


def greedy(texts: Sequence[str]) -> Sequence[Thing]:
    """Whatever it is shown is one, in the words of all."""
    return [Thing((*texts,), "update", "; ".join(reversed(texts)))]


@pytest.mark.parametrize("near", [NEIGHBOURS, ALL_NEAR], ids=["a chain", "all near"])
@pytest.mark.parametrize("verdict", [overlapping, those(*SAME)], ids=["overlapping", "pairs"])
def test_of_two_pairs_that_share_one_at_most_one_becomes_a_record(
    chained: Callable[[Near], Desk], near: Near, verdict: Verdict
) -> None:
    table = chained(near)
    with asleep(table, verdict, sleep_max_share=1.0):
        for nth in NIGHTS:
            night(table, nth)

    live = table.live().values()
    assert not [one.text for one in live if holds(one, ROWS) and holds(one, PAINTS)]
    assert len(live) >= len(CHAIN) - 1
    for text in CHAIN:
        assert any(holds(one, text) for one in live), "nobody's words are lost"


def test_a_judge_that_joins_all_it_is_shown_gets_no_chain_either(
    chained: Callable[[Near], Desk],
) -> None:
    table = chained(NEIGHBOURS)
    with asleep(table, greedy, sleep_max_share=1.0) as model:
        for nth in NIGHTS:
            night(table, nth)
        heard = model.heard()

    assert heard
    assert table.archives()
    for one in table.live().values():
        held = [at for at, text in enumerate(CHAIN) if holds(one, text)]
        assert len(held) <= 2
        assert held == list(range(held[0], held[0] + len(held))), "neighbours only"


def test_no_record_is_written_that_is_longer_than_a_memory_may_be(
    at_desk: AtDesk, scope: Scope
) -> None:
    """Each alone may stand, both in one may not."""
    one, other = (f"{text} {'and on ' * 200}" for text in (ROWS, ROWS.replace("Rows", "Sails")))
    assert len(one) < LONGEST_TEXT < len(one) + len(other)
    table = at_desk(scope, {other: (one, 0.9)})
    remember(table, one, other)
    with asleep(table, greedy, sleep_max_share=1.0) as model:
        for nth in NIGHTS:
            night(table, nth)
        assert model.heard()

    assert set(table.live()) == {one, other}
    assert table.archives() == []
