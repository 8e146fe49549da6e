"""One call takes a whole night back: everything is again what it was, whatever the night had made of it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

import pytest

from schemas.plan import Plan
from schemas.scope import Scope
from tests.cases.night import pass_over
from tests.cases.talk import AtDesk
from tests.desk import Desk
from tests.worker.direct.turning import contents
from tests.worker.direct.writing import saying
from worker.adapters.apply import apply
from worker.core.writing.amending import amendment
from worker.direct.editing import amend
from worker.direct.holding import holding
from worker.direct.remembering import remember
from worker.direct.undoing import undo
from worker.errors import PlanConflict, Unprocessable

NIGHT, MORNING = datetime(2026, 11, 2, 3, tzinfo=UTC), datetime(2026, 11, 2, 8, tzinfo=UTC)


@dataclass(frozen=True)
class Store:
    """What is known before the night, and what the night finds to be one."""

    known: tuple[str, ...]
    #: Text that stands → those that it is made of.
    merged: dict[str, tuple[str, ...]]
    pinned: str


STORES = {
    "a pair": Store(
        (
            "Sits at the aisle on trains",
            "Takes an aisle place in every train",
            "Call Uncle Piet first if anything happens",
            "Is allergic to penicillin since 2022",
            "Rows on Sundays",
            "Learns Estonian",
        ),
        {
            "Sits at the aisle in every train": (
                "Sits at the aisle on trains",
                "Takes an aisle place in every train",
            )
        },
        "Call Uncle Piet first if anything happens",
    ),
    "two groups, one of three": Store(
        ("爱喝绿茶", "每天喝绿茶", "喜欢绿茶", "住在苏州", "家在苏州", "对花生过敏", "会弹古筝"),
        {
            "每天喝绿茶，爱喝": ("爱喝绿茶", "每天喝绿茶", "喜欢绿茶"),
            "家住苏州": ("住在苏州", "家在苏州"),
        },
        "对花生过敏",
    ),
}


@pytest.fixture(params=[*STORES.values()], ids=[*STORES])
def known(request: pytest.FixtureRequest) -> Store:
    return cast("Store", request.param)


@pytest.fixture
def table(at_desk: AtDesk, scope: Scope, known: Store) -> Desk:
    """Each with tags and fields of its own, one of them pinned."""
    made = at_desk(scope)
    statements = [
        saying(made, text, tags=[text], metadata={f"field {at}": at}, pinned=text == known.pinned)
        for at, text in enumerate(known.known)
    ]
    remember(made.parts, scope, statements, made.now, judge=False)
    return made


def a_night(table: Desk, known: Store) -> Plan:
    with holding(table.parts, table.scope, NIGHT) as held:
        night = pass_over(table, known.merged, NIGHT)
        apply(table.parts.store, night, held.lease)
    return night


def test_the_night_archives_what_it_merges_and_carries_all_of_it_on(
    table: Desk, known: Store
) -> None:
    before = table.live()
    night = a_night(table, known)

    after, gone = table.live(), [text for texts in known.merged.values() for text in texts]
    assert set(after) == (set(known.known) - set(gone)) | set(known.merged)
    for text, texts in known.merged.items():
        assert set(after[text].tags) == set(texts)
        fields = {name: value for one in texts for name, value in before[one].metadata.items()}
        assert after[text].metadata == fields
        assert after[text].created_at == min(before[one].created_at for one in texts)
        last = {
            one.memory.text: one for one in table.archives(after[text].id) if one.run == night.run
        }
        assert {one: last[one].memory for one in last} == {one: before[one] for one in texts}
        assert {one.replaced_by for one in last.values()} == {after[text].id}
    assert after[known.pinned] == before[known.pinned]


def test_one_call_takes_it_back_whole_and_a_second_finds_it_taken_back(
    table: Desk, known: Store
) -> None:
    before, texts = contents(table.parts.store, table.scope), table.live()
    night = a_night(table, known)
    undo(table.parts, table.scope, night.run, MORNING)

    assert contents(table.parts.store, table.scope) == before
    assert {text: one.id for text, one in table.live().items()} == {
        text: one.id for text, one in texts.items()
    }
    assert set(known.merged) <= {one.memory.text for one in table.archives()}, (
        "the night is history"
    )
    with pytest.raises(Unprocessable):
        undo(table.parts, table.scope, night.run, MORNING)
    assert contents(table.parts.store, table.scope) == before


def test_what_it_does_not_touch_may_change_meanwhile_what_it_made_may_not(
    table: Desk, known: Store
) -> None:
    before = contents(table.parts.store, table.scope)
    night = a_night(table, known)
    merged, pinned = table.live()[next(iter(known.merged))].id, table.live()[known.pinned].id
    apart = amendment({"add_tags": ["later"]})
    amend(table.parts, table.scope, pinned, apart, key="apart", now=MORNING)
    told = amend(table.parts, table.scope, merged, apart, key="upon it", now=MORNING)
    assert told.run

    with pytest.raises(PlanConflict, match=str(told.run)):
        undo(table.parts, table.scope, night.run, MORNING)
    undo(table.parts, table.scope, told.run, MORNING)
    undo(table.parts, table.scope, night.run, MORNING)

    after = contents(table.parts.store, table.scope)
    assert after.pop(pinned) != before.pop(pinned)
    assert after == before


def test_a_night_that_was_taken_back_can_be_had_again(table: Desk, known: Store) -> None:
    night = a_night(table, known)
    slept = contents(table.parts.store, table.scope)
    back = undo(table.parts, table.scope, night.run, MORNING)

    undo(table.parts, table.scope, back.run, MORNING)
    assert contents(table.parts.store, table.scope) == slept
