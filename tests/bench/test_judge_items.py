"""What the bench of judging asks is well-formed, says what it means, and is there in each kind and language."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from bench.judge.command import own_items
from bench.judge.items import BadItems, Item, read_items
from bench.judge.pairs import read_pairs
from bench.judge.rules import RULES

LANGUAGES = {"en", "de", "es", "ja", "zh", "ar", "hi", "ru", "ko", "tr"}
AT = "2026-01-01T00:00:00Z"
LATER = "2026-02-01T00:00:00Z"
ITEMS = own_items()


def item(**fields: Any) -> dict[str, Any]:
    given = {
        "id": "one",
        "kind": "changed value",
        "language": "en",
        "facts": [{"text": "Lives in Tartu", "said_at": LATER}],
        "known": [{"text": "Lives in Aveiro", "said_at": AT}],
        "groups": [{"members": ["f1", "c1"], "relation": "contradict"}],
    }
    return given | fields


def test_there_are_some_hundred_items_of_our_own_each_once() -> None:
    assert len(ITEMS) >= 200
    assert max(Counter(one.id for one in ITEMS).values()) == 1


def test_every_rule_makes_items_in_every_language() -> None:
    made = {(one.kind, one.language) for one in ITEMS}

    assert made >= {(rule.kind, language) for rule in RULES for language in LANGUAGES}


def test_every_relation_is_asked_for_in_every_language() -> None:
    asked = {(group.relation, one.language) for one in ITEMS for group in one.groups}

    assert asked >= {
        (relation, language)
        for relation in ("same", "update", "contradict", "forget")
        for language in LANGUAGES
    }
    assert {one.language for one in ITEMS if not one.groups} >= LANGUAGES


def test_the_newest_of_a_group_was_not_said_before_all_that_it_overturns_but_where_it_is_late() -> (
    None
):
    for one in ITEMS:
        said = one.said
        for group in one.groups:
            facts = [said[label].said_at for label in group.members if label[0] == "f"]
            known = [said[label].said_at for label in group.members if label[0] == "c"]
            assert (one.kind == "late") == any(at > max(facts) for at in known), one.id


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"groups": [{"members": ["f1", "c2"], "relation": "same"}]}, "there is no c2"),
        (
            {
                "groups": [
                    {"members": ["f1", "c1"], "relation": "same"},
                    {"members": ["c1", "f1"], "relation": "update"},
                ]
            },
            "f1 is in 2 groups",
        ),
        ({"groups": [{"members": ["f1", "c1"], "relation": "forget"}]}, "of another kind"),
        (
            {
                "known": [{"text": text, "said_at": AT} for text in ("a", "b")],
                "groups": [{"members": ["c1", "c2"], "relation": "same"}],
            },
            "has no fact",
        ),
        (
            {"groups": [{"members": ["f1", "c1"], "relation": "contradict", "only_adds": True}]},
            "only adds",
        ),
        ({"says": [["oslo"]]}, "nobody says oslo"),
        ({"never": [["aveiro", "!lives"]]}, "nobody could be heard to say"),
        ({"groups": [{"members": ["f1", "c1"], "relation": "like"}]}, "relation"),
        ({"facts": []}, "facts"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_an_item_that_contradicts_itself_is_refused(wrong: dict[str, Any], told: str) -> None:
    Item.model_validate(item())

    with pytest.raises(ValidationError, match=told):
        Item.model_validate(item(**wrong))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{}\n", "line 1: id"),
        ("\nnot json\n", "line 2: not JSON"),
        ("[]\n", "line 1: not an object"),
        (json.dumps(item(says=[["oslo"]])), "nobody says oslo"),
    ],
)
def test_a_line_that_is_no_item_is_named(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "items.jsonl"
    file.write_text(text)

    with pytest.raises(BadItems, match=told):
        read_items(file)


def test_a_labelled_pair_is_an_item_of_the_newer_and_the_older(tmp_path: Path) -> None:
    pair = {
        "id": "p1",
        "source": "elsewhere",
        "older": "Lives in Aveiro",
        "newer": "Lives in Tartu",
        "older_at": "2026-01-01",
        "newer_at": "2026-02-01T10:00:00Z",
        "label": "update",
        "note": "ignored",
    }
    (tmp_path / "a.jsonl").write_text(
        json.dumps(pair) + "\n" + json.dumps(pair | {"id": "p2", "label": "separate"})
    )
    (tmp_path / "README.md").write_text("not read")

    update, separate = read_pairs([tmp_path], "en")

    assert (update.kind, update.facts[0].text, update.known[0].text) == (
        "elsewhere",
        "Lives in Tartu",
        "Lives in Aveiro",
    )
    assert update.known[0].said_at.tzinfo is not None
    assert (update.groups[0].relation, update.groups[0].members) == ("update", ("f1", "c1"))
    assert separate.groups == ()


def test_a_folder_without_pairs_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadItems, match=r"no \.jsonl files"):
        read_pairs([tmp_path], "en")
