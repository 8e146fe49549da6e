"""The bench of quality: who is compared, by which rule, and that a store is really filled and looked at."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.model.trial import Trial, opened
from bench.quality import command as quality
from bench.quality.contestants import Costs
from bench.quality.hearing import Cached, Listening, Verbatim
from bench.quality.held import Past
from bench.quality.likeness import Likeness
from bench.quality.marks import Marks
from bench.quality.match import COSTS, Row, best
from bench.quality.rules import Rule, add_only, newest_wins, same_slot
from bench.quality.slowwave import Slowwave
from bench.quality.stream import Moment, Question, Said, Stream, Truth
from bench.quality.table import LINES, SPENT, show
from schemas.base import Vector
from schemas.memory import Fact
from tests.build import NOW, fact, turn
from worker import settings
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.core.hearing.heard import Found, Heard
from worker.core.step import Doubtful

STREAM = Stream("ana", (), Truth(), datetime(2025, 1, 1, tzinfo=UTC))


def vector(*numbers: float) -> bytes:
    return np.array(numbers, dtype="<f4").tobytes()


def told(text: str, day: int = 0, attribute: str | None = None, **fields: Any) -> Fact:
    at = NOW + timedelta(days=day)
    return fact(text, subject="Ana", attribute=attribute, said_at=at, **fields)


def live(rule: Rule, *facts: Fact) -> list[str]:
    return [one.text for one in rule.play(STREAM, [facts]).held.live]


GRAZ, LYON = told("Lives in Graz", 0, "home"), told("Lives in Lyon", 1, "home")
DOG = told("Has a dog", 2)


def test_adding_only_keeps_all_but_requests_to_forget() -> None:
    request = told("Forget Graz", 3, kind="forget")

    assert live(add_only(), GRAZ, LYON, GRAZ, request) == [
        "Ana: Lives in Graz",
        "Ana: Lives in Lyon",
        "Ana: Lives in Graz",
    ]


def test_the_same_slot_gives_way_to_what_was_said_later_whatever_comes_first() -> None:
    for order in ((GRAZ, LYON), (LYON, GRAZ)):
        held = same_slot().play(STREAM, [(*order, DOG)]).held
        (past,) = held.past

        assert [one.text for one in held.live] == ["Ana: Lives in Lyon", "Ana: Has a dog"]
        assert (past.text, held.heir(past.id)) == ("Ana: Lives in Graz", held.live[0])


def test_without_an_attribute_only_the_same_words_give_way() -> None:
    assert live(same_slot(), DOG, told("Has a cat", 3), told("has a dog!", 4)) == [
        "Ana: Has a cat",
        "Ana: has a dog!",
    ]


WHERE = Question("Where does she live?", (("Lyon", "Lyons"),), ("Graz",))
LIKENESS = Likeness(
    {
        GRAZ.text: vector(1.0, 0.0),
        LYON.text: vector(0.8, 0.6),
        DOG.text: vector(0.0, 1.0),
        "Forget Graz": vector(0.96, 0.28),
        WHERE.text: vector(0.6, 0.8),
    }
)


@pytest.mark.parametrize(("least", "many"), [(0.5, 1), (0.7, 2), (0.9, 3)])
def test_the_nearest_gives_way_from_a_cosine_on(least: float, many: int) -> None:
    assert len(live(newest_wins(least, LIKENESS), GRAZ, LYON, DOG)) == many


def test_a_request_to_forget_takes_the_nearest_away_and_leaves_no_history() -> None:
    request = told("Forget Graz", 3, kind="forget")
    held = newest_wins(0.9, LIKENESS).play(STREAM, [(GRAZ, DOG), (request,)]).held

    assert [one.text for one in held.live] == ["Ana: Has a dog"]
    assert held.past == ()


def test_what_replaced_and_was_replaced_leads_on() -> None:
    ulm = told("Lives in Ulm", 5, "home")
    held = same_slot().play(STREAM, [(GRAZ, LYON, ulm)]).held

    assert {held.heir(one.id) for one in held.past} == {held.live[0]}
    assert all(isinstance(one, Past) for one in held.past)


def test_of_the_thresholds_the_one_that_gets_most_right_is_told() -> None:
    tries = [
        [
            Row("early", f"cosine {n}", Marks(slots_right=9 - slots)),
            Row("end", f"cosine {n}", Marks(slots_right=slots, things_right=things)),
        ]
        for n, (slots, things) in enumerate([(1, 1), (3, 0), (2, 2)])
    ]

    assert [row.contestant for row in best(tries)] == ["cosine 2"] * 2


def test_a_row_tells_what_a_thousand_turns_cost() -> None:
    figures = Row("s", "x", Marks(turns=200), costs=Costs(50, 4_000, 3.0)).figures()

    assert [figures[f"{one}_per_1000_turns"] for one in COSTS] == [250, 20_000, 15.0]


def test_what_nobody_is_asked_for_or_keeps_an_account_of_is_null_and_not_0() -> None:
    figures = Row("s", "x", Marks(turns=200), lacks=frozenset({"called_same"})).figures()

    assert [figures[f"{one}_per_1000_turns"] for one in COSTS] == [None] * 3
    assert figures["called_same"] is None
    assert figures["stale"] == 0


def test_a_rule_is_looked_at_whenever_its_stream_says_so() -> None:
    stream = replace(STREAM, before=(Moment("early", 1, STREAM.at, Truth()),))

    early, end = add_only().play(stream, [(GRAZ,), (LYON, DOG)]).looks

    assert early.statements == ("Ana: Lives in Graz",)
    assert [one.text for one in early.held.live] == ["Ana: Lives in Graz"]
    assert len(end.held.live) == len(end.statements) == 3


def test_the_rules_answer_by_the_nearest_of_what_is_live() -> None:
    stream = replace(STREAM, questions=(WHERE,))

    adding, winning = (
        rule.play(stream, [(GRAZ, LYON, DOG)]).looks[-1].hits
        for rule in (add_only(LIKENESS), newest_wins(0.7, LIKENESS))
    )

    assert adding == (("Ana: Lives in Lyon", "Ana: Has a dog", "Ana: Lives in Graz"),)
    assert winning == (("Ana: Lives in Lyon", "Ana: Has a dog"),)


class Counting(HashedEmbedder):
    """Notes what it is asked about."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = list[str]()

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.asked += texts
        return super().embed(texts)


