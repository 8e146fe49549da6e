"""The bench of sleep knows what it planted, and sees what a night made of it."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bench.sleep import command as sleep
from bench.sleep import trial as sleep_trial
from bench.sleep.judges import Oracle, careless
from bench.sleep.marks import Left, drifted, marked, without_detail
from bench.sleep.planting import Said, again, crowd, facts, other_detail, planted, twin
from bench.sleep.rewording import (
    RULES,
    contracted,
    padded,
    perfect,
    reported,
    reworded,
    synonyms,
    turned,
)
from schemas.memory import Archive, Memory
from tests.build import NOW, fact, memory, uid
from worker.core.groups.standing import faults

WHEN = datetime(2024, 1, 1, tzinfo=UTC)
PEOPLE = ("Ann", "Bo")
THINGS = (
    "canoe harbour violin walnut barometer quilt lantern orchard kettle saddle telescope mosaic beehive anvil"
    " hammock trombone"
).split()


def dice(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - what is drawn is no secret


def said(text: str, kind: Any = "plain", thing: str = "", **fields: Any) -> Said:
    return Said(text, "Ann", WHEN, kind, thing or text, **fields)


def observed() -> list[dict[str, Any]]:
    """Two sessions of two people, in the shape of the data set."""
    sessions = {
        f"session_{n}_observation": {
            who: [
                [f"{who} bought a {thing} in May {n}{at}.", "D1:1"]
                for at, thing in enumerate(THINGS)
            ]
            for who in PEOPLE
        }
        for n in (1, 2)
    }
    times = {f"session_{n}_date_time": f"1:56 pm on {n} May, 2023" for n in (1, 2)}
    return [{"sample_id": "s1", "conversation": times, "observation": sessions}]


@pytest.mark.parametrize(
    ("rule", "text", "expected"),
    [
        (synonyms, "Ann enjoys the movie.", "Ann likes the film."),
        (synonyms, "Ann purchased kids' shoes.", "Ann bought children' shoes."),
        (contracted, "Ann does not ski.", "Ann doesn't ski."),
        (contracted, "Ann doesn't ski.", "Ann does not ski."),
        (contracted, "Ann is a nurse.", "Ann's a nurse."),
        (reported, "Ann skis.", "Ann said that Ann skis."),
        (reported, "Skiing is what Ann does.", "Skiing is what Ann does."),
        (turned, "Ann met Bo in Boston.", "In Boston, Ann met Bo."),
        (turned, "Ann believes in growth.", "Ann believes in growth."),
        (perfect, "Ann painted a wall.", "Ann has painted a wall."),
        (padded, "Ann skis.", "Well, Ann skis, you know"),
    ],
)
def test_a_rule_rewords_what_it_knows_and_nothing_else(rule: Any, text: str, expected: str) -> None:
    assert rule(text, "Ann") == expected


@pytest.mark.parametrize("seed", range(20))
def test_whatever_rules_are_drawn_no_detail_is_lost_or_made_up(seed: int) -> None:
    text = "Ann received 2 kids' photos and isn't in Perth during May 2023."

    other = reworded(text, "Ann", dice(seed))

    assert other != text
    assert faults([fact(text, subject="Ann"), fact(other, subject="Ann")], other) == []


def test_at_most_two_rules_are_used_and_fillers_where_none_fits() -> None:
    chance = dice(1)

    assert reworded("Ann skis.", "Ann", chance, rules=(perfect,)) == "Well, Ann skis, you know"
    assert reworded("Skiing.", "Ann", chance, rules=RULES) == "Skiing."
    used = Counter(
        reworded("Ann does not like movies.", "Ann", chance, rules=(contracted, reported, synonyms))
        for _ in range(50)
    )
    assert "Ann said that Ann doesn't like films." not in used
    assert {"Ann doesn't like films.", "Ann said that Ann does not like films."} <= used.keys()


def test_facts_are_those_of_the_annotators_at_the_time_of_their_session() -> None:
    found = list(facts(observed()))

    assert len(found) == 2 * len(PEOPLE) * len(THINGS)
    assert found[0] == Said(
        "Ann bought a canoe in May 10.", "Ann", datetime(2023, 5, 1, 13, 56, tzinfo=UTC)
    )


def test_what_is_planted_is_labelled_and_the_same_for_the_same_seed() -> None:
    made = planted(facts(observed()), 40, seed=3)

    kinds = Counter(one.kind for one in made)
    assert made == planted(facts(observed()), 40, seed=3)
    assert made != planted(facts(observed()), 40, seed=4)
    assert len({one.text for one in made}) == len(made) == 40
    assert kinds["over"] == kinds["alike"] == 4
    assert kinds["twice"] >= 6
    assert all(one.at < other.at for one, other in pairwise(made))


def test_of_what_is_said_twice_and_of_what_is_over_the_later_says_so() -> None:
    made = planted(facts(observed()), 60, seed=3)

    for thing in {one.thing for one in made if one.kind == "over"}:
        old, new = (one for one in made if one.thing == thing)
        assert (old.is_over, new.is_over) == (True, False)
        assert old.value in old.text
    texts = {one.text for one in facts(observed())}
    for thing in {one.thing for one in made if one.kind == "twice"}:
        first, *rest = (one for one in made if one.thing == thing)
        assert first.text in texts
        assert rest
        assert texts.isdisjoint(one.text for one in rest)


def test_look_alikes_differ_in_one_word_and_are_two_things() -> None:
    made = planted(facts(observed()), 60, seed=3)

    pairs = [one for one in made if one.kind == "alike"]
    assert pairs
    for one in pairs:
        (other,) = (it for it in pairs if twin(it) == twin(one) and it.thing != one.thing)
        mine, theirs = one.text.split(), other.text.split()
        assert sum(here != there for here, there in zip(mine, theirs, strict=True)) == 1


@pytest.mark.parametrize(
    ("text", "changed"),
    [("Ann ran 12 miles.", True), ("Ann met Bo.", True), ("Ann skis with Ann.", False)],
)
def test_another_detail_is_another_number_or_another_person_but_never_the_one_it_is_about(
    text: str, *, changed: bool
) -> None:
    other = other_detail(said(text), dice(1))

    assert (other is not None) is changed
    assert other != text


def test_a_crowd_begins_alike_whatever_its_size() -> None:
    small, large = (crowd(facts(observed()), many, seed=1) for many in (20, 150))

    assert [one.text for one in large[:20]] == [one.text for one in small]
    assert len({(one.subject, one.text) for one in large}) == 150
    later = again(small[0], WHEN, dice(1))
    assert (later.thing, later.at) == (small[0].thing, WHEN)
    assert later.text != small[0].text


def asked(*texts: str) -> dict[str, Any]:
    return {"memories": [{"id": f"m{n}", "text": text} for n, text in enumerate(texts, 1)]}


@pytest.mark.parametrize(
    ("texts", "members", "relation", "drops"),
    [
        (["new home", "elsewhere", "old home"], ["m1", "m3"], "contradict", ["old"]),
        (["tea", "tea again", "new home"], ["m1", "m2"], "same", []),
    ],
)
def test_the_oracle_groups_what_is_about_one_thing(
    texts: list[str], members: list[str], relation: str, drops: list[str]
) -> None:
    oracle = Oracle()
    oracle.learn([said("old home", thing="home", is_over=True, value="old")])
    oracle.learn([said("new home", thing="home"), said("tea"), said("tea again", thing="tea")])

    (group,) = oracle.answer("reorganize", asked(*texts))["groups"]

    assert (group["members"], group["relation"], group["drops"]) == (members, relation, drops)


@pytest.mark.parametrize("texts", [["never planted", "tea"], ["tea", "elsewhere"]])
def test_the_oracle_leaves_alone_what_it_does_not_know_and_what_has_no_company(
    texts: list[str],
) -> None:
    oracle = Oracle()
    oracle.learn([said("tea")])

    assert oracle.answer("reorganize", asked(*texts))["groups"] == []


def test_the_careless_judge_calls_the_first_two_the_same() -> None:
    (group,) = careless("reorganize", asked("tea", "coffee", "milk"))["groups"]

    assert (group["members"], group["relation"]) == (["m1", "m2"], "same")


def gone(one: Memory, heir: Memory | None) -> Archive:
    return Archive(
        id=uid(f"snapshot of {one.text}"),
        memory=one,
        replaced_by=heir.id if heir else None,
        archived_at=NOW,
        reason="merged",
        why="",
        run=uid("night"),
    )


def after(live: Sequence[Memory], *archives: Archive) -> Left:
    return Left.of(live, archives)


def test_the_heir_is_found_through_any_number_of_steps_and_never_in_a_circle() -> None:
    tea, cup, pot = (memory(text) for text in ("tea", "cup", "pot"))
    left = after([pot], gone(tea, cup), gone(cup, pot))

    assert left.heir(tea.id) == pot
    assert after([], gone(tea, cup), gone(cup, tea)).heir(tea.id) is None
    assert after([], gone(tea, None)).heir(tea.id) is None


def of_ann(text: str) -> Memory:
    return memory(text, subject="Ann")


TEA, AGAIN = of_ann("Ann likes green tea."), of_ann("Ann enjoys green tea.")
OLD, NEW = of_ann("Ann lives in Perth."), of_ann("Ann lives in Osaka now.")
ONE, TWO = of_ann("Ann has locker 12."), of_ann("Ann has locker 13.")
PLAIN = of_ann("Ann keeps bees.")
KNOWN = {
    TEA.id: said(TEA.text, "twice", "tea"),
    AGAIN.id: said(AGAIN.text, "twice", "tea"),
    OLD.id: said(OLD.text, "over", "home", is_over=True, value="Perth"),
    NEW.id: replace(said(NEW.text, "over", "home"), at=WHEN + timedelta(days=1)),
    ONE.id: said(ONE.text, "alike", "locker a"),
    TWO.id: said(TWO.text, "alike", "locker b"),
    PLAIN.id: said(PLAIN.text),
}


def test_a_night_that_did_all_that_is_right_is_seen_as_such() -> None:
    home = OLD.model_copy(update={"text": NEW.text, "version": 2})
    left = after([TEA, home, ONE, TWO, PLAIN], gone(AGAIN, TEA), gone(OLD, OLD), gone(NEW, OLD))

    marks = marked(KNOWN, left)

    assert (marks.merged, marks.repeats) == (1, 1)
    assert (marks.resolved, marks.changes) == (1, 1)
    assert (marks.pairs_merged, marks.pairs) == (0, 1)
    assert marks.lost == ()


def test_a_night_that_did_nothing_has_merged_nothing_and_lost_nothing() -> None:
    marks = marked(KNOWN, after([TEA, AGAIN, OLD, NEW, ONE, TWO, PLAIN]))

    assert (marks.merged, marks.resolved, marks.pairs_merged, marks.lost) == (0, 0, 0, ())


def test_a_night_that_did_all_that_is_wrong_is_seen_as_such() -> None:
    left = after([OLD, ONE], gone(NEW, OLD), gone(TWO, ONE), gone(TEA, None), gone(AGAIN, None))

    marks = marked(KNOWN, left)

    assert (marks.merged, marks.resolved, marks.pairs_merged) == (0, 0, 1)
    assert set(marks.lost) == {TEA.text, AGAIN.text, NEW.text, TWO.text, PLAIN.text}


def test_what_is_over_may_go_without_a_trace() -> None:
    left = after([TEA, AGAIN, NEW, ONE, TWO, PLAIN], gone(OLD, None))

    assert marked(KNOWN | {NEW.id: said(NEW.text)}, left).lost == ()


def test_what_nothing_touched_has_to_be_the_same_to_the_last_field() -> None:
    before = {one.id: one for one in (TEA, PLAIN)}
    other = PLAIN.model_copy(update={"tags": ("bees",)})

    assert drifted(before, after([TEA, PLAIN]), []) == []
    assert drifted(before, after([TEA, other]), []) == [PLAIN.text]
    assert drifted(before, after([TEA, other]), [PLAIN.id]) == []


def test_a_detail_counts_as_there_only_where_it_lives() -> None:
    before = {one.id: one for one in (ONE, PLAIN)}
    wrong = after([TWO], gone(ONE, TWO), gone(PLAIN, TWO))

    assert without_detail(before, after([ONE, PLAIN])) == ([], [])
    details, clauses = without_detail(before, wrong)
    assert ["12" in one for one in details] == [True]
    assert ["bees" in one for one in clauses] == [True]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "locomo10.json"
    path.write_text(json.dumps(observed()))
    return path


def run(data: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    given = ["--data", str(data), "--embedder", "hash", "--mode", "oracle", "--json", *arguments]
    code = sleep.main(given)
    return code, json.loads(capsys.readouterr().out)


def test_real_nights_are_measured_and_a_promise_that_is_kept_ends_well(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the embedder of tests finds alike is no measure, so what has to be reached is nothing."""
    monkeypatch.setattr(sleep_trial, "MERGED", 0)
    monkeypatch.setattr(sleep_trial, "SMALL", 30)

    code, found = run(data, capsys, *"--memories 40 --nights 2 --sizes 30 60".split())

    assert code == 0
    assert found["oracle: tidy: memories"]["value"] == 40
    assert found["oracle: tidy: changes"]["value"] > 0
    assert found["oracle: cost: calls after 20 changes in 60"]["value"] > 0
    assert found["oracle: nights: changes of night 1"]["value"] > 0


def test_a_promise_that_is_broken_ends_badly(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sleep_trial, "MERGED", 1.1)

    code, found = run(data, capsys, *"--memories 30 --part tidy".split())

    assert code == 1
    assert found["oracle: tidy: repeats merged"]["is_reached"] is False


def test_data_and_tools_that_are_missing_are_named(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sleep.main(["--data", "nowhere.json"]) == 2
    assert "nowhere.json" in capsys.readouterr().err

    assert sleep.main(["--data", str(data), "--mode", "overlap", "--tools", "nowhere"]) == 2
    assert "nowhere/locomo_model.py" in capsys.readouterr().err
