"""What goes, of a scope that is given as values."""

import pytest

from schemas.memory import Archive, ArchiveRecord, MemoryRecord, Reason
from tests.build import at, memory, record, uid, vector
from worker.core.forgetting.descent import Known
from worker.core.forgetting.going import Going, by_ids, by_query, named


def was(
    text: str,
    name: str,
    version: int,
    into: str | None,
    reason: Reason = "merged",
    run: str = "merge",
) -> ArchiveRecord:
    archive = Archive(
        memory=memory(text, id=uid(name), version=version),
        replaced_by=uid(into) if into else None,
        archived_at=at(-version),
        reason=reason,
        why="",
        run=uid(run),
    )
    return ArchiveRecord(archive=archive, vector=vector(text))


def stands(text: str, name: str, version: int = 1, **fields: object) -> MemoryRecord:
    return record(text, id=uid(name), version=version, **fields)


def archived(going: Going) -> set[str]:
    return {one.archive.memory.text for one in going.archives}


def parts(going: Going) -> dict[str, set[str]]:
    return {
        one.record.memory.text: {was.archive.memory.text for was in one.untouched}
        for one in going.parts
    }


MERGED = Known.of(
    [stands("Has gout and sails", "a", 2), stands("Has gout", "c"), stands("Bakes", "d")],
    [was("Has gout", "a", 1, "a"), was("Sails", "b", 2, "a"), was("Sails badly", "b", 1, "b")],
)


def test_a_query_finds_live_memories_and_not_again_what_they_were_made_of() -> None:
    found = {one.text: (one.state, one.says_more) for one in named(MERGED, "gout")}

    assert found == {"Has gout and sails": ("live", True), "Has gout": ("live", False)}


@pytest.mark.parametrize(("reason", "state"), [("expired", "archived"), ("forgotten", "forgotten")])
def test_a_query_finds_what_only_the_history_has(reason: Reason, state: str) -> None:
    known = Known.of([stands("Sails", "a", 2)], [was("Has gout", "b", 1, None, reason)])

    assert [(one.id, one.state) for one in named(known, "gout")] == [(uid("b"), state)]
    assert archived(by_query(known, "gout", [uid("b")])) == {"Has gout"}


def test_of_what_says_more_only_the_part_goes_and_what_tells_it() -> None:
    going = by_query(MERGED, "gout", [uid("a"), uid("c")])

    assert parts(going) == {"Has gout and sails": {"Sails", "Sails badly"}}
    assert [one.memory.text for one in going.whole] == ["Has gout"]
    assert archived(going) == {"Has gout"}


def test_what_stands_again_after_an_end_tells_it_too() -> None:
    known = Known.of([stands("On crutches", "a", until=at(9), after="Has gout")], [])

    assert [one.text for one in named(known, "gout")] == ["On crutches"]
    assert parts(by_query(known, "gout", [uid("a")])) == {"On crutches": set()}


def test_an_id_goes_with_all_it_was_made_of() -> None:
    going = by_ids(MERGED, [uid("a")])

    assert [one.memory.id for one in going.whole] == [uid("a")]
    assert archived(going) == {"Has gout", "Sails", "Sails badly"}


def test_an_id_that_was_merged_takes_its_part_out_of_what_it_went_on_into() -> None:
    going = by_ids(MERGED, [uid("b")])

    assert going.whole == ()
    assert parts(going) == {"Has gout and sails": {"Has gout"}}
    assert archived(going) == {"Sails", "Sails badly"}


@pytest.mark.parametrize(
    ("now", "is_touched"),
    [("Lives in Lyon", False), ("Lives in Lyon, moved there from Porto", True)],
)
def test_what_replaced_an_id_keeps_what_only_it_says(now: str, is_touched: bool) -> None:
    known = Known.of(
        [stands(now, "new", 2)],
        [was("Lives in Porto", "old", 1, "new", "superseded"), was("Rents", "new", 1, "new")],
    )

    assert bool(by_ids(known, [uid("old")]).parts) is is_touched


def test_what_came_too_late_went_on_into_nothing() -> None:
    known = Known.of([stands("Sails in Porto", "a")], [was("Lives in Porto", "b", 1, "a", "late")])

    assert by_ids(known, [uid("b")]).parts == ()


def test_the_turns_behind_what_stays_are_not_among_those_that_go() -> None:
    going = by_query(
        Known.of(
            [stands("Has gout and sails", "a", 2, turn_ids=(uid("1"), uid("2"), uid("3")))],
            MERGED.archives,
        ),
        "gout",
        [uid("a")],
    )

    assert set(going.turn_ids) == {uid("1"), uid("2"), uid("3"), uid("turn of Has gout")}
    assert uid("turn of Sails") not in going.turn_ids


def test_an_id_of_nobody_is_nothing() -> None:
    assert by_ids(MERGED, [uid("nobody")]).is_nothing
    assert MERGED.heir(uid("b")) == uid("a")


def liking(*archives: ArchiveRecord, others: tuple[str, ...] = ()) -> Known:
    return Known.of(
        [stands("Likes tea and hiking", "a", 2), *(stands(one, one) for one in others)], archives
    )


@pytest.mark.parametrize(
    ("known", "left"),
    [
        (liking(was("Likes tea", "b", 1, "a"), was("Likes hiking", "a", 1, "a")), {"Likes hiking"}),
        (liking(was("Likes tea", "a", 1, "a"), was("Likes hiking", "b", 1, "a")), {"Likes hiking"}),
        (liking(was("Likes hiking", "a", 1, "a", "superseded")), {"Likes hiking"}),
        (liking(was("Likes wine", "a", 1, "a", "superseded")), set()),
        (
            liking(
                was("Likes wine", "a", 1, "a", "superseded"),
                others=("Likes chess", "Likes his aunt"),
            ),
            {"Likes wine"},
        ),
    ],
)
def test_what_only_shares_a_word_that_is_said_of_other_things_too_stays(
    known: Known, left: set[str]
) -> None:
    going = by_query(known, "likes tea", [uid("a")])

    assert parts(going) == {"Likes tea and hiking": left}
    assert archived(going) == {one.archive.memory.text for one in known.archives} - left


def test_of_a_memory_that_took_two_in_both_go() -> None:
    known = Known.of(
        [stands("Has gout, sails, bakes", "a", 2)],
        [was("Bakes", "a", 1, "a"), was("Has gout", "b", 1, "a"), was("Sails", "c", 1, "a")],
    )
    (part,) = by_ids(known, [uid("b"), uid("c")]).parts

    assert [part.topic.is_in(text) for text in ("Gout", "Sails", "Bakes")] == [True, True, False]
    assert {one.archive.memory.text for one in part.untouched} == {"Bakes"}


def test_what_was_merged_once_and_stands_again_is_not_gone_with_it() -> None:
    known = Known.of(
        [stands("Sails", "a", 3), stands("Has gout", "b", 2)],
        [
            was("Sails", "a", 1, "a"),
            was("Sails and has gout", "a", 2, "a", "undone"),
            was("Has gout", "b", 1, "a"),
        ],
    )

    assert archived(by_ids(known, [uid("a")])) == {"Sails", "Sails and has gout"}
