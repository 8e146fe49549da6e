"""How a batch is put to a judge under each detector, and what becomes of calls that fail."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.build import candidacy, fact, record
from worker.adapters.model import Completion, Message, Model, Tally
from worker.core.groups.judgment import Candidacy, Groups
from worker.core.groups.setting import DetectorName, Resolver
from worker.core.judging.detectors import DETECTORS, judging
from worker.core.judging.gathering import FAILED
from worker.core.judging.pieces import CallSize
from worker.core.step import Prompt, UnreadableReply
from worker.errors import Unprocessable
from worker.judging import judged

Answer = Callable[[str, dict[str, Any]], Any]

CASE = candidacy(
    [fact("Cycles to work"), fact("Sold the Saab"), fact("Keeps bees")],
    [record("Drives to work"), record("Owns a Saab"), record("Plays the viola")],
    {"f1": ("c1", "c2", "f2"), "f2": ("c2", "c1", "f1"), "f3": ("c3",)},
)


@dataclass
class Scripted:
    """A chat that answers from a function of job and document; a string goes out as it is."""

    answer: Answer
    documents: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def complete(self, prompt: Prompt, messages: Sequence[Message]) -> Completion:
        document = json.loads(messages[1]["content"])
        self.documents.append((prompt.job, document))
        said = self.answer(prompt.job, document)
        if isinstance(said, Exception):
            raise said
        return Completion(said if isinstance(said, str) else json.dumps(said))

    def close(self) -> None:
        pass


def put(
    case: Candidacy,
    answer: Answer,
    detector: DetectorName = "batchwise",
    resolver: Resolver = "rewrite",
    size: CallSize | None = None,
) -> tuple[Groups, Counter[str], Scripted]:
    chat, tally = Scripted(answer), Tally()
    model = Model(chat, 4)
    try:
        how = judging(detector, resolver, size or CallSize())
        return judged(model, how, case, tally), Counter(tally.usage().calls), chat
    finally:
        model.close()


def group(*members: str, relation: str = "contradict", **fields: Any) -> dict[str, Any]:
    return {"why": "w", "members": list(members), "relation": relation, "drops": [], **fields}


def nothing(job: str, document: dict[str, Any]) -> dict[str, Any]:
    """Nothing has anything to do with anything."""
    if job == "pair":
        return {"why": "w", "relation": "separate"}
    return {"groups": [], "new": [one["id"] for one in document["facts"]]}


@pytest.mark.parametrize(
    "detector, calls",
    [
        ("add_only", {}),
        ("pointwise", {"pair": 6}),
        ("listwise", {"listwise": 3}),
        ("listwise_multitarget", {"listwise": 3}),
        ("batchwise", {"batchwise": 1}),
    ],
)
def test_each_detector_has_its_price(detector: DetectorName, calls: dict[str, int]) -> None:
    found, spent, _ = put(CASE, nothing, detector)

    assert spent == calls
    assert found == Groups(groups=(), new=("f1", "f2", "f3"))


def test_every_detector_is_a_preset() -> None:
    assert set(DETECTORS) == set(DetectorName.__args__)  # type: ignore[attr-defined] # of a Literal


def test_adding_only_still_judges_what_a_person_asks_to_forget() -> None:
    case = candidacy(
        [fact("Forget the Saab", kind="forget"), fact("Sold it")], [record("Owns a Saab")]
    )

    def forgets(job: str, document: dict[str, Any]) -> dict[str, Any]:
        asked = document["facts"][0]["id"]
        return {"groups": [group(asked, "c1", relation="forget")], "new": []}

    found, spent, _ = put(case, forgets, "add_only")

    assert spent == {"listwise": 1}
    assert [one.members for one in found.groups] == [("f1", "c1")]
    assert found.new == ("f2",)


def test_one_target_asks_for_groups_of_two() -> None:
    (step, more) = (judging(name, "rewrite", CallSize()).step for name in ("listwise", "batchwise"))

    assert [prompt.max_members for prompt in (*step.ask(CASE), *more.ask(CASE))] == [2, 8]


def test_pairs_that_belong_together_get_their_words_in_one_more_call() -> None:
    text = "Sold the Saab and cycles to work"

    def answer(job: str, document: dict[str, Any]) -> dict[str, Any]:
        if job == "merge":
            return {"why": "w", "drops": ["Owns a Saab", "Drives"], "text": text, "after": None}
        bees = "bees" in document["fact"]["text"]
        return {"why": "w", "relation": "separate" if bees else "contradict"}

    found, spent, _ = put(CASE, answer, "pointwise")

    assert spent == {"pair": 6, "merge": 1}
    (joined,) = found.groups
    assert sorted(joined.members) == ["c1", "c2", "f1", "f2"]
    assert joined.text == text
    assert found.new == ("f3",)


@pytest.mark.parametrize("resolver", ["keep", "replace"])
def test_without_rewriting_no_words_are_asked_for(resolver: Resolver) -> None:
    def answer(job: str, document: dict[str, Any]) -> dict[str, Any]:
        return {"why": "w", "relation": "contradict"}

    _, spent, _ = put(CASE, answer, "pointwise", resolver)

    assert spent == {"pair": 6}


def test_a_batch_that_does_not_fit_is_split_and_every_call_counted() -> None:
    found, spent, chat = put(CASE, nothing, size=CallSize(facts=2))

    assert spent == {"batchwise": 2}
    assert [len(document["facts"]) for _, document in chat.documents] == [2, 1]
    assert found.new == ("f1", "f2", "f3")


def test_a_judge_that_gets_lost_in_lists_is_asked_fact_by_fact() -> None:
    def lost_in_lists(job: str, document: dict[str, Any]) -> dict[str, Any]:
        if len(document["facts"]) > 1:
            return {"groups": [group("f1", "c9")], "new": ["f2", "f3"]}
        return nothing(job, document)

    found, spent, _ = put(CASE, lost_in_lists)

    assert spent == {"batchwise": 3 + 3}
    assert found == Groups(groups=(), new=("f1", "f2", "f3"))


def test_one_that_still_fails_is_new_and_flagged_and_the_rest_goes_on() -> None:
    def stubborn(job: str, document: dict[str, Any]) -> dict[str, Any]:
        (asked,) = document["facts"]
        hit = "c9" if "bees" in asked["text"] else asked["candidates"][0]
        return {"groups": [group(asked["id"], hit)], "new": []}

    found, _, _ = put(CASE, stubborn, "listwise", "replace")

    assert found.new == ("f3",)
    assert list(found.flagged) == ["f3"]
    assert found.groups


@pytest.mark.parametrize("fault", ["cut {", Unprocessable("too long")])
def test_what_is_too_much_for_one_call_is_halved(fault: Any) -> None:
    def answer(job: str, document: dict[str, Any]) -> Any:
        return fault if len(document["facts"]) > 1 else nothing(job, document)

    found, _, chat = put(CASE, answer)

    assert found == Groups(groups=(), new=("f1", "f2", "f3"))
    sizes = [len(document["facts"]) for _, document in chat.documents]
    assert (max(sizes), sizes.count(1)) == (3, 3)


def test_a_fact_that_the_endpoint_refuses_is_new_and_flagged() -> None:
    found, _, _ = put(
        CASE, lambda job, document: Unprocessable("at https://me:secret@host: refused")
    )

    assert found.new == ("f1", "f2", "f3")
    assert set(found.flagged.values()) == {f"{FAILED}: the model refuses it"}


def test_one_merge_that_cannot_be_read_costs_its_group_alone() -> None:
    case = candidacy(
        [fact("Lives in Austin"), fact("Drinks tea")],
        [record("Lives in Seattle with Bo"), record("Drinks coffee at Café Alma")],
        {"f1": ("c1",), "f2": ("c2",)},
    )

    def answer(job: str, document: dict[str, Any]) -> Any:
        if job == "pair":
            return {"why": "w", "relation": "contradict"}
        if document["texts"][0]["text"] == "Drinks tea":
            return "what?"
        return {
            "why": "w",
            "drops": ["Lives in Seattle"],
            "text": "Lives in Austin with Bo",
            "after": None,
        }

    found, _, _ = put(case, answer, "pointwise")

    assert [one.text for one in found.groups] == ["Lives in Austin with Bo"]
    assert list(found.flagged) == ["f2"]


def test_a_model_that_never_answers_readably_judges_nothing() -> None:
    chat = Scripted(lambda job, document: "what?")
    model = Model(chat, 2)

    with pytest.raises(UnreadableReply):
        judged(model, judging("batchwise", "rewrite", CallSize()), CASE, Tally())

    model.close()
    assert len(chat.documents) == 3 + 3 * 2


def test_words_that_nobody_finds_merge_nothing() -> None:
    def answer(job: str, document: dict[str, Any]) -> dict[str, Any]:
        if job == "merge":
            return {"why": "w", "drops": [], "text": "Is happy", "after": None}
        return {"why": "w", "relation": "contradict"}

    found, spent, _ = put(CASE, answer, "pointwise")

    assert found.groups == ()
    assert found.new == tuple(sorted(found.flagged)) == ("f1", "f2", "f3")
    assert spent["merge"] == 2 * 3


def test_a_twin_in_another_call_can_be_joined() -> None:
    case = candidacy([fact("Moved to Ghent"), fact("Is in Ghent now")])

    def joins(job: str, document: dict[str, Any]) -> dict[str, Any]:
        (asked,) = document["facts"]
        if others := [one["id"] for one in document["candidates"]]:
            return {"groups": [group(asked["id"], *others, relation="same")], "new": []}
        return {"groups": [], "new": [asked["id"]]}

    found, spent, _ = put(case, joins, "listwise_multitarget")

    assert spent == {"listwise": 1 + 1}
    assert [sorted(one.members) for one in found.groups] == [["f1", "f2"]]