def test_an_embedder_is_asked_about_a_text_once_in_a_run() -> None:
    embedder = Counting()
    cached = Cached(embedder)

    first, second = cached.embed(["a", "b", "a"]), cached.embed(["b", "c"])

    assert embedder.asked == ["a", "b", "c"]
    assert first == HashedEmbedder().embed(["a", "b", "a"])
    assert second[0] == first[1]
    assert cached.seconds > 0


def test_word_for_word_each_turn_of_a_person_is_a_fact() -> None:
    turns = (
        turn("t1", "I live in Graz."),
        turn("t2", "Noted.", role="assistant"),
        turn("t3", "Please forget that I live in Graz."),
    )

    found = Verbatim().read(Heard(turns), ())

    assert [(one.text, one.kind) for one in found.facts] == [
        (turns[0].text, "fact"),
        (turns[2].text, "forget"),
    ]


class Wavering:
    """Doubts its reply the first time, or always."""

    def __init__(self, *, always: bool) -> None:
        self.always, self.reads = always, 0

    def ask(self, item: Heard) -> tuple[()]:
        return ()

    def read(self, item: Heard, replies: object) -> Found:
        self.reads += 1
        if self.always or self.reads == 1:
            raise Doubtful("?", plainly="?", stands=Found((GRAZ,)))
        return Found((LYON,))


@pytest.mark.parametrize(("always", "stands"), [(True, GRAZ), (False, LYON)])
def test_of_a_reply_that_was_asked_about_what_stood_in_the_end_is_heard(
    always: bool, stands: Fact
) -> None:
    listening, heard = Listening(Wavering(always=always)), Heard((turn(text="I moved."),))
    for _ in range(2):
        try:
            listening.read(heard, ())
        except Doubtful:
            continue

    assert listening.facts == (stands,)


@pytest.fixture(autouse=True)
def rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOWWAVE_EMBEDDER", "hash")
    monkeypatch.setenv("SLOWWAVE_MODEL", "rules")


def _slowwave(trial: Trial) -> Slowwave:
    return Slowwave(trial, "batchwise", "rewrite", Cached(trial.parts.embedder))


def rows(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, dict[str, Any]]:
    assert quality.main([*arguments, "--json"]) == 0
    return {one["contestant"]: one for one in json.loads(capsys.readouterr().out)}


