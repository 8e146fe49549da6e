from collections.abc import Iterable

import pytest

from schemas.memory import Memory
from schemas.plan import Add, File, Plan, Retire, Revise
from tests.build import SCOPE, at, memory, uid, vector
from tests.worker.core.forgetting.test_going import MERGED, stands, was
from worker.core.forgetting.descent import Known
from worker.core.forgetting.forget_plan import Written, forget_plan, redacted, returned
from worker.core.forgetting.going import Going, Part, by_ids, by_query
from worker.core.forgetting.hidden import hidden
from worker.core.forgetting.topics import ASKED, of_query

GOUT = of_query("gout")


def part(known: Known, name: str = "a") -> Part:
    (only,) = by_query(known, "gout", [uid(name)]).parts
    return only


def plan(known: Known, going: Going, left: Iterable[Memory] = ()) -> Plan:
    stand = {one.id: one for one in left}
    vectors = {one.text: vector(one.text) for one in stand.values()}
    return forget_plan(SCOPE, known, going, Written(stand, vectors, going.turn_ids, at(0)))


def test_a_memory_loses_everything_of_its_own_that_tells_it() -> None:
    old = memory(
        "Has gout and sails",
        attribute="gout treatment",
        tags=("gout", "sea"),
        metadata={"gout_since": 2019, "note": "for the gout", "boat": {"name": "Petrel"}},
        identifiers=("gout-1",),
    )
    left = redacted(Part(stands(old.text, "a").model_copy(update={"memory": old}), GOUT), "Sails")

    assert left
    assert (left.text, left.attribute, left.tags, left.identifiers) == ("Sails", None, ("sea",), ())
    assert left.metadata == {"boat": {"name": "Petrel"}}


@pytest.mark.parametrize(
    ("text", "after", "left"),
    [
        ("On crutches", "Has gout", ("On crutches", None, True)),
        (None, "Sails", ("Sails", None, False)),
        (None, "Has gout", None),
        ("On crutches", "Sails", ("On crutches", "Sails", True)),
    ],
)
def test_what_stands_again_goes_or_stands_at_once(
    text: str | None, after: str, left: tuple[str, str | None, bool] | None
) -> None:
    record = stands("On crutches with gout", "a", until=at(9), after=after)
    found = redacted(Part(record, GOUT), text)

    assert (found and (found.text, found.after, found.until is not None)) == left


SEVERAL = (
    was("Has gout", "a", 1, "a", run="1"),
    was("Sails", "b", 1, "a", run="1"),
    was("Bakes", "c", 1, "a", run="1"),
)
CHAIN = (was("Sails", "a", 1, "a", "superseded", "1"), was("Gout, sails", "a", 2, "a", run="2"))


@pytest.mark.parametrize(
    ("archives", "version", "stand"),
    [
        (SEVERAL, 2, {"a": "Bakes", "b": "Sails"}),
        (CHAIN, 3, {"a": "Sails"}),
        ((was("Sails", "a", 1, "a", run="1"), *SEVERAL[2:]), 2, {"a": "Sails", "c": "Bakes"}),
        ((was("Gout", "a", 1, "a", run="1"),), 2, {}),
        ((was("Sails", "b", 1, "a", "late"),), 2, {}),
    ],
)
def test_without_a_model_what_was_merged_into_it_stands_again(
    archives: tuple[object, ...], version: int, stand: dict[str, str]
) -> None:
    known = Known.of([stands("Gout, sails, bakes", "a", version)], archives)  # type: ignore[arg-type]
    found = {one.id: one.text for one in returned(known, part(known))}

    assert found == {uid(name): text for name, text in stand.items()}


def test_a_part_is_revised_others_stand_again_and_nothing_tells_it_in_the_plan() -> None:
    known = Known.of([stands("Gout, sails, bakes", "a", 2)], SEVERAL)
    going = by_query(known, "gout", [uid("a")])
    made = plan(known, going, returned(known, part(known)))

    revise, add = made.changes
    assert isinstance(revise, Revise)
    assert isinstance(add, Add)
    assert (revise.record.memory.text, revise.record.memory.version) == ("Bakes", 3)
    assert (add.record.memory.id, add.record.memory.version) == (uid("b"), 2)
    assert (revise.archive.archive.reason, revise.archive.archive.why) == ("forgotten", ASKED)
    assert {(one.relation, one.why, one.said) for one in made.changes} == {("forget", ASKED, ())}


def test_what_the_changes_hide_is_not_marked_and_the_rest_is() -> None:
    whole = plan(MERGED, by_ids(MERGED, [uid("a")]))
    replaced = Known.of(
        [stands("Lives in Lyon", "a")],
        [was("Porto", "b", 1, "b"), was("Lives in Porto", "b", 2, "a", "superseded")],
    )
    only_history = plan(replaced, by_ids(replaced, [uid("b")]))

    assert [type(one) for one in whole.changes] == [Retire]
    (mark,) = only_history.changes
    assert isinstance(mark, File)
    archive = mark.archive.archive
    assert (archive.memory.text, archive.reason, archive.why) == (
        "Lives in Porto",
        "forgotten",
        ASKED,
    )
    assert archive.run == only_history.run


def test_after_it_no_snapshot_of_what_goes_is_shown() -> None:
    going = by_ids(MERGED, [uid("b")])
    made = plan(MERGED, going, [memory("Has gout", id=uid("a"))])
    archives = {one.archive.id: one.archive for one in MERGED.archives}
    for change in made.changes:
        if isinstance(change, Revise | File):
            archives[change.archive.archive.id] = change.archive.archive
    live = [one.memory for one in MERGED.live.values() if one.memory.id != uid("a")]
    hides = hidden(archives.values(), [*live, memory("Has gout", id=uid("a"), version=3)])

    assert {(uid("b"), 1), (uid("b"), 2), (uid("a"), 2)} == hides


def test_the_same_act_is_the_same_run_and_another_is_another() -> None:
    going = by_ids(MERGED, [uid("c")])

    assert plan(MERGED, going).run == plan(MERGED, going).run
    assert plan(MERGED, going).run != plan(MERGED, by_ids(MERGED, [uid("d")])).run
    assert plan(MERGED, Going()).kind == "write"
