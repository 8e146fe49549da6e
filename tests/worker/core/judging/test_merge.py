"""Words for groups whose judge brought none."""

from typing import Any

import pytest

from tests.build import candidacy, fact, record
from worker.core.groups.judgment import Candidacy, Group
from worker.core.judging.merge import MergeReply, Merging, Unwritten, lacks_words
from worker.core.step import BadReply

MOVED = candidacy(
    [fact("Has a cat"), fact("Lives in Austin")],
    [record("Has a dog"), record("Has lived in Seattle for over three years")],
)


def group(*members: str, relation: Any = "contradict", **fields: Any) -> Group:
    return Group(
        **{"why": "w", "members": members, "relation": relation, "written": False, **fields}
    )


def merge(case: Candidacy, one: Group, **reply: Any) -> Group:
    return Merging().read(Unwritten.of(case, one), [MergeReply.model_validate(reply)])


def test_the_document_has_the_texts_newest_first() -> None:
    (prompt,) = Merging().ask(Unwritten.of(MOVED, group("c2", "f2")))

    assert prompt.job == "merge"
    assert prompt.document["relation"] == "contradict"
    assert [one["text"] for one in prompt.document["texts"]] == [
        "Lives in Austin",
        "Has lived in Seattle for over three years",
    ]
    assert prompt.document["newest"] == prompt.document["texts"][0]["id"]


def test_words_that_keep_every_detail_stand_under_the_labels_of_the_whole() -> None:
    text = "Lives in Austin, after over three years in Seattle"

    found = merge(MOVED, group("f2", "c2"), text=text, drops=["Has lived"])

    assert found == group("f2", "c2", text=text, drops=("Has lived",), written=True)


@pytest.mark.parametrize(
    "reply",
    [
        {"text": "Lives in Austin"},
        {"text": None},
        {"text": "Lives in Austin, after 4 years in Seattle", "drops": ["over three years"]},
        {"text": "Lives in Austin since over three years in Seattle", "drops": ["Lived in Rome"]},
    ],
)
def test_words_that_lose_or_invent_something_are_asked_for_again(reply: dict[str, Any]) -> None:
    with pytest.raises(BadReply):
        merge(MOVED, group("f2", "c2"), **reply)


@pytest.mark.parametrize(
    "of, resolver, lacks",
    [
        (group("f2", "c2"), "rewrite", True),
        (group("f2", "c2"), "replace", False),
        (group("f2", "c2"), "keep", False),
        (group("f2", "c2", written=True), "rewrite", False),
        (group("f2", "c2", relation="same"), "rewrite", True),
        (group("f2", "c2", relation="same"), "replace", False),
    ],
)
def test_a_model_is_asked_only_where_the_newest_words_would_cost_a_detail(
    of: Group, resolver: Any, lacks: bool
) -> None:
    assert lacks_words(MOVED, of, resolver) is lacks


def test_where_the_newest_words_say_it_all_nobody_is_asked() -> None:
    richer = candidacy([fact("Has a brown dog called Rex")], [record("Has a dog")])

    assert not lacks_words(richer, group("f1", "c1", relation="update"), "rewrite")


def test_the_document_says_which_text_is_the_request_and_whom_and_when_each_is_about() -> None:
    case = candidacy(
        [fact("Forget Mia's illness", kind="forget", subject="Ann")],
        [record("Mia fell ill in spring", subject="Mia", happened_at="2026-04")],
    )

    (prompt,) = Merging().ask(Unwritten.of(case, group("f1", "c1", relation="forget")))

    told = [(t["kind"], t["subject"], t["happened_at"]) for t in prompt.document["texts"]]
    assert told == [("forget", "Ann", None), ("fact", "Mia", "2026-04")]


@pytest.mark.parametrize("resolver", ["keep", "replace", "rewrite"])
def test_what_remains_after_a_request_to_forget_is_always_asked_for(resolver: Any) -> None:
    case = candidacy([fact("Forget my dog", kind="forget")], [record("Has a dog and a cat")])

    assert lacks_words(case, group("f1", "c1", relation="forget"), resolver)
