"""Judgment pair by pair."""

from typing import Any

import pytest
from pydantic import ValidationError

from tests.build import at, candidacy, fact, record
from worker.core.groups.judgment import Candidacy, Groups
from worker.core.judging.pair_judge import PairJudge, PairReply
from worker.core.step import BadReply

CASE = candidacy(
    [fact("Cycles to work", happened_at="2026-05")],
    [record("Drives to work"), record("Rents a parking place"), record("Likes the sea")],
)


def judge(case: Candidacy, *relations: str, most: int = 8) -> Groups:
    replies = [PairReply(why=f"why {n}", relation=one) for n, one in enumerate(relations)]
    return PairJudge(most).read(case, replies)


def test_each_pair_is_a_question_of_its_own() -> None:
    prompts = PairJudge().ask(CASE)

    assert [prompt.job for prompt in prompts] == ["pair"] * 3
    assert prompts[0].document == {
        "fact": {
            "kind": "fact",
            "text": "Cycles to work",
            "subject": "user",
            "said_at": "2026-06-01T12:00:00+00:00",
            "happened_at": "2026-05",
            "until": None,
        },
        "candidate": {
            "text": "Drives to work",
            "subject": "user",
            "said_at": "2026-05-02T12:00:00+00:00",
            "happened_at": None,
            "until": None,
        },
    }


def test_all_hits_of_a_fact_are_one_group_under_the_strongest_verdict() -> None:
    found = judge(CASE, "contradict", "update", "separate")

    (group,) = found.groups
    assert group.members == ("f1", "c1", "c2")
    assert (group.relation, group.why, group.written) == ("contradict", "why 0; why 1", False)
    assert found.new == ()


def test_a_fact_without_a_hit_is_new() -> None:
    assert judge(CASE, "separate", "separate", "separate") == Groups(groups=(), new=("f1",))


def test_of_too_many_hits_the_best_ranked_stand() -> None:
    (group,) = judge(CASE, "update", "update", "update", most=3).groups

    assert group.members == ("f1", "c1", "c2")


def test_of_two_facts_the_newer_asks() -> None:
    twins = candidacy([fact("Moved", said_at=at(1)), fact("Lives in Ghent")])

    (prompt,) = PairJudge().ask(twins)

    assert (prompt.document["fact"]["text"], prompt.document["candidate"]["text"]) == (
        "Moved",
        "Lives in Ghent",
    )


def test_nobody_asks_about_a_request_to_forget() -> None:
    wishes = [fact(f"Forget it {n}", kind="forget", said_at=at(-n)) for n in (1, 2)]

    (prompt,) = PairJudge().ask(candidacy([fact("Moved", said_at=at(-3)), *wishes][:2]))

    assert (prompt.document["fact"]["kind"], prompt.document["candidate"]["text"]) == (
        "forget",
        "Moved",
    )
    assert PairJudge().ask(candidacy(wishes)) == []
    assert PairJudge().ask(candidacy([fact("Moved"), wishes[0]])) == []


@pytest.mark.parametrize(
    "spelling, meant",
    [(" Same ", "same"), ('"update"', "update"), ("unrelated", "separate"), (None, "separate")],
)
def test_a_verdict_is_read_in_every_certain_spelling(spelling: Any, meant: str) -> None:
    assert PairReply(why="", relation=spelling).relation == meant


@pytest.mark.parametrize("reply", [{}, {"why": "same"}, {"relation": "merge"}, {"relation": []}])
def test_what_is_no_verdict_is_asked_again(reply: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        PairReply.model_validate(reply)


@pytest.mark.parametrize("kind, verdict", [("fact", "forget"), ("forget", "update")])
def test_only_a_request_to_forget_forgets_and_it_does_nothing_else(kind: str, verdict: str) -> None:
    case = candidacy([fact("x", kind=kind)], [record("a"), record("b")])

    with pytest.raises(BadReply) as caught:
        judge(case, "separate", verdict)

    assert caught.value.at == 1
