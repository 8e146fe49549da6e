"""Nights under a bad judge, a good one, and one more: good memories stay, and every night can be taken back."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count

import pytest
from redis import Redis

from schemas.keys import PartitionKeys
from schemas.scope import Scope
from tests.cases.asleep import asleep, separate, those
from tests.cases.talk import AtDesk
from tests.cases.verdicts import Thing
from tests.desk import Desk, crashes, desk
from tests.similarity import GivenSimilarities
from tests.worker.direct.nightly import (
    FIRST_NIGHT,
    everything,
    judging,
    night,
    pairs,
    remember,
    sleeps,
    told,
)
from tests.worker.direct.turning import contents
from worker.adapters.stores.sqlite import SqliteStore
from worker.core.sleeping.note import read_note
from worker.direct.proposals import accept, proposals, refuse
from worker.direct.undoing import undo

PIET, ALLERGY = "Next of kin is Uncle Piet", "Is allergic to penicillin"
AISLE, PLACE = "Likes aisle places", "Likes an aisle place in every train"
OWNS = "Owns a "
OTHERS = tuple(
    f"{OWNS}{thing}"
    for thing in ("bassoon", "1962 moped", "greenhouse", "dictionary", "harmonium", "kite")
)
TEN = (PIET, ALLERGY, AISLE, PLACE, *OTHERS)
#: All at hand of each other, so that the judge is asked about everything.
NEAR = dict.fromkeys(TEN[1:], (PIET, 0.9))
SHARE = 0.2
MORNING = FIRST_NIGHT + timedelta(hours=5)
GOOD = those(Thing((PLACE, AISLE), "same"))


def redundant(texts: Sequence[str]) -> Sequence[Thing]:
    """Whoever owns one thing owns no other any more; nothing but words can tell that this is wrong."""
    owned = tuple(text for text in texts if text.startswith(OWNS))
    if texts[0] not in owned or len(owned) == 1:
        return []
    drops = tuple(text.removeprefix(OWNS) for text in owned[1:])
    return [Thing(owned, "contradict", texts[0], drops)]


def sweeping(texts: Sequence[str]) -> Sequence[Thing]:
    """Whatever it is shown is said by the newest, and may go."""
    first, *rest = texts
    return [Thing(tuple(texts), "contradict", first, tuple(rest))] if rest else []


@pytest.fixture
def ten(at_desk: AtDesk, scope: Scope) -> Desk:
    """One is pinned, one is years old and was never asked for."""
    return with_ten(at_desk(scope, NEAR))


def with_ten(table: Desk) -> Desk:
    remember(table, *TEN)
    remember(table, PIET, pinned=True)
    remember(table, ALLERGY, said_at=datetime(2023, 2, 1, tzinfo=UTC), volatile=True)
    return table


def undo_night(table: Desk, since: datetime = FIRST_NIGHT) -> None:
    """Every run of the last night that stands, the latest first."""
    kept = read_note(table.parts.store.about(table.scope).sleep, table.scope).nights[-1]
    for id in reversed([run for one in kept.passes for run in one.runs]):
        undo(table.parts, table.scope, id, since + timedelta(hours=5))


def test_a_bad_judge_gets_no_further_than_the_share_and_what_it_took_is_in_the_archive(
    ten: Desk,
) -> None:
    before = ten.live()
    with asleep(ten, redundant, sleep_max_share=SHARE) as model:
        report = night(ten)
        assert PIET not in {text for texts in model.heard() for text in texts}

    live, gone = ten.live(), [one for one in ten.archives() if one.memory.text not in ten.live()]
    assert 0 < report.changes <= SHARE * len(TEN)
    assert len(live) >= len(TEN) - 1
    assert live[PIET] == before[PIET]
    assert {one.memory.text for one in gone} | {*live} >= {*TEN}
    (run,) = {one.run for one in gone}
    assert {one.memory.text: one.memory for one in gone} == {
        one.memory.text: before[one.memory.text] for one in gone
    }
    assert {one.why for one in gone} == {"as scripted"}
    assert [one.state for one in sleeps(ten) if one.id == run] == ["applied"]
    waiting = list(proposals(ten.parts.store, ten.scope))
    assert report.waiting == len(waiting) > 0
    changed = {id for one in waiting for id in one.plan.base}
    assert before[PIET].id not in changed


def test_what_nothing_else_says_goes_for_no_judge_s_word(ten: Desk) -> None:
    """The longer of the two about aisles says all that the shorter does."""
    with asleep(ten, sweeping, sleep_max_share=1.0):
        report = night(ten)

    assert {*TEN} - {*ten.live()} == {AISLE}
    waiting = list(proposals(ten.parts.store, ten.scope))
    assert report.waiting == len(waiting) > 0
    assert all(one.plan.withheld and one.plan.withheld.unsaid for one in waiting)


def test_its_night_is_undone_in_whole_and_what_waits_does_nothing_by_itself(ten: Desk) -> None:
    before = contents(ten.parts.store, ten.scope)
    with asleep(ten, redundant, sleep_max_share=SHARE) as model:
        night(ten)
        assert contents(ten.parts.store, ten.scope) != before
        undo_night(ten)
        assert contents(ten.parts.store, ten.scope) == before

        model.heard()
        night(ten, 2)
        assert model.heard() == [], "what was undone is not proposed again"
    assert contents(ten.parts.store, ten.scope) == before


def test_each_proposal_is_decided_on_by_itself(ten: Desk) -> None:
    with asleep(ten, redundant, sleep_max_share=0.0):
        night(ten)
        before = contents(ten.parts.store, ten.scope)
        waiting = [one.run.id for one in proposals(ten.parts.store, ten.scope) if one.stands]
        assert len(waiting) > 1
        for id in waiting[1:]:
            refuse(ten.parts, ten.scope, id, MORNING)
        assert contents(ten.parts.store, ten.scope) == before
        done = accept(ten.parts, ten.scope, waiting[0], MORNING)
        assert contents(ten.parts.store, ten.scope) != before
        undo(ten.parts, ten.scope, done.run, MORNING)

    assert contents(ten.parts.store, ten.scope) == before
    assert list(proposals(ten.parts.store, ten.scope)) == []


def test_a_bad_night_a_good_one_and_one_more(ten: Desk) -> None:
    with asleep(ten, redundant, sleep_max_share=SHARE):
        night(ten, 1)
        undo_night(ten)
        for one in proposals(ten.parts.store, ten.scope):
            refuse(ten.parts, ten.scope, one.run.id, MORNING)
    # Said anew, and so to be looked at again.
    version = ten.live()[PLACE].version + 1
    remember(ten, PLACE, days=100.5, version=version)
    before, texts = contents(ten.parts.store, ten.scope), ten.live()

    with asleep(ten, GOOD, sleep_max_share=SHARE) as model:
        untouched = everything(ten)
        foreseen = night(ten, 2, dry_run=True)
        assert everything(ten) == untouched
        good = night(ten, 2)
        assert told(foreseen) == told(good) != []

        live = ten.live()
        assert len(live) == len(TEN) - 1
        (merged,) = {*live} & {AISLE, PLACE}
        (run,) = {diff.run for one in good.passes for diff in one.changes}
        parents = [one for one in ten.archives() if one.run == run]
        assert {one.memory.text: one.memory for one in parents} == {
            text: texts[text] for text in (AISLE, PLACE)
        }
        assert {(one.replaced_by, one.reason) for one in parents} == {(live[merged].id, "merged")}
        assert {text: live[text] for text in live if text != merged} == {
            text: one for text, one in texts.items() if text not in {AISLE, PLACE}
        }
        after = everything(ten)
        model.heard()
        assert night(ten, 3).calls == 0
        assert (model.heard(), everything(ten)) == ([], after)

    undo_night(ten, FIRST_NIGHT + timedelta(days=1))
    assert contents(ten.parts.store, ten.scope) == before


def test_neither_age_nor_that_nobody_asks_for_it_removes_anything(ten: Desk) -> None:
    with asleep(ten, separate) as model:
        night(ten, 1)
        before = everything(ten)
        model.heard()
        for nth in (30, 365, 3_650):
            night(ten, nth)
        assert model.heard() == []

    assert everything(ten) == before
    assert set(ten.live()) == {*TEN}


def test_a_good_night_that_dies_anywhere_is_slept_to_the_same_end_and_undone_as_well(
    sqlite_store: SqliteStore, redis_client: Redis, scope: Scope
) -> None:
    for nth in count(1, 2):
        own = Scope(app=scope.app, user=f"night {nth}")
        table = desk(sqlite_store, redis_client, own, GivenSimilarities({PLACE: (AISLE, 0.9)}))
        with_ten(table)
        judging(table, pairs((AISLE, PLACE)), sleep_max_share=SHARE)
        before = contents(sqlite_store, own)
        died = crashes(table, "store", nth, partial(night, table), after=nth % 4 == 3)
        redis_client.zadd(PartitionKeys(0).busy, {own.key: 1})
        night(table)
        assert len(table.live()) == len(TEN) - 1
        assert [run.state for run in sleeps(table)] == ["applied"]
        undo_night(table)
        assert contents(sqlite_store, own) == before
        if not died:
            break
