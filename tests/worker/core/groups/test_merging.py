"""Since when a memory says what it says."""

from collections.abc import Callable
from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.memory import Memory
from tests.build import NOW, RUN, SCOPE, at, fact, memory, record, uid
from worker.core.current import first_said
from worker.core.groups import merging

#: Days before now.
DAYS = st.integers(-400, 0)


def said(days: float, turn: str = "later") -> object:
    return fact("drinks tea", said_at=at(days), turn_ids=(uid(turn),))


def tea(since: float | None = -50, said_at: float = -5) -> Memory:
    return memory("drinks tea", since=None if since is None else at(since), said_at=at(said_at))


def confirmed(*days: float, of: Memory | None = None) -> Memory:
    facts = [
        fact("drinks tea", said_at=at(day), turn_ids=(uid(f"turn {n}"),))
        for n, day in enumerate(days)
    ]
    return merging.confirmed(of or tea(), facts, RUN)


def restated(newest: object, of: Memory | None = None) -> Memory:
    return merging.restated(of or tea(), newest, [], None, None)  # type: ignore[arg-type]


def test_a_memory_is_born_with_the_time_of_its_fact() -> None:
    born = merging.born(
        fact("drinks tea", said_at=at(-7)), id=uid("m"), scope=SCOPE, run=RUN, now=NOW, metadata={}
    )

    assert born.since == at(-7)


@pytest.mark.parametrize(
    ("what", "made", "since"),
    [
        ("said again", lambda: confirmed(-1), at(-50)),
        ("said again, by a turn that came late", lambda: confirmed(-1, -80), at(-80)),
        ("said again of a record without", lambda: confirmed(-1, of=tea(None)), at(-5)),
        ("merged", lambda: merging.absorbed(tea(), [tea(-9), tea(-60)]), at(-60)),
        (
            "merged with a record without",
            lambda: merging.absorbed(tea(), [tea(None, -70)]),
            at(-70),
        ),
        ("another value by a fact", lambda: restated(fact("drinks milk", said_at=at(-2))), at(-2)),
        ("another value by a memory", lambda: restated(tea(-3, -1)), at(-3)),
        ("another value by a record without", lambda: restated(tea(None, -4)), at(-4)),
        ("other words", lambda: merging.worded(tea(), "takes tea"), at(-50)),
        ("the next version", lambda: merging.revised(tea(), "takes tea", RUN, NOW), at(-50)),
        (
            "what a request to forget leaves",
            lambda: merging.remaining(tea(), tea(), None, keeps_end=False),
            at(-50),
        ),
    ],
)
def test_what_is_said_is_said_since(what: str, made: Callable[[], Memory], since: datetime) -> None:
    assert first_said(made()) == since, what


def test_a_bare_repetition_of_its_own_turns_is_no_earlier_saying() -> None:
    known = tea()
    again = fact("drinks tea", said_at=at(-99), turn_ids=known.turn_ids)

    assert merging.confirmed(known, [again], RUN).since == at(-50)


@given(st.lists(DAYS, min_size=1, max_size=5), st.lists(DAYS, max_size=5), st.randoms())
def test_whatever_the_order_of_arrival_it_is_the_earliest_time(
    first: list[int], late: list[int], random: object
) -> None:
    days = [*first, *late]
    orders = [days, sorted(days), sorted(days, reverse=True)]

    found = {_heard(order) for order in orders}

    assert found == {at(min(days))}


def _heard(days: list[int]) -> datetime:
    born = tea(days[0], days[0])
    for n, day in enumerate(days[1:]):
        again = fact("drinks tea", said_at=at(day), turn_ids=(uid(f"turn {n}"),))
        born = merging.confirmed(born, [again], RUN)
    return first_said(born)


def test_a_confirmation_keeps_the_time_that_it_overwrites() -> None:
    before = record("drinks tea", since=at(-50))
    after = confirmed(-80, of=before.memory)

    assert merging.confirmation(before, after, "said again").prior.since == at(-50)


def test_what_takes_in_a_pinned_memory_is_pinned() -> None:
    assert merging.absorbed(tea(), [tea(-9).model_copy(update={"pinned": True})]).pinned
    assert not merging.absorbed(tea(), [tea(-9)]).pinned