def test_what_a_store_has_become_is_told_beside_simple_rules(
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = rows(capsys, "--limit", "1", "--seed", "1")
    ours, adding = list(found.values())[:2]

    assert list(found)[:3] == ["slowwave batchwise + rewrite", "add only", "same slot"]
    assert {one["facts"] for one in found.values()} == {ours["facts"]}
    assert adding["live"] == ours["facts"] > ours["live"] > 0
    assert ours["slots_right"] > adding["slots_right"]
    assert ours["stale"] < adding["stale"]
    assert ours["parked"] == ours["lost"] == 0
    assert ours["past"] > adding["past"] == 0


def test_every_detector_that_is_named_is_put_to_a_data_set(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    lines = ["0. Ana Ek is married to Bo Ek.", "1. Ana Ek is married to Cy Ek."]
    row = {
        "metadata": {"source": "factconsolidation_sh_6k"},
        "context": "\n".join(lines),
        "questions": ["Whom is Ana Ek married to?"],
        "answers": [["Cy Ek"]],
    }
    (tmp_path / "conflict_resolution.json").write_text(json.dumps([row]))

    found = rows(
        capsys, "--sets", "fc-6k", "--factconsolidation", str(tmp_path), "--verbatim",
        "--detector", "add_only", "--detector", "batchwise",
    )  # fmt: skip

    assert {"slowwave add_only + rewrite", "slowwave batchwise + rewrite"} < found.keys()
    assert [one["slots_heard"] for one in found.values()] == [1] * 5
    assert found["add only"]["stale"] == 1


def test_what_was_only_called_the_same_is_told_with_whose_it_was() -> None:
    at = datetime(2025, 1, 6, 9, tzinfo=UTC)
    texts = (
        "I am allergic to walnuts.",
        "I'm allergic to walnuts!",
        "I am really allergic to walnuts.",
    )
    sessions = tuple(
        (Said("talk", "Ana", text, at + timedelta(days=n)),) for n, text in enumerate(texts)
    )

    with opened(settings.load()) as trial:
        stream = Stream("ana", sessions, Truth(), at + timedelta(days=9))
        held = _slowwave(trial).play(stream).held

    assert len(held.live) == 1
    assert held.said == ("Ana: Ana is really allergic to walnuts",)


def test_of_a_store_it_is_told_what_any_read_would_tell_at_that_time() -> None:
    """A move, and something for a while that has run out since the last turn."""
    first = datetime(2025, 1, 6, 9, tzinfo=UTC)
    texts = (
        "I live in Graz.",
        "I moved to Lyon.",
        "I drive a Skoda.",
        "Until 2025-02-01 I drive a Volvo.",
    )
    sessions = tuple(
        (Said(f"talk {day}", "Ana", text, first + timedelta(days=day)),)
        for day, text in enumerate(texts)
    )
    stream = Stream("ana", sessions, Truth(), datetime(2025, 3, 1, tzinfo=UTC))

    with opened(settings.load()) as trial:
        played = _slowwave(trial).play(stream)

    held = played.held
    homes, cars = [
        [one for one in held.live if any(word in one.text for word in words)]
        for words in (("Graz", "Lyon"), ("Skoda", "Volvo"))
    ]
    assert len(homes) == len(cars) == 1
    assert "Lyon" in homes[0].text
    assert "Volvo" not in cars[0].text
    told = {word: one for one in held.past for word in ("Graz", "Volvo") if word in one.text}
    assert held.heir(told["Graz"].id) == homes[0]
    assert held.heir(told["Volvo"].id) == cars[0]
    assert len(played.facts) == 4
    assert played.costs is not None
    assert (played.costs.calls, played.costs.tokens, played.parked) == (0, 0, 0)
    assert played.costs.seconds > 0


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--sets", "fc-6k"], "--factconsolidation"),
        (["--sets", "fc-32k", "--factconsolidation", "nowhere"], "nowhere"),
        (["--sets", "amb"], "--automemorybench"),
    ],
)
def test_data_that_is_not_there_is_named_with_where_to_get_it(
    arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert quality.main(arguments) == 2

    said = capsys.readouterr().err
    assert named in said
    assert "/" in said


@pytest.mark.parametrize("limit", ["0", "-1", "some"])
def test_a_limit_that_is_none_is_wrong_usage(
    limit: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        quality.main(["--limit", limit])

    assert "whole number from 1" in capsys.readouterr().err


def test_a_table_has_a_line_for_each_figure(capsys: pytest.CaptureFixture[str]) -> None:
    rule = Row("s", "y", Marks(turns=1), is_rule=True)
    show([Row("s", "x", Marks(turns=1), costs=Costs()), rule], "note")

    said = capsys.readouterr().out
    assert all(name in said for name in (*LINES, *SPENT, "–", "note"))


def test_of_several_seeds_the_mean_is_shown_with_the_least_and_most(
    capsys: pytest.CaptureFixture[str],
) -> None:
    seeds = [
        Row("made", "x", Marks(turns=8, stale=stale), seed=seed, is_rule=True)
        for seed, stale in ((1, 2), (2, 5))
    ]

    show(seeds, "")

    said = capsys.readouterr().out
    assert "3.5 (2–5)" in said
    assert "seeds 1, 2" in said


def test_the_table_says_whether_a_judge_gets_more_right_than_the_best_rule(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asking, rule, worse = (
        Row("s", name, Marks(slots_right=right), is_rule=is_rule)
        for name, right, is_rule in (("judge", 4, False), ("slot", 4, True), ("all", 1, True))
    )

    show([asking, rule, worse], "")
    show([replace(asking, marks=Marks(slots_right=5)), rule, worse], "")

    first, second = capsys.readouterr().out.split("5 right")
    assert "judge has 4 right, no more than the best rule (slot, 4)" in first
    assert "more than the best rule (slot, 4)" in second
