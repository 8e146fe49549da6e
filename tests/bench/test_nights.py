"""The bench of nights: what a night is counted as, that it comes to rest, and what arrival is compared with."""

import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bench.nights import command as nights
from bench.nights.arrival import BATCHES, Way, batches, ways
from bench.nights.arriving import CHANNELS
from bench.nights.night import Counts, Row, of_report, restless, spans
from bench.nights.state import seen
from bench.nights.world import FIRST_AT, SLOTS, THINGS, Key, State, Told, stretches, truth, world
from schemas.memory import Memory
from tests.build import NOW, SCOPE, memory, uid
from worker.core.sleeping.report import Diff, Passed, Report

HOME = Key("Ana", "home")
CHESS = "Ana plays chess on Tuesdays"


def told(value: str, hour: int, key: Key = HOME) -> Told:
    return Told(key, value, f"Ana lives in {value}", FIRST_AT + timedelta(hours=hour))


def known(text: str, hour: int = 0, attribute: str | None = "home", number: int = 1) -> Memory:
    at = FIRST_AT + timedelta(hours=hour)
    id = uid(f"{text} {number}")
    return memory(text, subject="Ana", attribute=attribute, said_at=at, id=id)


def thing(hour: int) -> Told:
    return Told(Key("Ana", CHESS), CHESS, CHESS, FIRST_AT + timedelta(hours=hour), is_slot=False)


def test_the_same_seed_makes_the_same_world_in_the_order_in_which_it_is_said() -> None:
    one, other = world(1), world(2)

    assert one == world(1) != other
    assert [told.at for told in one] == sorted({told.at for told in one})
    assert {told.key.name for told in one if told.is_slot} == set(SLOTS)
    assert sum(not told.is_slot for told in one) >= 2 * len(THINGS)
    assert any(stretches_of(one, key) > len(truth(one).history[key]) for key in truth(one).live)


def stretches_of(all_told: Sequence[Told], key: Key) -> int:
    return len(stretches((one.at, one.value) for one in all_told if one.key == key))


def test_what_was_said_last_is_true_and_each_value_counts_by_its_last_time() -> None:
    found = truth([told("Graz", 0), told("Lyon", 2), told("Porto", 1), told("Graz", 3)])

    assert found == State({HOME: ("Graz",)}, {HOME: ("Porto", "Lyon", "Graz")})


MOVED = [told("Graz", 0), told("Lyon", 1)]
LYON, GRAZ = known("Ana lives in Lyon", 1), known("Ana lives in Graz", 0)


@pytest.mark.parametrize(
    ("live", "earlier", "differ"),
    [
        ([LYON], [GRAZ], []),
        ([known("Ana lives in Lyon; before that lived in Graz", 1)], [GRAZ], []),
        ([GRAZ, LYON], [], ["live of Ana's home: Graz, Lyon, and not Lyon"]),
        ([GRAZ], [LYON], ["live of Ana's home: Graz, and not Lyon"]),
        ([], [GRAZ, LYON], ["live of Ana's home: nothing, and not Lyon"]),
        ([LYON], [], ["history of Ana's home: Lyon, and not Graz, Lyon"]),
        (
            [LYON],
            [known("Ana lives in Graz", 2)],
            ["history of Ana's home: Lyon, Graz, and not Graz, Lyon"],
        ),
        (
            [LYON, known("Ana lives in Lyon", 1, number=2)],
            [GRAZ],
            ["live of Ana's home: Lyon, Lyon, and not Lyon"],
        ),
    ],
)
def test_a_store_is_compared_slot_by_slot(
    live: list[Memory], earlier: list[Memory], differ: list[str]
) -> None:
    assert [str(one) for one in seen(MOVED, live, earlier).differences] == differ


def test_what_is_no_slot_is_known_by_its_words() -> None:
    chess = known(CHESS, attribute=None)

    assert seen([thing(0), thing(5)], [chess], []).differences == ()
    assert [one.of for one in seen([thing(0)], [], []).differences] == ["live"]


def test_a_first_time_that_no_history_tells_is_counted() -> None:
    back = [told("Graz", 0), told("Lyon", 1), told("Graz", 2)]
    live, between = known("Ana lives in Graz", 2), known("Ana lives in Lyon", 1)

    assert seen(back, [live], [between, GRAZ]).untold_returns == 0
    found = seen(back, [live], [between])
    assert (found.untold_returns, found.differences) == (1, ())


