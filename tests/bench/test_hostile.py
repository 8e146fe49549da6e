"""Replies that cannot be trusted break nothing, on either store; and what breaks a promise is seen."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bench.hostile import command as hostile
from bench.hostile.checks import Change, Stock, broken
from schemas.plan import Plan, Retire, Revise
from tests.build import NOW, RUN, SCOPE, at, candidacy, fact, record, turn
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.core.groups.judgment import Group, Groups
from worker.core.groups.setting import Setting
from worker.core.planning.plan import plan


@pytest.fixture
def embedding() -> tuple[str, int]:
    embedder = HashedEmbedder(64)
    return embedder.fingerprint, embedder.dimensions


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = hostile.main([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_whatever_a_judge_replies_no_promise_breaks_on_a_real_store(
    store_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, report = run(capsys, "--replies", "150", "--seed", "5", "--store", store_url)

    assert (code, report["broken"], report["faults"]) == (0, 0, [])
    assert report["refused"] > 0
    assert report["confirm (same)"] > 0
    assert any(name.startswith("revise") for name in report)


@pytest.mark.parametrize("detector", ["pointwise", "listwise_multitarget"])
def test_one_detector_alone_breaks_nothing_either(
    detector: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, report = run(capsys, "--replies", "40", "--detector", detector)

    assert (code, report["faults"]) == (0, [])


def test_the_same_seed_gives_the_same_replies(capsys: pytest.CaptureFixture[str]) -> None:
    once, again = (run(capsys, "--replies", "20", "--seed", "9") for _ in range(2))

    assert once == again


# -- a broken promise is seen

TEA, CUP = record("User drinks tea"), record("User drinks a cup of tea")
CASE = candidacy([fact("User drinks coffee")], [TEA, CUP])
GROUP = Group(why="", members=("f1", "c1", "c2"), relation="update")
SETTING = Setting(run=RUN, scope=SCOPE, turns=(turn(),), now=NOW)
GROUPS = Groups(groups=(GROUP,), new=())
MADE = plan(SETTING, CASE, GROUPS, {})


def stock_after(made: Plan) -> Stock:
    (revise,) = (one for one in made.changes if isinstance(one, Revise))
    (retire,) = (one for one in made.changes if isinstance(one, Retire))
    archives = (revise.archive, retire.archive)
    return Stock(
        {revise.record.memory.id: revise.record}, {one.archive.id: one for one in archives}
    )


BEFORE = Stock({one.memory.id: one for one in (TEA, CUP)}, {})
AFTER = stock_after(MADE)
HONEST = Change(CASE, GROUPS, MADE, 3, BEFORE, AFTER)
WISH = candidacy([fact("Forget the tea", kind="forget")], [TEA, CUP])


def with_survivor(**fields: Any) -> Stock:
    (one,) = AFTER.live.values()
    changed = one.model_copy(update={"memory": one.memory.model_copy(update=fields)})
    return Stock({one.memory.id: changed}, AFTER.archives)


def unheard(groups: Groups) -> Change:
    """A wish of which the plan makes nothing."""
    made = MADE.model_copy(update={"changes": (), "dropped": {"nothing known to forget": 1}})
    return Change(WISH, groups, made, 3, BEFORE, BEFORE)


def test_what_an_honest_plan_does_breaks_nothing() -> None:
    assert broken(HONEST) == []


@pytest.mark.parametrize(
    ("sabotage", "seen"),
    [
        (lambda: replace(HONEST, after=Stock(AFTER.live, {})), "without a snapshot"),
        (lambda: replace(HONEST, after=Stock({}, AFTER.archives)), "nothing that lives"),
        (lambda: replace(HONEST, after=with_survivor(version=3)), "from version 1 to 3"),
        (lambda: replace(HONEST, after=with_survivor(said_at=at(-99))), "said earlier"),
        (lambda: replace(HONEST, after=with_survivor(authority="tool")), "lesser voice"),
        (lambda: replace(HONEST, after=with_survivor(version=1)), "under the same version"),
        (lambda: replace(HONEST, cap=1), "more memories than it may"),
        (lambda: replace(HONEST, case=candidacy([fact("x")])), "never offered"),
        (
            lambda: replace(
                HONEST, plan=MADE.model_copy(update={"changes": ()}), before=AFTER, after=AFTER
            ),
            None,
        ),
        (
            lambda: replace(
                HONEST, plan=MADE.model_copy(update={"changes": ()}), before=BEFORE, after=BEFORE
            ),
            "vanished",
        ),
        (lambda: unheard(Groups(groups=(), new=("f1",), flagged={"f1": "x"})), "was dropped"),
        (lambda: unheard(Groups(groups=(GROUP,), new=())), "stands as it was"),
        (lambda: unheard(Groups(groups=(), new=("f1",))), None),
    ],
)
def test_a_broken_promise_is_named(sabotage: Callable[[], Change], seen: str | None) -> None:
    found = broken(sabotage())

    assert (found == []) if seen is None else any(seen in one for one in found), found
