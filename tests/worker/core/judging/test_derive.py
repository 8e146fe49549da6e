"""What a model derives, held to what was said."""

from typing import Any

import pytest
from pydantic import ValidationError

from tests.build import at, memory
from worker.core.judging.derive import (
    Deriving,
    Insight,
    InsightsReply,
    Material,
    is_sound,
)

BUS = memory("Mia takes the number 7 bus to the pool", subject="Mia", said_at=at(-9))
BIKE = memory("Mia rides her bicycle to the office", subject="Mia")
WALK = memory("Mia walks to the market", subject="Mia")
ITEM = Material((BUS, BIKE, WALK), ("Mia owns no car",))
TEXT = "Mia gets around cheaply"


def read(*given: dict[str, Any], item: Material = ITEM) -> list[Insight]:
    reply = {
        "insights": [{"why": "w", "text": TEXT, "evidence": ["m1", "m2"]} | one for one in given]
    }
    return list(Deriving().read(item, [InsightsReply.model_validate(reply)]))


def test_it_is_shown_only_what_the_job_needs() -> None:
    (prompt,) = Deriving().ask(Material((BUS,), ("Mia owns no car",)))

    assert prompt.job == "insights"
    assert prompt.document == {
        "memories": [
            {"id": "m1", "text": BUS.text, "subject": "Mia"}
            | {"said_at": "2026-05-23T12:00:00+00:00"}
        ],
        "known": ["Mia owns no car"],
    }


def test_an_insight_names_what_it_follows_from() -> None:
    assert read({"evidence": ["m3", "m1", "m3"]}) == [Insight(TEXT, "w", (BUS, WALK))]
    assert read({}) == [Insight(TEXT, "w", (BUS, BIKE))]


@pytest.mark.parametrize(
    "evidence",
    [["m1"], ["m1", "m1"], [], ["m1", "m4"], ["m1", "m0"], ["m1", "m2", "c1"], None],
    ids=["one", "one twice", "none", "unknown", "zero", "of another kind", "null"],
)
def test_without_two_known_pieces_of_evidence_it_is_none(evidence: Any) -> None:
    assert read({"evidence": evidence}) == []


def test_bare_numbers_are_labels_and_the_rest_of_a_reply_stands() -> None:
    found = read(
        {"evidence": [9, 1]}, {"evidence": [1, 2]}, {"text": "Mia swims", "evidence": "m1"}
    )

    assert [one.evidence for one in found] == [(BUS, BIKE)]


def test_the_same_is_derived_once_in_a_reply() -> None:
    again = {"text": "Cheaply Mia gets around.", "evidence": ["m2", "m3"]}

    assert [one.text for one in read({}, again)] == [TEXT]


def test_a_reply_without_the_list_is_refused() -> None:
    with pytest.raises(ValidationError, match="insights"):
        InsightsReply.model_validate({"text": TEXT})


@pytest.mark.parametrize(
    ("text", "sound"),
    [
        (TEXT, True),
        ("Mia takes the 7 bus wherever she likes to be on time", True),
        ("Mia gets around cheaply on 3 days", False),
        ("Mia gets around with Ben", False),
        ("Mia gets around since March 2019", False),
        ('Mia says "no petrol" and gets around', False),
        ("Mia gets around as LX-40 says", False),
        ("Mia does not drive", False),
        ("Mia does not walk to the market", False),
        ("Mia walks", False),
        ("mia WALKS to the market!", False),
        ("Mia takes the bus to the pool", False),
        ("Mia owns no car", False),
        ("Mia", False),
        ("...", False),
        ("", False),
        (f"Mia gets around {'on foot ' * 300}", False),
    ],
)
def test_it_adds_no_detail_and_says_more_than_any_piece(text: str, sound: bool) -> None:
    assert is_sound(text, (BUS, BIKE, WALK), ITEM.known) is sound


def test_a_piece_without_its_subject_is_no_less_a_piece() -> None:
    pieces = [memory(text, subject="Mia") for text in ("Walks to the market", "Rides to the pool")]

    assert not is_sound("Mia walks to the market", pieces)
    assert is_sound("Mia walks and rides", pieces)


def test_it_does_not_spread_a_negation_to_what_was_plainly_said() -> None:
    pieces = [memory("Mia eats fish"), memory("Mia eats no meat and no other fish")]

    assert not is_sound("Mia eats no fish and no meat at all", pieces)


@pytest.mark.parametrize(
    ("evidence", "text", "sound"),
    [
        (("アヤは毎朝走る", "アヤは夜に泳ぐ"), "アヤは運動が好きだ", True),
        (("アヤは毎朝走る", "アヤは夜に泳ぐ"), "アヤは毎朝走る。", False),
        (("Ольга бегает по утрам", "Ольга плавает вечером"), "Ольга любит спорт", True),
        (("Ольга бегает по утрам", "Ольга плавает вечером"), "Ольга плавает", False),
        (("Ida läuft morgens", "Ida schwimmt abends"), "Ida bewegt sich gern mit Jonas", False),
    ],
)
def test_so_in_other_languages(evidence: tuple[str, ...], text: str, sound: bool) -> None:
    names = {"ア": "アヤ", "О": "Ольга", "I": "Ida"}
    pieces = [memory(one, subject=names[one[0]]) for one in evidence]

    assert is_sound(text, pieces) is sound
