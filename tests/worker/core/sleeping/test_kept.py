"""What is kept of a night: figures and runs, of as many nights as were thought worth it."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from tests.build import NOW, SCOPE, uid
from worker.core.groups.setting import PassName
from worker.core.sleeping.kept import MOST_RUNS, NIGHTS, REASON, Figures, Kept
from worker.core.sleeping.note import NIGHT, Note, read_note
from worker.core.sleeping.retold import CUT_SHORT, Words, retold

LATER = NOW + timedelta(hours=1)
NO_WORDS = Words(done={}, proposed={}, undone=frozenset())


def figures(before: int, after: int, name: PassName = "tidy", **fields: Any) -> Figures:
    return Figures(name=name, before=before, after=after, **fields)


def some_ids(count: int, kind: str) -> tuple[UUID, ...]:
    return tuple(uid(f"{kind} {n}") for n in range(count))


def test_a_night_that_has_not_begun_is_not_told() -> None:
    assert Note().gone_on([figures(5, 5)], NOW) == Note()
    assert Note().ended() == Note()
    assert Note().broken_off("why") == Note()


def test_parts_of_a_night_are_told_as_one_and_what_came_between_is_not_its_doing() -> None:
    """Four memories came in between the two parts."""
    note = Note().begun(10, NOW).gone_on([figures(10, 8, asked=2, runs=(uid("a"),))], NOW)
    note = note.gone_on([figures(12, 11, asked=1, runs=(uid("b"),))], LATER).ended()

    (night,) = note.nights
    assert night.passes == (figures(10, 7, asked=3, runs=(uid("a"), uid("b"))),)
    assert (night.began_at, night.last_at, night.times) == (NOW, LATER, 2)
    assert night.is_over


@pytest.mark.parametrize(("is_done", "runs", "after"), [(True, (uid("r"),), 9), (False, (), 10)])
def test_what_was_meant_is_told_once_it_is_known_to_have_been_done(
    is_done: bool, runs: tuple[UUID, ...], after: int
) -> None:
    begun = Note().begun(10, NOW).gone_on([figures(10, 10, asked=1)], NOW)
    meant = begun.intending(uid("r"), 2, figures(10, 9, runs=(uid("r"),)))
    assert meant.nights == begun.nights

    (night,) = meant.counted(is_done=is_done).nights
    assert night.passes == (figures(10, after, asked=1, runs=runs),)


def test_why_it_was_broken_off_stands_until_it_goes_on() -> None:
    note = Note().begun(3, NOW).gone_on([], NOW).broken_off("the model is down " * 100)
    assert note.nights[0].stopped
    assert len(note.nights[0].stopped) == REASON
    assert note.gone_on([], LATER).nights[0].stopped is None


def test_another_night_is_told_beside_the_one_that_never_ended() -> None:
    note = Note().begun(3, NOW).gone_on([], NOW)
    later = note.begun(4, NOW + NIGHT).gone_on([], NOW + NIGHT).ended()

    assert [(one.began_at, one.is_over) for one in later.nights] == [
        (NOW, False),
        (NOW + NIGHT, True),
    ]


def test_as_many_nights_and_runs_are_named_as_fit_and_the_rest_is_counted() -> None:
    note = Note()
    for nth in range(NIGHTS + 2):
        at = NOW + nth * NIGHT
        note = note.begun(3, at).gone_on([], at).ended()
    assert [one.began_at for one in note.nights] == [NOW + nth * NIGHT for nth in range(2, 12)]

    many = figures(9, 9, runs=some_ids(MOST_RUNS, "r")) + figures(
        9, 9, runs=some_ids(MOST_RUNS + 5, "r"), proposed=some_ids(MOST_RUNS + 2, "p")
    )
    assert (len(many.runs), len(many.proposed), many.unnamed) == (MOST_RUNS, MOST_RUNS, 7)


def test_a_clock_that_jumps_back_tells_no_further_part() -> None:
    note = Note().begun(3, LATER).gone_on([], LATER)
    (night,) = note.gone_on([], NOW).nights
    assert (night.times, night.last_at) == (1, LATER)


def test_a_note_of_before_reads_as_one_without_nights_and_one_with_them_survives() -> None:
    assert read_note('{"v": 1, "marks": {}}', SCOPE).nights == ()
    note = Note().begun(3, NOW).gone_on([figures(3, 2)], NOW)
    assert read_note(note.model_dump_json(), SCOPE) == note


@pytest.mark.parametrize(
    ("night", "stopped"),
    [
        (Kept(began_at=NOW, last_at=NOW, is_over=True), None),
        (Kept(began_at=NOW, last_at=NOW, stopped="no model"), "no model"),
        (Kept(began_at=NOW, last_at=NOW), CUT_SHORT),
    ],
)
def test_a_night_says_whether_it_came_to_its_end(night: Kept, stopped: str | None) -> None:
    earlier = Kept(began_at=NOW - NIGHT, last_at=NOW, is_over=True)
    told = retold(SCOPE, [earlier, night], 1, NO_WORDS)

    assert (told.stopped, told.began_at, told.night, told.nights) == (stopped, NOW, 1, 2)
    assert retold(SCOPE, [earlier, night], 2, NO_WORDS).began_at == NOW - NIGHT
