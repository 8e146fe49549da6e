"""What a judge says is compared with what is right, and with what is done about it."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel

from bench.judge import command as judge
from bench.judge.case import Case
from bench.judge.items import Item
from bench.judge.marks import Judged, Result, effect
from bench.judge.sums import Sums
from bench.judge.trial import Cached, Trial
from schemas.base import Vector
from tests.endpoint import endpoint
from worker.adapters.model import Model
from worker.core.finding.candidates import Reach
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.groups.setting import Policy
from worker.core.judging.detectors import Judging
from worker.core.step import Prompt

CHANGED = Item.model_validate(
    {
        "id": "moved",
        "kind": "changed value",
        "language": "en",
        "facts": [
            {"text": "User lives in Tartu", "said_at": "2026-02-01T00:00:00Z"},
            {"text": "User keeps bees", "said_at": "2026-02-01T00:00:00Z"},
        ],
        "known": [
            {"text": "User lives in Aveiro", "said_at": "2026-01-01T00:00:00Z"},
            {"text": "User plays the harp", "said_at": "2026-01-01T00:00:00Z"},
        ],
        "groups": [{"members": ["f1", "c1"], "relation": "contradict"}],
        "says": [["tartu"], ["bees"], ["harp"]],
        "never": [["aveiro"]],
    }
)


class Alike:
    """All texts are near each other, so that everything is offered."""

    fingerprint, dimensions, floor, same = "alike", 2, 0.5, 0.9

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        one = np.array([1, 0], dtype="<f4").tobytes()
        return [one for _ in texts]


@dataclass(frozen=True)
class Judge:
    """A step that asks nobody: it says what it is given, in the labels of an item."""

    case: Case
    groups: Sequence[Group]

    def ask(self, item: Candidacy) -> Sequence[Prompt]:
        return ()

    def read(self, item: Candidacy, replies: Sequence[BaseModel]) -> Groups:
        labels = {self.case.labels[item.fact(one).turn_ids[0]]: one for one in item.fact_labels}
        labels |= {
            self.case.labels[item.candidate(one).memory.id]: one for one in item.memory_labels
        }
        groups = tuple(
            group.model_copy(update={"members": tuple(labels[one] for one in group.members)})
            for group in self.groups
            if all(one in labels for one in group.members)
        )
        grouped = {one for group in groups for one in group.members}
        return Groups(
            groups=groups, new=tuple(one for one in item.fact_labels if one not in grouped)
        )


def tried(item: Item, *groups: Group) -> Result:
    judging = Judging(Judge(Case(item), groups))
    embedder = Cached(Alike(), {})
    return Trial(Model(), judging, embedder, Reach(0.5, top_k=20), Policy()).run(item)


def group(relation: str, *members: str, **fields: Any) -> Group:
    return Group.model_validate({"why": "", "members": members, "relation": relation, **fields})


def wrongs(item: Item, *groups: Group) -> dict[str, int]:
    return dict(tried(item, *groups).effects)


@pytest.mark.parametrize(
    ("right", "got", "name"),
    [
        ("new", "new", None),
        ("new", "same", "swallowed"),
        ("new", "update", "destroyed"),
        ("new", "contradict", "destroyed"),
        ("new", "forget", "destroyed"),
        ("same", "same", None),
        ("same", "new", "repeated"),
        ("same", "update", "rewritten"),
        ("same", "forget", "destroyed"),
        ("update", "contradict", None),
        ("contradict", "update", None),
        ("update", "new", "stale"),
        ("contradict", "new", "stale"),
        ("contradict", "same", "swallowed"),
        ("contradict", "forget", "destroyed"),
        ("forget", "forget", None),
        ("forget", "new", "kept"),
        ("forget", "contradict", "kept"),
        ("forget", "waits", "waits"),
        ("contradict", "waits", "waits"),
    ],
)
def test_a_wrong_relation_is_called_by_what_it_does(right: str, got: str, name: str | None) -> None:
    assert effect(right, got) == name


def test_an_update_that_only_adds_leaves_nothing_stale_when_it_is_missed() -> None:
    assert effect("update", "new", only_adds=True) == "repeated"
    assert effect("update", "same", only_adds=True) == "swallowed"


def test_a_right_verdict_does_no_harm() -> None:
    found = tried(CHANGED, group("contradict", "f1", "c1"))

    assert (found.is_right, found.words, len(found.live)) == (True, (), 3)


@pytest.mark.parametrize(
    ("groups", "wrong"),
    [
        ([], {"stale": 1}),
        ([group("contradict", "f1", "c2")], {"stale": 1, "destroyed": 1}),
        ([group("contradict", "f1", "c1"), group("update", "f2", "c2")], {"destroyed": 1}),
    ],
)
def test_harm_is_counted_by_what_the_plan_does(groups: list[Group], wrong: dict[str, int]) -> None:
    assert wrongs(CHANGED, *groups) == wrong


def test_what_the_guard_keeps_from_the_store_counts_as_caught() -> None:
    found = tried(CHANGED, group("contradict", "f1", "c1"), group("same", "f2", "c2"))
    sums = Sums([found])

    assert found.is_right
    assert (sums.caught(), sums.exact) == ({"swallowed": 1}, len(found.pairs) - 1)
    assert sums.confusion("said")["new"]["same"] == 1
    assert sums.confusion("stored")["new"]["same"] == 0


def test_a_right_verdict_that_is_not_carried_out_counts_as_spoilt() -> None:
    pair = Judged(
        ("f1", "c1"), right="contradict", said="contradict", stored="new", is_offered=True
    )
    waiting = Judged(("f1", "c2"), right="update", said="update", stored="waits", is_offered=True)

    sums = Sums([Result("one", "k", "en", (pair, waiting))])

    assert (sums.spoilt(), sums.caught()) == ({"stale": 1, "waits": 1}, {})


def test_what_is_called_the_same_and_stands_in_full_is_not_swallowed() -> None:
    pair = Judged(("f1", "c1"), right="update", said="same", stored="same", is_offered=True)

    stands = Result("one", "k", "en", (pair,), is_spelled_out=True)
    lost = Result("two", "k", "en", (pair,), is_spelled_out=True, words=("nothing says it",))
    unknown = Result("three", "k", "en", (pair,))

    assert [dict(one.effects) for one in (stands, lost, unknown)] == [
        {"rewritten": 1},
        {"swallowed": 1},
        {"swallowed": 1},
    ]


def test_a_judge_that_never_errs_does_no_harm_on_any_item() -> None:
    """Else an item would ask for what no judge can reach."""
    tries = {one.id: tried(one, *_right(one)) for one in judge.own_items()}

    assert {id: dict(one.harms) for id, one in tries.items() if one.harms} == {}
    assert [id for id, one in tries.items() if Sums([one]).exact < len(one.pairs)] == []


def _right(item: Item) -> list[Group]:
    return [
        group(one.relation, *one.members, drops=_overturned(item, one.members, one.relation))
        for one in item.groups
    ]


def _overturned(item: Item, members: Sequence[str], relation: str) -> tuple[str, ...]:
    said = sorted((item.said[one] for one in members), key=lambda one: one.said_at)
    return () if relation == "same" else tuple(one.text for one in said[:-1])


Answer = Callable[[str, dict[str, Any]], Any]


def nothing_in_common(job: str, document: dict[str, Any]) -> Any:
    if job == "pair":
        return {"why": "", "relation": "separate"}
    return {"groups": [], "new": [one["id"] for one in document["facts"]]}


def all_the_same(job: str, document: dict[str, Any]) -> Any:
    if job == "pair":
        return {"why": "", "relation": "same"}
    if job == "merge":
        return {"why": "", "drops": [], "text": None, "after": None}
    fact = document["facts"][0]
    members = [fact["id"], *fact["candidates"][:1]]
    rest = [one["id"] for one in document["facts"][1:]]
    return {"groups": [{"why": "", "members": members, "relation": "same"}], "new": rest}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs the bench with a model that answers so; exit code, and what was printed."""
    for name in [one for one in os.environ if one.startswith("SLOWWAVE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SLOWWAVE_EMBEDDER", "hash")

    def run(answer: Answer, *arguments: str) -> tuple[int, str]:
        with endpoint(answer) as server:
            monkeypatch.setenv("SLOWWAVE_MODEL", "scripted")
            monkeypatch.setenv("SLOWWAVE_MODEL_URL", server.url)
            code = judge.main(arguments)
        return code, capsys.readouterr().out

    return run


def test_detectors_stand_side_by_side_with_what_they_cost(asked: Any) -> None:
    arguments = ["--detector", "batchwise", "--detector", "pointwise", "--kinds", "changed value"]

    code, out = asked(nothing_in_common, *arguments, "--languages", "en", "--json")

    by_name = json.loads(out)["detectors"]
    batchwise, pointwise = by_name["batchwise"], by_name["pointwise"]
    assert (code, list(by_name)) == (0, ["batchwise", "pointwise"])
    assert batchwise["items"][0]["kind"] == "changed value"
    assert batchwise["stale"] == pointwise["stale"] == len(batchwise["items"])
    assert batchwise["calls"] < pointwise["calls"]
    assert batchwise["said"]["contradict"]["new"] == batchwise["stale"]


@pytest.mark.parametrize("detector", ["batchwise", "listwise"])
def test_the_first_word_of_a_judge_counts_also_where_it_is_refused(
    asked: Any, detector: str
) -> None:
    heard: list[dict[str, Any]] = []

    def refused_at_first(job: str, document: dict[str, Any]) -> Any:
        if document in heard:
            return nothing_in_common(job, document)
        heard.append(document)
        (group,) = all_the_same(job, document)["groups"]
        return {"groups": [group | {"text": "What nobody said, 31337 times"}], "new": []}

    code, out = asked(
        refused_at_first, "--detector", detector, "--kinds", "look-alike", "--limit", "3", "--json"
    )

    found = json.loads(out)["detectors"][detector]
    assert (code, found["right"], found["refused"]) == (0, 3, 3)
    assert found["said"]["new"]["same"] == found["caught"]["swallowed"] == 3


@pytest.mark.parametrize("detector", ["batchwise", "listwise", "pointwise"])
def test_what_is_wrongly_called_the_same_is_kept_from_the_store(asked: Any, detector: str) -> None:
    code, out = asked(
        all_the_same, "--detector", detector, "--kinds", "look-alike", "--limit", "3", "--json"
    )

    found = json.loads(out)["detectors"][detector]
    assert (code, found["swallowed"]) == (0, 0)
    assert found["said"]["new"]["same"] == found["caught"]["swallowed"] >= 3


def test_a_model_that_answers_nothing_of_use_leaves_its_items_waiting(asked: Any) -> None:
    code, out = asked(lambda job, document: "I would rather not.", "--limit", "2", "--json")

    found = json.loads(out)["detectors"]["batchwise"]
    assert (code, found["failed"], found["right"]) == (0, 2, 0)
    assert found["waits"] >= 2


def test_the_tables_name_the_harm_and_the_rules_need_no_model(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SLOWWAVE_MODEL", raising=False)
    monkeypatch.setenv("SLOWWAVE_EMBEDDER", "hash")

    assert judge.main(["--languages", "de", "--kinds", "changed value", "forget"]) == 0

    told = capsys.readouterr()
    assert "rules: items by kind" in told.out
    assert "what holds no longer stands beside what is new" in told.out
    assert "right" in told.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--pairs", "nowhere.jsonl"], "nowhere.jsonl"),
        (["--kinds", "riddle"], "there is no kind riddle"),
        (["--languages", "xx"], "there is no language xx"),
        (["--only-pairs"], "no items are left"),
    ],
)
def test_without_items_it_says_why(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert judge.main(arguments) == 2

    assert told in capsys.readouterr().err


def test_a_model_that_cannot_be_reached_is_no_result(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SLOWWAVE_EMBEDDER", "hash")
    monkeypatch.setenv("SLOWWAVE_MODEL", "absent")
    monkeypatch.setenv("SLOWWAVE_MODEL_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("SLOWWAVE_MODEL_PATIENCE_SECONDS", "0")

    assert judge.main(["--kinds", "changed value", "--languages", "en"]) == 1

    assert "cannot be reached" in capsys.readouterr().err


SPORT = Item.model_validate(
    {
        "id": "sport",
        "kind": "changed value",
        "language": "en",
        "facts": [{"text": "FC Oak plays basketball", "said_at": "2026-02-01T00:00:00Z"}],
        "known": [{"text": "FC Oak plays football", "said_at": "2026-01-01T00:00:00Z"}],
        "groups": [{"members": ["f1", "c1"], "relation": "update"}],
    }
)


def test_what_gave_way_to_other_words_was_replaced_also_where_it_was_called_the_same() -> None:
    found = tried(SPORT, group("same", "f1", "c1"))

    assert found.live == ("FC Oak plays basketball",)
    assert found.effects == {}
    assert [(pair.said, pair.stored) for pair in found.pairs] == [("same", "update")]
