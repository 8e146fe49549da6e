"""What else is true of someone retires nothing that was known; where a judge says so, it is seen and can be undone."""

from typing import Any

import pytest

from schemas.plan import Run
from schemas.scope import Scope
from tests.cases.asleep import asleep, separate, those
from tests.cases.talk import AtDesk
from tests.cases.verdicts import Thing
from tests.desk import Desk
from tests.worker.direct.nightly import FIRST_NIGHT, everything, night, remember, sleeps
from tests.worker.direct.turning import contents
from worker.direct.restoring import restore
from worker.direct.undoing import undo
from worker.interfaces.runs_told import told as told_run

COOK = "Is head cook at the Lindgren canteen"
CHAIR = "Chairs the Lindgren allotment society"
SHIFT = "Canteen shift begins at 05:30"
COURSE = "Also gives the canteen's first-aid course"
KNOWN = (COOK, CHAIR, SHIFT)
NEAR = dict.fromkeys((CHAIR, SHIFT, COURSE), (COOK, 0.9))
SWEEPING = those(Thing((COURSE, COOK), "contradict", COURSE, (COOK,)))
#: As if the course were another value of what is done in the canteen.
WRONG = those(Thing((COURSE, COOK), "contradict", COURSE, ("Is head cook at the Lindgren",)))
UNFOUNDED = those(Thing((COURSE, COOK), "contradict", COURSE))
FIELDS: dict[str, Any] = {"tags": ("work",), "metadata": {"ticket": "K-3"}}


@pytest.fixture
def table(at_desk: AtDesk, scope: Scope) -> Desk:
    made = at_desk(scope, NEAR)
    remember(made, *KNOWN, **FIELDS)
    remember(made, COURSE, days=1)
    return made


def test_what_a_judge_finds_separate_stays_and_is_not_asked_about_again(table: Desk) -> None:
    before = table.live()
    with asleep(table, separate) as model:
        night(table, 1)
        heard = model.heard()
        slept = everything(table)
        night(table, 2)
        assert model.heard() == []

    assert (COURSE, COOK) in {(texts[0], one) for texts in heard for one in texts[1:]}
    assert table.live() == before
    assert everything(table) == slept


def test_a_verdict_that_does_not_say_what_goes_changes_nothing(table: Desk) -> None:
    """The older words hold what the newer ones do not, and no reason is given for their loss."""
    before = table.live()
    with asleep(table, UNFOUNDED):
        report = night(table)

    assert table.live() == before
    assert sum(one.misjudged for one in report.passes) == 1


def test_a_verdict_that_leaves_nothing_of_what_goes_is_only_proposed(table: Desk) -> None:
    before = table.live()
    with asleep(table, SWEEPING):
        report = night(table)

    assert table.live() == before
    assert report.waiting == 1


@pytest.fixture
def misled(table: Desk) -> Run:
    """The run of a night whose judge took the one for the end of the other."""
    with asleep(table, WRONG):
        night(table)
    (run,) = sleeps(table)
    return run


def test_what_a_wrong_verdict_takes_is_told_with_verdict_reason_and_words(
    table: Desk, misled: Run
) -> None:
    assert COOK not in table.live()
    assert {CHAIR, SHIFT, COURSE} == {*table.live()}
    told = told_run(table.parts.store, table.scope, misled)
    before = {told.before(one) for one in told.run.changes}
    assert COOK in before
    assert {one.relation for one in told.run.changes} == {"contradict"}
    assert {one.why for one in told.run.changes} == {"as scripted"}
    (gone,) = [one for one in table.archives() if one.memory.text == COOK]
    assert (gone.run, gone.why) == (misled.id, "as scripted")
    assert gone.replaced_by == table.live()[COURSE].id


def test_undoing_the_run_brings_it_back_and_the_next_night_leaves_it(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope, NEAR)
    remember(table, *KNOWN, **FIELDS)
    remember(table, COURSE, days=1)
    before = contents(table.parts.store, scope)
    with asleep(table, WRONG) as model:
        night(table)
        (run,) = sleeps(table)
        undo(table.parts, scope, run.id, FIRST_NIGHT)
        assert contents(table.parts.store, scope) == before
        model.heard()
        night(table, 2)
        assert model.heard() == []
    assert contents(table.parts.store, scope) == before


def test_one_restore_brings_the_record_back_with_all_that_it_had(table: Desk, misled: Run) -> None:
    (gone,) = [
        one for one in table.parts.store.archives(table.scope) if one.archive.memory.text == COOK
    ]
    old = gone.archive.memory

    restore(table.parts, table.scope, old.id, old.version, FIRST_NIGHT)

    (back,) = table.parts.store.memories(table.scope, [old.id])
    assert (back.memory.text, back.memory.id, back.vector) == (COOK, old.id, gone.vector)
    assert (back.memory.tags, back.memory.metadata) == (old.tags, old.metadata)
    assert (back.memory.turn_ids, back.memory.said_at) == (old.turn_ids, old.said_at)
