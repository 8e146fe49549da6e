import json
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest

from schemas.memory import Archive, Memory
from schemas.plan import Changed, Held, Plan, Run, Tokens, Usage
from tests.build import NOW, SCOPE, memory, uid
from tests.hold import HELD
from tests.worker.interfaces.cli.running import WHOSE, Cli, Shelf

OSLO, BERGEN = "Ann lives in Oslo.", "Ann lives in Bergen."
HOME = uid("home")
FIRST, SECOND = uid("first"), uid("second")


def run(name: str, *changes: Changed, day: int = 0, **fields: Any) -> Run:
    given = {
        "id": uid(name),
        "kind": "batch",
        "scope": SCOPE,
        "state": "applied",
        "turn_ids": (uid(f"turn of {name}"),),
        "started_at": NOW + timedelta(days=day),
        "changes": changes,
    }
    return Run(**(given | fields))


def revised(why: str = "moved", **fields: Any) -> Changed:
    given = {
        "kind": "revise",
        "memory_id": HOME,
        "version": 2,
        "relation": "contradict",
        "reason": "superseded",
        "why": why,
        "said": ("to Bergen",),
    }
    return Changed(**(given | fields))


def put_runs(shelf: Shelf, runs: Iterable[Run]) -> None:
    for one in runs:
        shelf.store.writer(SCOPE, HELD).put_run(one)


def archived(old: Memory, **fields: Any) -> Archive:
    given = {
        "memory": old,
        "replaced_by": HOME,
        "archived_at": NOW,
        "reason": "superseded",
        "why": "moved",
        "run": SECOND,
    }
    return Archive(**(given | fields))


@pytest.fixture
def moved(shelf: Shelf) -> Shelf:
    """Ann lived in Oslo, now in Bergen; it took two runs."""
    shelf.put(memory(BERGEN, id=HOME, version=2))
    shelf.file(archived(memory(OSLO, id=HOME)))
    added = Changed(kind="add", memory_id=HOME, version=1, relation="new", why="news")
    usage = Usage.by_job(
        {"extraction": 1, "batchwise": 2},
        {"extraction": Tokens(prompt=90, completion=9), "batchwise": Tokens(prompt=10, cached=4)},
    )
    second = run(
        "second",
        revised(),
        day=1,
        facts=3,
        model="scripted",
        prompts={"extraction": "feedc0de" * 8},
        usage=usage,
        dropped={"only the tool said it": 2},
        held=(Held(turn_id=uid("held"), reason="too many"),),
    )
    put_runs(shelf, [run("first", added), second])
    return shelf


def test_runs_are_listed_the_latest_first(cli: Cli, moved: Shelf) -> None:
    listed = cli("runs", *WHOSE)

    assert listed.status == 0
    lines = [line for line in listed.out.splitlines() if "batch" in line]
    assert [
        str(uid(name))[:8] in line for name, line in zip(["second", "first"], lines, strict=True)
    ]
    cells = [cell.strip() for cell in lines[0].strip("│ ").split("│")]
    assert cells[:4] == [str(SECOND)[:8], "2026-06-02 12:00", "batch", "applied"]
    assert cells[4:] == ["1", "3", "1 revise", "3", "109"]


def test_no_more_runs_than_asked_for(cli: Cli, moved: Shelf) -> None:
    (only,) = cli("runs", *WHOSE, "--limit", "1", "--json").lines

    assert (only["id"], only["changed"], only["turn_ids"]) == (
        str(SECOND),
        {"revise": 1},
        [str(uid("turn of second"))],
    )
    assert only["tokens"] == {"prompt": 100, "completion": 9, "cached": 4}
    assert only["calls"] == {"extraction": 1, "batchwise": 2}


def test_nothing_yet_is_said(cli: Cli, shelf: Shelf) -> None:
    told = cli("runs", *WHOSE)

    assert (told.status, told.out) == (0, "")
    assert "no runs yet" in told.err


def test_one_run_is_told_with_what_came_in_what_it_cost_and_what_it_changed(
    cli: Cli, moved: Shelf
) -> None:
    told = cli("run", str(SECOND), *WHOSE)

    assert told.status == 0
    for words in (
        f"run {SECOND}: batch, applied, 2026-06-02 12:00",
        f"came in: 1 turns: {str(uid('turn of second'))[:8]}",
        "found: 3 facts, by scripted",
        "asked: extraction, 1 calls, 90 + 9 tokens, prompt feedc0de",
        "left out: 2, only the tool said it",
        f"put aside: turn {str(uid('held'))[:8]}: too many",
    ):
        assert words in told.out
    (row,) = [line for line in told.out.splitlines() if "revise" in line]
    for words in (f"{str(HOME)[:8]} v2", OSLO, BERGEN, "contradict, superseded: moved"):
        assert words in row


