from typing import Any

import pytest

from schemas.memory import MemoryRecord
from schemas.plan import Change
from tests.build import NOW, RUN, SCOPE, at, record, uid, vector
from tests.worker.core.writing.saying import saying
from worker.core.groups.setting import Setting
from worker.core.writing.superseding import check, named, superseding
from worker.errors import Unprocessable, VersionMoved

SETTING = Setting(run=RUN, scope=SCOPE, turns=(), now=NOW, kind="write")
TEA = record(
    "Drinks tea",
    subject="Tariq",
    attribute="drink",
    kind="preference",
    volatile=True,
    tags=("a",),
    metadata={"n": 1, "m": 1},
    version=4,
    flagged="unsure",
    confirmations=2,
)
MILK = record("Drinks milk", subject="Tariq", tags=("b",), metadata={"n": 2, "o": 2}, pinned=True)
LIVE = {one.memory.id: one for one in (TEA, MILK)}


def changes(*ids: Any, **fields: Any) -> list[Change]:
    one = saying("Drinks coffee", supersedes=[str(id) for id in ids], **fields)
    check(one, LIVE)
    return list(superseding(SETTING, one, LIVE, vector("coffee")))


def test_the_first_lives_on_in_the_new_words() -> None:
    (revise,) = changes(TEA.memory.id)
    memory = revise.record.memory

    assert (memory.id, memory.version, memory.text) == (TEA.memory.id, 5, "Drinks coffee")
    assert (memory.tags, memory.metadata) == (("a",), {"n": 1, "m": 1})
    assert (memory.said_at, memory.since, memory.updated_at, memory.last_run) == (
        NOW,
        NOW,
        NOW,
        RUN,
    )
    assert memory.flagged is None
    assert (revise.record.vector, revise.relation) == (vector("coffee"), "update")
    archive = revise.archive.archive
    assert (archive.memory, archive.replaced_by, archive.reason) == (
        TEA.memory,
        memory.id,
        "superseded",
    )
    assert set(TEA.memory.turn_ids) < set(memory.turn_ids)


def test_the_others_are_retired_into_it_with_all_that_they_carried() -> None:
    revise, retire = changes(TEA.memory.id, MILK.memory.id)

    assert retire.archive.archive.memory == MILK.memory
    assert retire.archive.archive.replaced_by == TEA.memory.id
    assert revise.record.memory.tags == ("a", "b")
    assert revise.record.memory.metadata == {"n": 1, "m": 1, "o": 2}


def test_what_nobody_named_stays_as_it_was_and_what_is_named_does_not() -> None:
    (kept,) = changes(TEA.memory.id)
    (told,) = changes(TEA.memory.id, subject="Ann", kind="fact", volatile=False, attribute="cup")
    fields = ("subject", "attribute", "kind", "volatile")

    assert [getattr(kept.record.memory, name) for name in fields] == [
        *("Tariq", "drink", "preference", True)
    ]
    assert [getattr(told.record.memory, name) for name in fields] == ["Ann", "cup", "fact", False]


def test_what_was_said_long_ago_does_not_make_the_memory_older() -> None:
    (revise,) = changes(TEA.memory.id, said_at=at(-300).isoformat())

    assert revise.record.memory.said_at == TEA.memory.said_at


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"supersedes": [str(uid("nobody"))]}, "does not stand in this scope: nothing was written"),
        (
            {"supersedes": [str(TEA.memory.id)], "authority": "tool"},
            "is what the user said, and the tool may not replace it",
        ),
    ],
)
def test_what_may_not_be_replaced_is_refused(fields: dict[str, Any], complaint: str) -> None:
    with pytest.raises(Unprocessable, match=complaint):
        check(saying("Drinks coffee", **fields), LIVE)


def test_another_version_than_was_seen_is_said_with_the_one_that_stands() -> None:
    one = saying("Drinks coffee", supersedes=[str(TEA.memory.id)], if_version=3)
    with pytest.raises(
        VersionMoved, match="is at version 4, not at 3: nothing was written"
    ) as told:
        check(one, LIVE)

    assert told.value.version == 4


def test_no_memory_is_superseded_twice_at_once() -> None:
    both = [saying("a", supersedes=[str(uid("m"))]), saying("b", supersedes=[str(uid("m"))])]

    with pytest.raises(Unprocessable, match="superseded by two statements"):
        named(both)
    assert named(both[:1]) == (uid("m"),)


def test_a_whole_record_is_kept_of_each() -> None:
    found = [change.archive for change in changes(TEA.memory.id, MILK.memory.id)]

    assert [MemoryRecord(memory=one.archive.memory, vector=one.vector) for one in found] == [
        TEA,
        MILK,
    ]
