"""Judgment by a model: the document, the reply in many spellings, and what is refused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.memory import Fact
from tests.build import at, candidacy, fact, memory, record
from worker.core.groups.judgment import Candidacy, Groups
from worker.core.judging.judge import ListJudge
from worker.core.judging.judge_reply import JudgeReply
from worker.core.step import BadReply

OPERA = candidacy(
    [fact("Loves opera now"), fact("Has a dog", until=at(3))],
    [record("Dislikes opera", happened_at="2019"), record("Subscribes to a printed newspaper")],
    {"f1": ("c1", "c2", "f2"), "f2": ("f1",)},
)


def read(case: Candidacy, reply: Any, most: int = 8) -> Groups:
    return ListJudge(most).read(case, [JudgeReply.model_validate(reply)])


def reply(*members: Any, **fields: Any) -> dict[str, Any]:
    group = {"why": "w", "members": list(members), "relation": "contradict", "drops": []}
    return {"groups": [{**group, "text": None, "after": None, **fields}], "new": ["f2"]}


def test_the_document_offers_to_each_fact_its_own_candidates() -> None:
    (prompt,) = ListJudge(5).ask(OPERA)

    assert (prompt.job, prompt.max_members) == ("batchwise", 5)
    assert prompt.document["facts"][1] == {
        "id": "f2",
        "text": "Has a dog",
        "kind": "fact",
        "subject": "user",
        "said_at": "2026-06-01T12:00:00+00:00",
        "happened_at": None,
        "until": "2026-06-04T12:00:00+00:00",
        "candidates": ["f1"],
    }
    assert prompt.document["candidates"][0] == {
        "id": "c1",
        "text": "Dislikes opera",
        "subject": "user",
        "said_at": "2026-05-02T12:00:00+00:00",
        "happened_at": "2019",
        "until": None,
        "after": None,
    }


def test_a_memory_is_shown_as_it_stands_when_it_is_asked_about() -> None:
    lapsed = memory("Drinks Americano", until=at(-1), after="Drinks pour-over")
    case = candidacy([fact("Drinks tea")], [record("x").model_copy(update={"memory": lapsed})])

    (prompt,) = ListJudge().ask(Candidacy(**{**vars(case), "asked_at": at(0)}))

    assert prompt.document["candidates"][0]["text"] == "Drinks pour-over"


def test_nothing_to_judge_asks_nothing() -> None:
    nothing = candidacy([])

    assert ListJudge().ask(nothing) == []
    assert ListJudge().read(nothing, []) == Groups(groups=(), new=())


@pytest.mark.parametrize(
    "members",
    [
        ["f1", "c1"],
        ["F1", " c1 "],
        ["#f1", "[c1]"],
        ["f1", "1"],
        ["f1", 1],
        ["f1", "#1"],
        ["f1", "[1]"],
        ["f1", " 1 "],
        ["f1", "c1", "c1"],
    ],
)
def test_a_label_is_read_in_every_certain_spelling(members: list[Any]) -> None:
    (group,) = read(OPERA, reply(*members)).groups

    assert group.members == ("f1", "c1")


@pytest.mark.parametrize("members", [["f1", "9"], ["f1", "c"], ["1", "2"], ["f1", "eins"]])
def test_a_label_that_is_not_certain_is_asked_about(members: list[str]) -> None:
    with pytest.raises(BadReply):
        read(OPERA, reply(*members))


@pytest.mark.parametrize(
    "fields, part",
    [
        ({"relation": "replace"}, "no relation"),
        ({"relation": "update", "text": "Dislikes opera"}, "what is new"),
        ({"drops": ["tosca"]}, "no literal piece"),
    ],
)
def test_a_verdict_that_makes_no_sense_is_not_obeyed(fields: dict[str, Any], part: str) -> None:
    with pytest.raises(BadReply) as caught:
        read(OPERA, reply("f1", "c1", **fields))

    assert part in caught.value.told


@pytest.mark.parametrize(
    "given",
    [
        {"groups": None, "new": []},
        {"new": ["f1", "f2"]},
        {"verdicts": []},
        ["f1"],
        "same",
        {"groups": [{"why": "", "relation": "same"}], "new": []},
    ],
)
def test_an_unreadable_reply_is_never_nothing_in_common(given: Any) -> None:
    with pytest.raises(ValidationError):
        JudgeReply.model_validate(given)


def test_a_fact_alone_in_a_group_is_new() -> None:
    found = read(OPERA, {**reply("f1", relation="new"), "new": ["f2", "c2"]})

    assert found == Groups(groups=(), new=("f1", "f2"))


def test_null_and_single_texts_stand_for_lists() -> None:
    (group,) = read(OPERA, reply("f1", "c1", drops="Dislikes opera", text="null")).groups

    assert group.drops == ("Dislikes opera",)
    assert group.text is None


def test_what_would_not_be_written_is_not_kept() -> None:
    case = candidacy([fact("Loves the opera")], [record("Loves opera")])
    again = {**reply("f1", "c1", relation="same", text="Loves an opera"), "new": []}
    (same,) = read(case, again).groups
    (own,) = read(OPERA, reply("f1", "c1", text="Loves opera now", after="Hates opera")).groups

    assert (same.text, own.text, own.after) == (None, None, None)


def test_what_stands_again_belongs_to_what_has_an_end() -> None:
    case = candidacy([fact("Drinks an Americano", until=at(14))], [record("Drinks pour-over")])
    given = reply("f1", "c1", relation="update", after="Drinks pour-over again")

    (group,) = read(case, {**given, "new": []}).groups

    assert group.after == "Drinks pour-over again"


# -- whatever comes

TEXTS = ["Has two cats", "Has no cats", "Has a dog until 1 May", "猫を二匹飼う", "Works for Rosa"]
labels = st.sampled_from(["f1", "f2", "f3", "c1", "c2", "c3", "1", "#2", "F1", "c9", "x", ""])
strange = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=4,
)
words = st.sampled_from([*TEXTS, "two cats", "a", ""]) | st.text(max_size=20)
groups = st.fixed_dictionaries(
    {
        "members": st.lists(labels, max_size=5) | strange,
        "relation": st.sampled_from(["same", "update", "contradict", "forget", "Same"]) | strange,
    },
    optional={
        "why": strange,
        "drops": st.lists(words, max_size=2) | strange,
        "text": st.none() | words | strange,
        "after": st.none() | words,
    },
)
replies = strange | st.fixed_dictionaries(
    {"groups": st.lists(groups, max_size=3), "new": st.lists(labels, max_size=4)}
)
facts = st.lists(
    st.builds(
        lambda text, days, kind, until: fact(
            text, said_at=at(days), kind=kind, until=at(30) if until else None
        ),
        st.sampled_from(TEXTS),
        st.integers(-60, 5),
        st.sampled_from(["fact", "fact", "forget"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=3,
)
cases = st.builds(candidacy, facts, st.lists(st.sampled_from(TEXTS).map(record), max_size=3))


@given(cases, replies)
def test_any_reply_is_groups_that_keep_the_rules_or_a_bad_reply(
    case: Candidacy, given: Any
) -> None:
    try:
        found = read(case, given, most=3)
    except (ValidationError, BadReply):
        return

    named = [one for group in found.groups for one in group.members]
    assert sorted(one for one in [*named, *found.new] if one[0] == "f") == sorted(
        f"f{n + 1}" for n in range(len(case.facts))
    )
    assert len(set(named)) == len(named)
    for group in found.groups:
        members = {one: case.shown(one) for one in group.members}
        newest = max(one.said_at for one in members.values())
        asking = [one for one in members.values() if isinstance(one, Fact) and one.kind == "forget"]
        assert 1 < len(members) <= 3
        assert any(one[0] == "f" for one in members)
        assert bool(asking) == (group.relation == "forget")
        if group.relation == "same":
            assert group.drops == ()
        elif newest == max(one.said_at for label, one in members.items() if label[0] == "f"):
            older = " | ".join(one.text for one in members.values()).casefold()
            assert all(drop.strip(" .,;:!").casefold() in older for drop in group.drops)


def test_a_single_fact_of_which_nothing_is_said_is_new() -> None:
    one = candidacy([fact("Loves opera now")], [record("Dislikes opera")])

    assert read(one, {"groups": [], "new": []}) == Groups(groups=(), new=("f1",))
    with pytest.raises(BadReply, match="rules of groups broken"):
        read(OPERA, {"groups": [], "new": []})
