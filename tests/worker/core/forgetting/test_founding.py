"""What was derived goes with what it was derived from."""

import pytest

from schemas.memory import Archive, ArchiveRecord, Memory, MemoryRecord, Reason
from schemas.plan import Plan, Retire, Revise
from tests.build import NOW, RUN, SCOPE, at, memory, uid, vector
from tests.snapshots import revised, snapshot
from tests.worker.core.forgetting.test_going import archived, stands, was
from worker.core.forgetting.descent import Known
from worker.core.forgetting.founding import following, forgets, with_what_follows
from worker.core.forgetting.going import by_ids, by_query
from worker.core.forgetting.hidden import hidden
from worker.core.forgetting.purge import purge_of


def one(text: str, name: str, version: int = 1, **fields: object) -> Memory:
    return memory(text, id=uid(name), version=version, **fields)


def kept(archive: Archive) -> ArchiveRecord:
    return ArchiveRecord(archive=archive, vector=vector(archive.memory.text))


KNOWN = Known.of(
    [
        stands("Has gout and sails", "a", 2),
        stands("Bakes", "c"),
        stands("Has gout", "g"),
        stands("Lives with it", "i", derived={uid("a"): 2, uid("c"): 1}),
        stands("Is patient", "j", 2, derived={uid("c"): 1, uid("g"): 1}),
    ],
    [
        was("Has gout", "a", 1, "a", "superseded"),
        was("Is patient enough", "j", 1, "j", "superseded"),
        # Of the earlier version.
        kept(snapshot(one("Was brave", "k", derived={uid("a"): 1, uid("x"): 1}), "expired")),
    ],
)


def whole(known: Known, *names: str) -> tuple[set[str], set[str]]:
    going = with_what_follows(known, by_ids(known, [uid(name) for name in names]))
    return {one.memory.text for one in going.whole}, archived(going)


def test_it_goes_with_a_memory_in_every_version_that_it_ever_had() -> None:
    assert whole(KNOWN, "a") == ({"Has gout and sails", "Lives with it"}, {"Has gout", "Was brave"})
    assert whole(KNOWN, "g") == ({"Has gout", "Is patient"}, {"Is patient enough"})


def test_alone_it_takes_nothing_with_it() -> None:
    assert whole(KNOWN, "i") == ({"Lives with it"}, set())


def test_it_goes_whole_with_a_part_of_a_memory() -> None:
    going = with_what_follows(KNOWN, by_query(KNOWN, "gout", [uid("a")]))

    assert [one.memory.text for one in going.whole] == ["Lives with it"]
    assert [part.record.memory.text for part in going.parts] == ["Has gout and sails"]
    assert archived(going) == {"Has gout", "Was brave"}


def test_what_rests_on_what_a_part_left_untouched_stays() -> None:
    known = Known.of(
        [stands("Has gout and sails", "a", 2), stands("Likes the sea", "i", derived={uid("a"): 1})],
        [was("Sails", "a", 1, "a", "superseded")],
    )

    going = with_what_follows(known, by_query(known, "gout", [uid("a")]))

    assert going.whole == ()
    assert archived(going) == set()


# Hidden, and purged


def insight(*grounds: tuple[str, int]) -> Archive:
    rests = {uid(name): version for name, version in grounds}
    return snapshot(one("Lives with it", "i", derived=rests), "expired", None, at(-3))


GOUT = snapshot(one("Has gout", "a", 2), "forgotten", None, at(-1))


@pytest.mark.parametrize(
    ("grounds", "is_hidden"),
    [
        ([("a", 2)], True),
        ([("c", 1), ("a", 1)], True),
        ([("c", 1)], False),
        # It was said anew after that.
        ([("a", 3)], False),
    ],
)
def test_once_a_memory_was_forgotten_no_read_shows_what_came_of_it(
    grounds: list[tuple[str, int]], is_hidden: bool
) -> None:
    assert ((uid("i"), 1) in hidden([GOUT, insight(*grounds)], [])) is is_hidden


