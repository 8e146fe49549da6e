"""Streams of which the truth is known: our own, and those of two data sets."""

import json
import os
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bench.quality import amb as quality_amb
from bench.quality import factcons as quality_factcons
from bench.quality.held import Held, Kept
from bench.quality.making import sayings, stream, streams
from bench.quality.marks import marked
from bench.quality.sets import PEOPLE, SEEDS
from bench.quality.stream import Question, Said, Slot, Stream, Thing
from bench.quality.words import statement, tells


def said_by_persons(one: Stream) -> list[str]:
    return [
        statement(said.speaker, said.text)
        for session in one.sessions
        for said in session
        if said.role == "user"
    ]


def keeping_all(one: Stream) -> Held:
    return Held(tuple(Kept(str(at), text) for at, text in enumerate(said_by_persons(one))))


def test_the_same_seed_makes_the_same_streams_and_another_others() -> None:
    assert streams(1, 4) == streams(1, 4)
    assert streams(1, 4)[0].sessions != streams(2, 4)[0].sessions


def test_every_language_has_its_turn_and_half_are_english() -> None:
    languages = [one.name.split("-")[-1] for one in streams(1, 8)]

    assert languages[::2] == ["en"] * 4
    assert languages[1::2] == [one for one in sayings() if one != "en"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("language", sayings())
def test_every_value_is_said_by_who_has_it(seed: int, language: str) -> None:
    """So that an extraction that finds everything has heard everything."""
    made = stream(seed, 0, language)
    marks = marked(made.truth, keeping_all(made), said_by_persons(made), made.turns)

    assert (marks.slots_heard, marks.things_heard) == (marks.slots, marks.things)
    assert marks.lost == 0
    assert marks.details_lost == 0
    assert marks.leaks == marks.forgotten


@pytest.mark.parametrize("language", sayings())
def test_whoever_keeps_all_has_the_stale_of_every_change(language: str) -> None:
    made = [stream(seed, 0, language) for seed in SEEDS]
    marks = [marked(one.truth, keeping_all(one), said_by_persons(one)) for one in made]

    changed = [sum(bool(slot.earlier) for slot in one.truth.slots) for one in made]
    assert sum(one.slots_right for one in marks) == sum(
        len(one.truth.slots) - many - _said_again(one)
        for one, many in zip(made, changed, strict=True)
    )
    assert all(one.stale >= many for one, many in zip(marks, changed, strict=True))


def _said_again(one: Stream) -> int:
    """Slots without a change that were said more than once: kept twice, they are not right."""
    texts = said_by_persons(one)
    told = [
        sum(tells(text, (*slot.about, slot.current or "")) for text in texts)
        for slot in one.truth.slots
        if not slot.earlier
    ]
    return sum(many > 1 for many in told)


def test_values_of_one_person_are_found_in_no_other_slot() -> None:
    for language, words in sayings().items():
        values = [(slot["name"], value) for slot in words["slots"] for value in slot["values"]]
        for name, value in values:
            others = [other for it, other in values if it != name]
            assert not any(tells(other, (value,)) for other in others), (language, value)


def test_sentences_have_the_places_that_their_use_fills() -> None:
    for words in sayings().values():
        for slot in words["slots"]:
            assert len(slot["say"]) >= 2
            assert len(slot["values"]) >= 3
            assert all(
                "{v}" in text for kind in ("say", "change", "temporary") for text in slot[kind]
            )
            assert all("{end}" in text for text in slot["temporary"])
        assert all("{said}" in text for text in words["forget"])
        assert all("{v}" in text for _, text in words["unsaid"])
        assert all(("{n}" in text) != ("{m}" in text) for text in words["alike"])
        assert len(words["unsaid_words"]) >= len(words["unsaid"])


SCRIPTS = {"en": "a-z", "de": "äöüß", "es": "ñáéíó", "ru": "а-я", "zh": "\u4e00-\u9fff"}


@pytest.mark.parametrize("seed", SEEDS)
def test_every_kind_of_thing_occurs_under_every_seed(seed: int) -> None:
    """What a person can do to a memory: say it again in other words, change it, take it back, say it late."""
    made = streams(seed, PEOPLE)
    slots = [slot for one in made for slot in one.truth.slots]
    truths = [one.truth for one in made]

    assert any(len(slot.earlier) == 1 and not slot.passing for slot in slots), "updates"
    assert any(len(set(slot.earlier)) == 2 for slot in slots), "updates in a row"
    assert any(slot.current in slot.earlier for slot in slots), "what comes back"
    assert any(slot.passing for slot in slots), "what was for a while"
    assert any("Until" in said.text for said in _said(made)), "overlays that say when they end"
    assert any(truth.forgotten for truth in truths), "requests to forget"
    assert any(truth.forbidden for truth in truths), "what is nobody's own word"
    assert any(thing.details for truth in truths for thing in truth.things), "details"
    assert any(_late(one) for one in made), "late turns"
    said = " ".join(one.text.casefold() for one in _said(made))
    assert all(re.search(f"[{letters}]", said) for letters in SCRIPTS.values()), "scripts"


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("language", sayings())
def test_things_that_look_alike_in_a_number_and_in_a_name_are_two(seed: int, language: str) -> None:
    made, alike = stream(seed, 0, language), sayings()[language]["alike"]
    things = [one for one in made.truth.things if any(need[:1] == "~" for need in one.needs)]

    assert {"{n}" in text for text in alike} == {True, False}
    assert len(things) == 2 * len(alike)
    for one, other in pairwise(things[: 2 * len(alike)]):
        assert not tells(one.name, other.needs)
        assert not tells(other.name, one.needs)


def test_names_that_look_alike_are_not_the_same_word() -> None:
    for words in sayings().values():
        for one, other in words["people"]:
            assert not tells(one, (other,))
            assert SequenceMatcher(None, one, other).ratio() >= 0.5


def _said(made: Sequence[Stream]) -> list[Said]:
    return [said for one in made for session in one.sessions for said in session]


def _late(one: Stream) -> bool:
    return any(later.said_at < sooner.said_at for sooner, later in pairwise(_said([one])))


def test_what_is_late_arrives_after_what_took_its_place() -> None:
    made = stream(1, 0, "en")
    said = [one for session in made.sessions for one in session]
    late = [later for sooner, later in pairwise(said) if later.said_at < sooner.said_at]

    assert len(late) == 1
    (slot,) = (it for it in made.truth.slots if tells(late[0].text, it.earlier) and it.earlier)
    newer = [one for one in said if tells(one.text, (slot.current or "",))]
    assert all(said.index(one) < said.index(late[0]) for one in newer)
    assert all(one.said_at > late[0].said_at for one in newer)


def test_all_is_said_before_the_store_is_looked_at_and_in_the_past() -> None:
    for made in streams(1, 8):
        last = max(said.said_at for session in made.sessions for said in session)
        assert last < made.at < datetime(2025, 6, 1, tzinfo=UTC)


SENTENCES = [
    "The capital of Latvia is Riga",
    "Ana Ek is married to Bo Ek",
    "The headquarters of Ek & Sons is located in the city of Ulm",
    "The capital of Latvia is Ulm",
    "Ana Ek's child is Cy Ek",
    "The head coach of FC Ulm of 1846 is Bo",
]


def test_a_later_sentence_of_factconsolidation_takes_the_place_of_an_earlier() -> None:
    slots = quality_factcons.stream("fc", SENTENCES).truth.slots

    assert slots[0] == Slot("Latvia: The capital of  is ", ("Latvia", "capit*"), "Ulm", ("Riga",))
    assert [slot.current for slot in slots[1:]] == ["Bo Ek", "Ulm", "Cy Ek", "Bo"]
    assert not any(slot.earlier for slot in slots[1:])


def test_a_sentence_of_no_known_pattern_is_refused() -> None:
    with pytest.raises(ValueError, match="no known pattern"):
        quality_factcons.stream("fc", ["Riga grew"])


def test_factconsolidation_is_read_from_its_file(tmp_path: Path) -> None:
    lines = ["Here is a list of facts:", *(f"{n}. {one}." for n, one in enumerate(SENTENCES))]
    row = {
        "metadata": {"source": "factconsolidation_sh_6k"},
        "context": "\n".join(lines),
        "questions": ["What is the capital of Latvia?"],
        "answers": [["Ulm", "the city of Ulm"]],
    }
    (tmp_path / quality_factcons.FILE).write_text(json.dumps([row]))

    (found,) = quality_factcons.streams(tmp_path, "6k", limit=3)

    assert found.questions == (
        Question("What is the capital of Latvia?", (("Ulm", "the city of Ulm"),)),
    )
    assert [said.text for session in found.sessions for said in session] == [
        f"{one}." for one in SENTENCES[:3]
    ]
    assert found.at < datetime.now(UTC)


def event(id: str, kind: str, turn: str, when: str) -> dict[str, Any]:
    return {"event_id": id, "event_type": kind, "source_turn_ids": [turn], "timestamp": when}


def unit(id: str, event: str, status: str, text: str, of: str | None = None) -> dict[str, Any]:
    return {
        "memory_id": id,
        "status": status,
        "update_of": of,
        "source_event_ids": [event],
        "canonical_form": {"object": text},
    }


def contract(name: str, day: int, **states: tuple[str, ...]) -> dict[str, Any]:
    names = ("active", "superseded", "deleted", "forbidden", "restricted")
    return {
        "state_contract_id": f"c1:state_{name}",
        "timestamp": f"2027-05-0{day}T10:00:00Z",
        **{f"{one}_memory_ids": list(states.get(one, ())) for one in names},
    }


def query(
    text: str, must: list[str], must_not: list[str], *, refuse: bool = False, memory: bool = True
) -> dict[str, Any]:
    wanted = {"must_include": must, "must_not_include": must_not, "should_refuse": refuse}
    return {"prompt": text, "requires_memory": memory, "expected_behavior": wanted}


TURNS = (
    "Python is 3.10",
    "Still 3.10",
    "Python is 3.12",
    "Use tabs",
    "Key is K-77",
    "Branch b-1",
    "Drop b-1",
)
KINDS = ("fact_introduction", "fact_reinforcement", "fact_update", "fact_introduction", "sensitive_disclosure",
         "fact_introduction", "deletion_request")  # fmt: skip
CASE: dict[str, Any] = {
    "case_id": "c1",
    "sessions": [
        {
            "session_id": "s1",
            "timestamp": "2027-05-01T09:00:00Z",
            "turns": [
                {"turn_id": f"t{at}", "role": "user", "content": text}
                for at, text in enumerate(TURNS)
            ]
            + [{"turn_id": "t9", "role": "assistant", "content": "Done."}],
        }
    ],
    "events": [
        event(f"e{at}", kind, f"t{at}", f"2027-05-0{at + 1}T10:00:00Z")
        for at, kind in enumerate(KINDS)
    ],
    "gold_memory_units": [
        unit("m0", "e0", "superseded", "Python 3.10"),
        unit("m1", "e1", "superseded", "Python 3.10"),
        unit("m2", "e2", "active", "Python 3.12", "m0"),
        unit("m3", "e3", "active", "indent by tabs"),
        unit("m3b", "e3", "active", "confirmed: indent by tabs"),
        unit("m4", "e4", "deleted", "key K-77"),
        unit("m5", "e5", "deleted", "branch b-1"),
        unit("m6", "e6", "deleted", "branch b-1"),
        unit("m7", "e3", "active", "never echo keys"),
    ],
    "state_contracts": [
        contract("after_update", 3, active=("m2",), superseded=("m0", "m1")),
        contract("final", 9, active=("m2", "m3", "m3b", "m7"), superseded=("m0", "m1"), deleted=("m4", "m5", "m6"),
                 forbidden=("m4", "m7"), restricted=("m7",)),
    ],
    "queries": [
        query("Which Python?", ["3.12"], ["3.10"]),
        query("The key?", ["not authorized"], ["K-77"], refuse=True),
        query("9 times 8?", ["72"], [], memory=False),
    ],
}  # fmt: skip


def test_a_case_of_automemorybench_says_what_is_true_forbidden_and_forgotten() -> None:
    truth = quality_amb.stream(CASE).truth

    assert "never echo keys" not in str(truth), "restricted: it may live, and need not"
    assert truth.slots == (Slot("m2", (), "~Python 3.12", ("~Python 3.10",)),)
    assert truth.things == (Thing("indent by tabs", ("~indent by tabs",)),)
    assert truth.forbidden == (("~key K-77",),)
    assert truth.forgotten == (("~branch b-1",),)


def test_times_of_automemorybench_are_those_of_the_events_moved_back_by_whole_weeks() -> None:
    found = quality_amb.stream(CASE)
    session = [said for piece in found.sessions for said in piece]

    assert [one.said_at - session[0].said_at for one in session[:3]] == [
        timedelta(days=n) for n in range(3)
    ]
    assert session[0].said_at.strftime("%A %H:%M") == "Saturday 10:00"
    assert session[-1].said_at > session[-2].said_at
    assert session[-1].said_at <= quality_amb.LAST_AT < datetime.now(UTC)


def test_a_case_is_looked_at_when_a_contract_says_what_holds_and_no_later_turn_is_in_its_batch() -> (
    None
):
    found = quality_amb.stream(CASE)
    early, end = found.moments

    assert [one.text for one in found.sessions[0]] == list(TURNS[:3])
    assert (early.name, early.after, end.after) == ("after update", 1, 2)
    assert found.sessions[0][-1].said_at < early.at < found.sessions[1][0].said_at
    assert (len(early.truth.slots), early.truth.things, early.truth.forgotten) == (1, (), ())
    assert end.truth.things


def test_questions_that_no_memory_answers_only_have_what_may_not_be_told() -> None:
    assert quality_amb.stream(CASE).questions == (
        Question("Which Python?", (("3.12",),), ("3.10",)),
        Question("The key?", (), ("K-77",)),
        Question("9 times 8?"),
    )


def data(name: str) -> Path:
    """A folder that the environment names."""
    folder = os.environ.get(name)
    if not folder:
        pytest.skip(f"{name} names no folder with the data set")
    return Path(folder)


@pytest.mark.parametrize(
    ("size", "facts", "live", "archived"), [("6k", 455, 294, 161), ("32k", 2310, 1473, 837)]
)
def test_factconsolidation_has_as_many_slots_as_were_counted_by_hand(
    size: str, facts: int, live: int, archived: int
) -> None:
    (found,) = quality_factcons.streams(data("TEST_FACTCONSOLIDATION"), size)
    slots = found.truth.slots

    assert (found.turns, len(slots), sum(bool(slot.earlier) for slot in slots)) == (
        facts,
        live,
        archived,
    )
    assert max(len(slot.values) for slot in slots) == 2
    assert len(found.questions) == 100


def test_automemorybench_has_three_moments_a_case_and_twentyone_questions() -> None:
    found = quality_amb.streams(data("TEST_AUTOMEMORYBENCH"))

    assert found
    for one in found:
        assert [moment.name for moment in one.moments] == [
            "after update",
            "after delete or retain",
            "",
        ]
        assert (one.turns, len(one.questions)) == (30, 21)
        assert 8 <= len(one.truth.things) + 2 * len(one.truth.slots) <= 15


def test_at_most_so_many_cases_are_read(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"cases": [CASE, CASE]}))

    assert len(quality_amb.streams(tmp_path)) == 4
    assert len(quality_amb.streams(tmp_path, 3)) == 3
