"""Nothing is lost or done twice when everything is killed, and the check sees it when something is."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from bench.torture import command as torture
from bench.torture.check import BROKEN, Remains, findings
from bench.torture.ledger import POINTS, Event, Write
from bench.torture.traffic import Said
from schemas.memory import Memory
from schemas.plan import Run
from tests.build import NOW, SCOPE, memory

FIRST, SECOND = uuid4(), uuid4()
SAID = [
    Said(FIRST, SCOPE.key, "talk", 0),
    Said(SECOND, SCOPE.key, "talk", 1),
]


def run(*turns: UUID) -> Run:
    return Run(
        id=uuid4(), kind="batch", scope=SCOPE, state="applied", turn_ids=turns, started_at=NOW
    )


def born(*turns: UUID, version: int = 1) -> Memory:
    return memory("Keeps bees").model_copy(
        update={"id": uuid4(), "turn_ids": turns, "version": version}
    )


def wrote(fence: int, write: Write = "live", run: UUID | None = None) -> list[Event]:
    told = str(run) if run else ""
    return [
        Event(write, "before", SCOPE.key, fence, told),
        Event(write, "after", SCOPE.key, fence, told),
    ]


RUNS = [run(FIRST), run(SECOND)]
MEMORIES = [born(FIRST), born(SECOND)]
REMAINS = Remains.of(RUNS, MEMORIES)
EVENTS = [*wrote(1, "run applied", RUNS[0].id), *wrote(2, "run applied", RUNS[1].id)]


def broken(remains: Remains, events: list[Event] = EVENTS) -> dict[str, int]:
    found = findings(SAID, remains, events)
    return {name: figure for name, figure in found.figures.items() if figure}


def test_nothing_is_found_where_every_turn_was_applied_once_and_in_order() -> None:
    assert broken(REMAINS) == {"batches": 2}


@pytest.mark.parametrize(
    ("remains", "seen"),
    [
        (lambda: Remains.of(RUNS[:1], MEMORIES), "lost"),
        (lambda: Remains.of(RUNS, MEMORIES[:1]), "unlearned"),
        (lambda: Remains.of([*RUNS, run(FIRST)], MEMORIES), "twice"),
        (lambda: Remains.of(RUNS, [*MEMORIES, born(FIRST)]), "twice"),
        (lambda: Remains.of(RUNS, MEMORIES, waiting=[uuid4()]), "waiting"),
        (lambda: Remains.of([run(SECOND, FIRST)], MEMORIES), "out_of_order"),
    ],
)
def test_a_broken_promise_is_seen(remains: Callable[[], Remains], seen: str) -> None:
    assert seen in BROKEN
    assert broken(remains())[seen] == 1


def test_a_turn_that_was_parked_or_waits_is_not_lost() -> None:
    parked = Remains.of(RUNS[:1], MEMORIES[:1], parked=[SECOND])
    waiting = Remains.of(RUNS[:1], MEMORIES[:1], waiting=[SECOND])

    assert "lost" not in broken(parked)
    assert "lost" not in broken(waiting)


def test_a_new_version_of_a_memory_is_no_second_birth() -> None:
    revised = born(FIRST, SECOND, version=2)

    assert broken(Remains.of(RUNS, [MEMORIES[0], revised])) == {"batches": 2}


def test_what_is_told_late_by_a_frozen_worker_was_applied_when_it_held_the_scope() -> None:
    before, after = wrote(1, "run applied", RUNS[0].id)

    assert "out_of_order" not in broken(
        REMAINS, [before, *wrote(2, "run applied", RUNS[1].id), after]
    )


def test_a_run_that_was_applied_late_is_out_of_order() -> None:
    late = [*wrote(1, "run applied", RUNS[1].id), *wrote(2, "run applied", RUNS[0].id)]

    assert broken(REMAINS, late)["out_of_order"] == 1


def test_a_worker_that_died_before_it_told_is_taken_by_its_last_word() -> None:
    """The first try came to nothing; the second was in time."""
    tries = [*wrote(1, "run applied", RUNS[1].id)[:1], *EVENTS[:2], *EVENTS[2:3]]

    assert "out_of_order" not in broken(REMAINS, tries)


@pytest.mark.parametrize(
    ("events", "count"),
    [
        ([*wrote(8), *wrote(9)], 0),
        ([*wrote(9), *wrote(8)], 1),
        # On its way when the other came: it may have landed before.
        ([wrote(8)[0], *wrote(9), wrote(8)[1]], 0),
        # Refused: it never told of an end.
        ([*wrote(9), wrote(8)[0], *wrote(9)], 0),
    ],
)
def test_a_write_after_another_holders_overlaps(events: list[Event], count: int) -> None:
    assert broken(REMAINS, [*EVENTS, *events]).get("overlapping", 0) == count


def test_what_is_broken_is_named() -> None:
    (told,) = findings(SAID, Remains.of(RUNS[:1], MEMORIES), EVENTS).examples(5)

    assert str(SECOND) in told


#: Every worker dies in the middle of its first batch, and so do those in its place until the time is up.
DEADLY = ("--at", "after live", "--crash", "1", "--turns", "120", "--seconds", "3")


def tortured(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = torture.main([*arguments, *DEADLY, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_nothing_is_lost_or_doubled_however_workers_die(
    capsys: pytest.CaptureFixture[str], redis_program: Path
) -> None:
    code, report = tortured(capsys, "--workers", "2")

    assert (code, {name: report[name] for name in BROKEN}) == (0, dict.fromkeys(BROKEN, 0))
    assert report["turns"] > 0
    assert report["kills_by_point"]["after live"] > 0
    assert list(report["kills_by_point"]) == list(POINTS)


def test_without_the_kept_plan_turns_are_done_twice(
    capsys: pytest.CaptureFixture[str], redis_program: Path
) -> None:
    code, report = tortured(capsys, "--workers", "1", "--control")

    assert code == 0
    assert report["twice"] > 0