@pytest.mark.parametrize(("version", "is_hidden"), [(1, False), (2, True), (3, False)])
def test_of_a_part_only_what_rests_on_words_that_told_it(version: int, is_hidden: bool) -> None:
    archives = [
        revised(one("Sails", "a", 1), at(-9)),
        revised(one("Has gout and sails", "a", 2), at(-1), "forgotten"),
        insight(("a", version)),
    ]

    assert ((uid("i"), 1) in hidden(archives, [one("Sails", "a", 3)])) is is_hidden


def test_it_is_purged_with_it_and_its_grounds_are_not_purged_with_it() -> None:
    sails = revised(one("Sails", "s"), at(-9))
    records = [kept(each) for each in (GOUT, insight(("a", 2), ("s", 1)), sails)]
    known = Known.of([], records)

    assert set(_purged(known, "a")) == {"Has gout", "Lives with it"}
    alone = Known.of([], [kept(_forgotten(insight(("s", 1)))), kept(sails)])
    assert _purged(alone, "i") == ["Lives with it"]


def _forgotten(archive: Archive) -> Archive:
    return archive.model_copy(update={"reason": "forgotten"})


def _purged(known: Known, name: str) -> list[str]:
    gone = [one for one in known.archives if one.archive.memory.id == uid(name)]
    return [one.archive.memory.text for one in purge_of(known, gone, {}).archives]


# In a conversation


def planned(change: Retire | Revise) -> Plan:
    return Plan(
        run=RUN,
        kind="batch",
        scope=SCOPE,
        turn_ids=(uid("t1"),),
        base={uid("a"): 2},
        changes=(change,),
        planned_at=NOW,
    )


def retire(text: str, name: str, reason: Reason = "forgotten") -> Retire:
    archive = snapshot(one(text, name, 2), reason, None, NOW)
    return Retire(archive=kept(archive), relation="forget", turn_ids=(uid("t1"),))


def revise(text: str, name: str) -> Revise:
    archive = revised(one(f"{text}, and has gout", name, 2), NOW, "forgotten")
    return Revise(
        record=stands(text, name, 3),
        archive=kept(archive),
        relation="forget",
        turn_ids=(uid("t1"),),
    )


def made(*grounds: tuple[str, int], pinned: bool = False) -> MemoryRecord:
    rests = {uid(name): version for name, version in grounds}
    return stands("Lives with it", "i", derived=rests, pinned=pinned)


@pytest.mark.parametrize(
    ("change", "record_", "goes"),
    [
        (retire("Has gout", "a"), made(("a", 2), ("c", 1)), True),
        (retire("Has gout", "a"), made(("a", 1)), True),
        (retire("Has gout", "a"), made(("c", 1)), False),
        (revise("Sails", "a"), made(("a", 2)), True),
        (revise("Sails", "a"), made(("a", 1)), False),
        (retire("Has gout", "a", reason="superseded"), made(("a", 2)), False),
        (retire("Has gout", "a"), made(("a", 2), pinned=True), True),
    ],
)
def test_a_plan_that_forgets_takes_what_was_derived_with_it(
    change: Retire | Revise, record_: MemoryRecord, goes: bool
) -> None:
    plan = planned(change)

    after = following(plan, [stands("Bakes", "c"), record_])

    more = [each for each in after.changes if each != change]
    assert forgets(plan) is (change.archive.archive.reason == "forgotten")
    assert len(more) == goes
    for each in more:
        assert isinstance(each, Retire)
        archive = each.archive.archive
        assert (archive.memory, archive.reason, archive.run) == (record_.memory, "forgotten", RUN)
        assert each.turn_ids == (uid("t1"),)
        assert after.base[uid("i")] == 1


def test_what_a_plan_changes_by_itself_it_does_not_change_twice() -> None:
    gone, derived = retire("Has gout", "a"), made(("a", 2))
    both = planned(gone).model_copy(update={"base": {uid("a"): 2, uid("i"): 1}})

    assert following(both, [derived]) == both
