"""Sleep's question to a model, and how its reply is read."""

from typing import Any

import pytest

from tests.build import candidacy, record
from worker.core.judging.judge_reply import JudgeReply
from worker.core.judging.reorganize import Reorganize
from worker.core.step import BadReply

CASE = candidacy(
    [],
    [
        record("Swims on Tuesdays"),
        record("Swims on Tuesday mornings"),
        record("Owns 2 dogs", subject="Ben"),
    ],
)


def read(*groups: dict[str, Any], new: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], str]]:
    given = [{"why": "w", "relation": "same"} | one for one in groups]
    reply = JudgeReply.model_validate({"groups": given, "new": list(new)})
    found = Reorganize(max_group=2).read(CASE, [reply])
    return [(one.members, one.relation) for one in found.groups]


def test_it_is_shown_only_what_the_job_needs() -> None:
    (prompt,) = Reorganize(max_group=5).ask(CASE)

    assert (prompt.job, prompt.max_members) == ("reorganize", 5)
    assert prompt.document == {
        "memories": [
            {"id": "m1", "text": "Swims on Tuesdays", "subject": "user"}
            | {"said_at": "2026-05-02T12:00:00+00:00"},
            {"id": "m2", "text": "Swims on Tuesday mornings", "subject": "user"}
            | {"said_at": "2026-05-02T12:00:00+00:00"},
            {"id": "m3", "text": "Owns 2 dogs", "subject": "Ben"}
            | {"said_at": "2026-05-02T12:00:00+00:00"},
        ]
    }


@pytest.mark.parametrize(
    ("members", "found"),
    [
        (["m1", "m2"], [("c1", "c2")]),
        (["m2", "m1", "m1"], [("c2", "c1")]),
        (["1", "2"], [("c1", "c2")]),
        (["m1"], []),
        (["m2", "m3"], []),
        ([], []),
    ],
    ids=["a pair", "twice", "bare numbers", "alone", "not about the first", "nobody"],
)
def test_a_group_of_the_first_memory_is_taken(members: list[str], found: list[Any]) -> None:
    assert [one for one, _ in read({"members": members}, new=("m3",))] == found


@pytest.mark.parametrize(
    ("group", "told"),
    [
        ({"members": ["m1", "m9"]}, "m9 is not among the labels"),
        ({"members": ["m1", "c2"]}, "is not among the labels"),
        ({"members": ["m1", "f1"]}, "is not among the labels"),
        ({"members": ["m1", "m2", "m3"]}, "the group of m1, m2, m3 has 3 members"),
        ({"members": ["m1", "m2"], "relation": "forget"}, "is no relation"),
        ({"members": ["m1", "m2"], "relation": "separate"}, "is no relation"),
        ({"members": ["m1", "m2"], "drops": ["Swims"]}, 'its "drops" have to be empty'),
        ({"members": ["m1", "m3"], "relation": "update", "text": "Swims"}, "loses the number 2"),
    ],
)
def test_a_reply_that_breaks_a_rule_is_refused_in_the_words_of_the_document(
    group: dict[str, Any], told: str
) -> None:
    with pytest.raises(BadReply) as caught:
        read(group)
    assert told in caught.value.told
    assert "Swims" not in str(caught.value)


def test_a_memory_of_two_groups_is_refused() -> None:
    with pytest.raises(BadReply) as caught:
        read({"members": ["m1", "m2"]}, {"members": ["m2", "m3"]})
    assert "m2 is in 2 groups" in caught.value.told