def test_as_json_it_has_calls_by_job_tokens_and_every_change(cli: Cli, moved: Shelf) -> None:
    told = cli("run", str(SECOND), *WHOSE, "--json").document

    assert told["calls"] == {"extraction": 1, "batchwise": 2}
    assert told["tokens"] == {"prompt": 100, "completion": 9, "cached": 4}
    assert told["tokens_by_job"]["batchwise"] == {"prompt": 10, "completion": 0, "cached": 4}
    assert told["prompts"] == {"extraction": "feedc0de" * 8}
    assert told["held"] == [{"turn_id": str(uid("held")), "reason": "too many"}]
    (change,) = told["changes"]
    assert (change["before"], change["after"], change["said"]) == (OSLO, BERGEN, ["to Bergen"])
    assert (change["reason"], change["why"], change["version"]) == ("superseded", "moved", 2)


@pytest.mark.parametrize(
    ("kind", "version", "before", "after"),
    [
        ("add", 2, None, BERGEN),
        ("confirm", 2, BERGEN, BERGEN),
        ("revise", 2, OSLO, BERGEN),
        ("retire", 1, OSLO, None),
        ("file", 1, OSLO, None),
    ],
)
def test_each_kind_of_change_has_its_words(
    cli: Cli, moved: Shelf, kind: str, version: int, before: str | None, after: str | None
) -> None:
    put_runs(moved, [run("third", revised(kind=kind, version=version))])

    (change,) = cli("run", str(uid("third")), *WHOSE, "--json").document["changes"]

    assert (change["before"], change["after"]) == (before, after)


def test_what_was_forgotten_is_not_told(cli: Cli, shelf: Shelf) -> None:
    shelf.file(
        archived(memory(OSLO, id=HOME)),
        archived(memory(BERGEN, id=HOME, version=2), reason="forgotten", replaced_by=None),
    )
    why = "Ann moved from Oslo to Bergen"
    forget = Changed(
        kind="retire", memory_id=HOME, version=2, relation="forget", reason="forgotten", why=why
    )
    put_runs(shelf, [run("second", revised(why)), run("wish", forget, day=3)])

    for name in ("second", "wish"):
        for form in ((), ("--json",)):
            told = cli("run", str(uid(name)), *WHOSE, *form)
            assert told.status == 0
            assert not [word for word in ("Oslo", "Bergen") if word in told.out]
        assert cli("run", str(uid(name)), *WHOSE, "--json").document["changes"][0]["why"] == ""


def test_a_run_that_was_not_finished_tells_what_it_had_planned_without_its_texts(
    cli: Cli, shelf: Shelf
) -> None:
    plan = Plan(
        run=SECOND,
        kind="batch",
        scope=SCOPE,
        turn_ids=(),
        base={},
        planned_at=NOW,
        changes=(
            {
                "kind": "add",
                "record": {"memory": memory(OSLO).model_dump(), "vector": b""},
                "relation": "new",
            },
        ),
    )
    put_runs(shelf, [run("second", state="parked", plan=plan)])

    told = cli("run", str(SECOND), *WHOSE)

    assert "parked" in told.out
    assert "planned" in told.out
    assert "add" in told.out
    assert "Oslo" not in told.out + cli("run", str(SECOND), *WHOSE, "--json").out


def test_the_first_digits_do_if_they_are_one_runs_alone(cli: Cli, moved: Shelf) -> None:
    assert cli("run", SECOND.hex[:6], *WHOSE).status == 0
    assert cli("run", "xyz!", *WHOSE).status == 2


@pytest.mark.parametrize("id", ["0000", str(uid("nobody"))])
def test_an_unknown_run_is_not_found(cli: Cli, moved: Shelf, id: str) -> None:
    told = cli("run", id, *WHOSE, "--json")

    assert (told.status, told.out) == (1, "")
    assert "is not found in this scope: `slowwave runs` lists what is there" in told.err


def test_runs_of_others_are_not_listed(cli: Cli, moved: Shelf) -> None:
    assert cli("runs", "--app", SCOPE.app, "--user", "ben").out == ""
    assert json.dumps(cli("runs", *WHOSE, "--json").lines)
