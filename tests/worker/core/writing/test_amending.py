from datetime import datetime
from typing import Any

import pytest

from schemas.memory import Memory, MemoryRecord
from tests.build import NOW, RUN, SCOPE, at, memory, uid, vector
from worker.core.groups.setting import Setting
from worker.core.writing.amending import EDITED, amended, amending, amendment
from worker.errors import Unprocessable

TURN = uid("write")
TEA = memory(
    "Drinks tea at 9",
    attribute="drink",
    happened_at="2026-05",
    until=at(9),
    until_assumed=True,
    after="Drinks water",
    tags=("a", "b"),
    metadata={"n": 1, "m": 1},
    flagged="unsure",
    authority="assistant",
    said_by="assistant",
    since=at(-60),
    version=3,
)
SAID = ("said_at", "since", "last_confirmed_at", "authority", "said_by", "turn_ids", "flagged")


def after(**fields: Any) -> Memory | None:
    return amended(TEA, amendment(fields), TURN, NOW)


@pytest.mark.parametrize(
    ("fields", "changed"),
    [
        ({"attribute": "Cup"}, {"attribute": "cup"}),
        ({"attribute": None}, {"attribute": None}),
        ({"kind": "preference"}, {"kind": "preference"}),
        ({"happened_at": "2026-05-03"}, {"happened_at": "2026-05-03"}),
        ({"happened_at": None}, {"happened_at": None}),
        ({"until": at(30).isoformat()}, {"until": at(30), "until_assumed": False}),
        ({"until": None}, {"until": None, "until_assumed": False, "after": None}),
        ({"metadata": {"n": 2, "o": 3}}, {"metadata": {"n": 2, "m": 1, "o": 3}}),
        ({"metadata": {"n": None}}, {"metadata": {"m": 1}}),
        ({"add_tags": ["c", "a"]}, {"tags": ("a", "b", "c")}),
        ({"remove_tags": ["a", "z"]}, {"tags": ("b",)}),
        ({"pinned": True}, {"pinned": True}),
    ],
)
def test_a_field_changes_and_nothing_else(fields: dict[str, Any], changed: dict[str, Any]) -> None:
    assert after(**fields) == TEA.model_copy(update=changed)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"text": "Drinks tea at 9", "attribute": "drink", "kind": "fact", "happened_at": "2026-05"},
        {"metadata": {"n": 1, "z": None}},
        {"add_tags": ["b"], "remove_tags": ["z"]},
        {"pinned": False},
        {"reason": "no reason", "if_version": 3},
    ],
)
def test_what_is_so_already_is_no_change(fields: dict[str, Any]) -> None:
    assert after(**fields) is None


def test_new_words_are_said_by_a_person_now() -> None:
    found = after(text="Drinks coffee at 10")
    assert found

    assert (found.text, found.identifiers) == ("Drinks coffee at 10", ("10",))
    assert (found.said_at, found.since, found.last_confirmed_at) == (NOW, NOW, NOW)
    assert (found.authority, found.said_by, found.flagged) == ("user", "user", None)
    assert found.turn_ids == (*TEA.turn_ids, TURN)
    rest = set(Memory.model_fields) - {*SAID, "text", "identifiers"}
    assert found.model_dump(include=rest) == TEA.model_dump(include=rest)


def test_the_person_who_said_it_keeps_their_name() -> None:
    ann = TEA.model_copy(update={"authority": "user", "said_by": "Ann"})
    found = amended(ann, amendment({"text": "Drinks milk"}), TURN, NOW)

    assert found
    assert found.said_by == "Ann"


@pytest.mark.parametrize("fields", [{"add_tags": ["c"]}, {"pinned": True}, {"metadata": {"n": 5}}])
def test_what_is_no_wording_leaves_the_time_it_was_said(fields: dict[str, Any]) -> None:
    found = after(**fields)
    assert found

    assert [getattr(found, name) for name in SAID] == [getattr(TEA, name) for name in SAID]


def lapsed(then: str | None) -> Memory:
    return TEA.model_copy(update={"until": at(-1), "after": then})


def test_what_stands_again_is_what_is_edited() -> None:
    found = amended(lapsed("Drinks water"), amendment({"add_tags": ["c"]}), TURN, NOW)

    assert found
    assert (found.text, found.until, found.after) == ("Drinks water", None, None)


def test_what_has_ended_is_edited_only_with_another_end() -> None:
    with pytest.raises(Unprocessable, match="has ended on 2026-05-31: nothing was written; give"):
        amended(lapsed(None), amendment({"text": "Drinks milk"}), TURN, NOW)

    found = amended(lapsed(None), amendment({"text": "Drinks milk", "until": None}), TURN, NOW)
    assert found
    assert (found.text, found.until) == ("Drinks milk", None)


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"text": None}, "`text` cannot be cleared"),
        ({"kind": None}, "`kind` cannot be cleared"),
        ({"pinned": None}, "`pinned` cannot be cleared"),
        ({"text": " "}, "`text` says nothing"),
        ({"text": "x" * 2001}, "`text` has 2,001 characters"),
        ({"kind": "forget"}, "`kind` cannot be `forget`"),
        ({"subject": "Ann"}, "`subject` is not a field of a change"),
        ({"add_tags": ["a"], "remove_tags": ["a"]}, "both adds and removes the tag 'a'"),
        ({"until": "2026"}, "`until` is no date with a time"),
    ],
)
def test_what_is_wrong_is_said_with_its_field(fields: dict[str, Any], complaint: str) -> None:
    with pytest.raises(Unprocessable) as refused:
        amendment(fields)

    assert complaint in str(refused.value)


SECRET = "AKIAIOSFODNN7EXAMPLE"


def test_secrets_are_masked() -> None:
    wanted = amendment(
        {
            "text": f"The key is {SECRET}",
            "attribute": f"key {SECRET}",
            "reason": f"it was {SECRET}",
            "add_tags": [SECRET],
            "metadata": {"n": SECRET},
        }
    )

    assert SECRET.casefold() not in repr(wanted).casefold()


def plan_of(fields: dict[str, Any], now: datetime = NOW) -> Any:
    wanted = amendment(fields)
    found = amended(TEA, wanted, TURN, now)
    assert found
    setting = Setting(run=RUN, scope=SCOPE, turns=(), now=now, kind="write")
    old = MemoryRecord(memory=TEA, vector=vector("old"))
    return amending(
        setting, TURN, old, MemoryRecord(memory=found, vector=vector("new")), wanted.reason
    )


def test_it_is_one_revision_with_the_version_before_in_the_archive() -> None:
    made = plan_of({"pinned": True, "reason": "it is the address"})
    (change,) = made.changes

    assert (made.kind, made.run, made.turn_ids) == ("write", RUN, (TURN,))
    assert (made.base, made.base_runs) == ({TEA.id: 3}, {TEA.id: TEA.last_run})
    assert (change.kind, change.relation, change.why) == ("revise", "update", "it is the address")
    memory = change.record.memory
    assert (memory.version, memory.updated_at, memory.last_run) == (4, NOW, RUN)
    archive = change.archive.archive
    assert (archive.memory, archive.reason, archive.why) == (TEA, "superseded", "it is the address")
    assert (change.record.vector, change.archive.vector) == (vector("new"), vector("old"))


def test_without_a_reason_it_says_that_a_person_did_it() -> None:
    assert plan_of({"pinned": True}).changes[0].why == EDITED