def test_every_way_delivers_all_and_each_is_another() -> None:
    all_told = world(3)
    found = list(ways(2))

    assert len({way.name for way in found}) == len(found)
    assert {(way.shuffle, way.batch) for way in found} >= {
        (shuffle, batch) for shuffle in (None, 1, 2) for batch in BATCHES
    }
    for way in found:
        sent = [one for batch in batches(all_told, way) for one in batch]
        assert {one.told for one in sent} == set(all_told)
        assert len(sent) == len(all_told) * (2 if way.again else 1)
        assert [one.told for one in sent[: len(all_told)]] == all_told or way.shuffle
        assert (None in {one.id for one in sent}) == (way.again == "by words")
    assert batches(all_told, Way(1)) == batches(all_told, Way(1)) != batches(all_told, Way(2))


def diff(name: str, **fields: Any) -> Diff:
    given: dict[str, Any] = {"kind": "revise", "relation": "same", "reason": None}
    given |= {"before": "a", "after": "b", "replaced_by": None, "why": ""}
    given |= {"run": uid("run"), "memory_id": uid(name)}
    return Diff(**(given | fields))


def test_what_time_has_ended_is_no_change_of_a_night() -> None:
    passes = (
        Passed(name="expire", before=3, after=2, changes=(diff("over"),)),
        Passed(name="tidy", before=2, after=2, calls=2, changes=(diff("joined"),)),
    )
    report = Report(scope=SCOPE, began_at=NOW, passes=passes)
    before = {uid("over"): "a", uid("joined"): "a", uid("quiet"): "c"}
    after = {uid("joined"): "b", uid("quiet"): "c", uid("new"): "d"}

    found = of_report(report, before, after)

    assert found == Counts(changes=1, ended=1, calls=2, texts=2)


def test_nights_are_told_in_stretches() -> None:
    assert spans((1, 2, 4)) == [(1, 1), (2, 2), (3, 4)]
    assert [row(1, 1).name, row(3, 4).name, row(None, None).name] == ["night 1", "3 to 4", "before"]


def row(first: int | None, last: int | None, **counts: int) -> Row:
    return Row("made", 1, "rules", first, last, Counts(**counts))


@pytest.mark.parametrize(
    ("rows", "many"),
    [
        ([row(None, None), row(1, 1, changes=3, texts=2, calls=1), row(2, 2, ended=1, live=9)], 0),
        ([row(2, 2, changes=1)], 1),
        ([row(3, 4, texts=1)], 1),
        ([row(9, 16, calls=1)], 1),
    ],
)
def test_only_what_changes_or_asks_after_the_first_night_is_restless(
    rows: list[Row], many: int
) -> None:
    assert len(restless(rows)) == many


@pytest.fixture(autouse=True)
def rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLOWWAVE_EMBEDDER", "hash")
    monkeypatch.setenv("SLOWWAVE_MODEL", "rules")


def test_a_stream_is_taken_in_once_and_nights_come_to_rest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    short = ["--part", "nights", "--limit", "1", "--seed", "1", "--nights", "3"]
    assert nights.main([*short, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["nights"]

    assert [(one["first"], one["last"]) for one in found] == [
        (None, None), (1, 1), (2, 2), (3, 3),
    ]  # fmt: skip
    assert found[0]["live"] > 0
    assert {one["live"] for one in found[2:]} == {found[1]["live"]}

    assert nights.main([*short[:-1], "1", "--anew"]) == 0
    assert "night 1" in capsys.readouterr().out


def test_who_changes_something_on_a_second_night_is_told_by_the_exit(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def rows(*_: object) -> list[Row]:
        return [row(2, 2, changes=1)]

    monkeypatch.setattr(nights, "_nights", rows)

    assert nights.main(["--part", "nights"]) == 1
    assert "night 2" in capsys.readouterr().out


def test_however_it_arrives_the_store_is_equal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    few = [Way(), Way(1, 10, crashes=True), Way(1, 50, "by words")]
    monkeypatch.setattr(nights, "ways", lambda _: few)
    monkeypatch.setattr(nights, "world", lambda seed: world(seed)[:20])
    arguments = ["--part", "arrival", "--seed", "1"]
    assert nights.main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["arrival"]

    assert [one["way"] for one in found] == [way.name for way in few] * 2 * len(CHANNELS)
    assert {one["judge"] for one in found} == {"rules", "oracle"}
    assert all(one["equal"] for one in found)
    assert all((one["broken_off"] > 0) == ("crashes" in one["way"]) for one in found)


def test_what_differs_is_shown_with_its_way(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nights, "ways", lambda _: [Way()])
    monkeypatch.setattr(
        nights, "world", lambda _: [told("Graz", 0), told("Ulm", 1, Key("Ana", "x"))]
    )

    assert nights.main(["--part", "arrival", "--seed", "1"]) == 1
    assert "by 1: live of Ana's home: nothing, and not Graz" in capsys.readouterr().out


def test_what_is_missing_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert nights.main(["--sets", "fc-6k", "--factconsolidation", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err
