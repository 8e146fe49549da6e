"""Streams of which the truth is known: our own, and those of two data sets."""

import json
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bench.quality import amb as quality_amb
from bench.quality import factcons as quality_factcons
from bench.quality.making import sayings, stream, streams
from bench.quality.marks import marked
from bench.quality.stream import Held, Kept, Slot, Stream, Thing
from bench.quality.words import statement, tells

SEEDS = (1, 2, 3)


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
    row = {"metadata": {"source": "factconsolidation_sh_6k"}, "context": "\n".join(lines)}
    (tmp_path / quality_factcons.FILE).write_text(json.dumps([row]))

    (found,) = quality_factcons.streams(tmp_path, "6k", limit=3)

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
    ],
}


def test_a_case_of_automemorybench_says_what_is_true_forbidden_and_forgotten() -> None:
    truth = quality_amb.stream(CASE).truth

    assert truth.slots == (Slot("m2", (), "~Python 3.12", ("~Python 3.10",)),)
    assert truth.things == (Thing("indent by tabs", ("~indent by tabs",)),)
    assert truth.forbidden == (("~key K-77",),)
    assert truth.forgotten == (("~branch b-1",),)


def test_times_of_automemorybench_are_those_of_the_events_moved_back_by_whole_weeks() -> None:
    found = quality_amb.stream(CASE)
    (session,) = found.sessions

    assert [one.said_at - session[0].said_at for one in session[:3]] == [
        timedelta(days=n) for n in range(3)
    ]
    assert session[0].said_at.strftime("%A %H:%M") == "Saturday 10:00"
    assert session[-1].said_at > session[-2].said_at
    assert session[-1].said_at <= quality_amb.LAST_AT < datetime.now(UTC)


def test_at_most_so_many_cases_are_read(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"cases": [CASE, CASE]}))

    assert len(quality_amb.streams(tmp_path)) == 4
    assert len(quality_amb.streams(tmp_path, 3)) == 3
