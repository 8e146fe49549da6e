"""`slowwave sleep`, as people and machines run it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from redis import Redis

from schemas.keys import PartitionKeys
from schemas.memory import Memory, MemoryRecord
from tests.build import SCOPE, at, memory
from tests.hold import HELD, Holding
from tests.worker.interfaces.cli.running import WHOSE, Cli, Shelf
from worker.adapters.inbox import Inbox
from worker.core.sleeping.again import AT_ONCE

TEA, AGAIN = "Likes green tea", "The user likes green tea."


def known(text: str, day: int, **fields: Any) -> Memory:
    return memory(text, said_at=at(day - 300), **fields)


@pytest.fixture
def full(shelf: Shelf) -> Shelf:
    """Two that say the same, one that has lapsed, one that has not."""
    shelf.put(
        known(TEA, 1),
        known(AGAIN, 2),
        known("Works from Porto", 3, until=at(-200), after="Works from Oslo"),
        known("Owns a lathe", 4),
    )
    return shelf


def live(cli: Cli) -> set[str]:
    return {line["text"] for line in cli("memories", *WHOSE, "--json").lines}


def test_a_night_is_told_in_a_table_and_done(cli: Cli, full: Shelf) -> None:
    slept = cli("sleep", *WHOSE)

    assert (slept.status, slept.err.count("Traceback")) == (0, 0)
    assert "slept: tests, ann: 3 changes, 0 calls, 0 tokens" in slept.out
    assert "Works from Oslo" in slept.out
    assert live(cli) == {TEA, "Works from Oslo", "Owns a lathe"}
    assert cli("sleep", *WHOSE, "--json").document["passes"][0]["changes"] == []


def test_a_dry_run_tells_the_same_and_does_nothing(cli: Cli, full: Shelf) -> None:
    before = live(cli)
    dry = cli("sleep", *WHOSE, "--dry-run", "--json").document

    assert live(cli) == before
    assert cli("runs", *WHOSE).out == ""
    real = cli("sleep", *WHOSE, "--json").document
    assert (dry["dry_run"], real["dry_run"]) == (True, False)
    for one, other in zip(dry["passes"], real["passes"], strict=True):
        assert one | {"seconds": 0} == other | {"seconds": 0}


def test_the_report_is_written_as_a_page(cli: Cli, full: Shelf, tmp_path: Path) -> None:
    page = tmp_path / "report.md"

    assert cli("sleep", "--all", "--report", str(page)).status == 0
    assert "# A night: tests, ann" in page.read_text()
    assert "| revise | Works from Porto | Works from Oslo |" in page.read_text()


def test_a_report_that_cannot_be_written_is_said(cli: Cli, full: Shelf, tmp_path: Path) -> None:
    slept = cli("sleep", *WHOSE, "--report", str(tmp_path / "nowhere" / "report.md"))

    assert slept.status == 1
    assert "was not written" in slept.err
    assert "Works from Oslo" in live(cli)


def test_a_run_of_sleep_is_undone_like_any_other(cli: Cli, full: Shelf) -> None:
    before = live(cli)
    cli("sleep", *WHOSE)

    for run in cli("runs", *WHOSE, "--json").lines:
        assert run["kind"] == "sleep"
        assert cli("undo", run["id"], *WHOSE).status == 0
    assert live(cli) == before


def test_all_scopes_are_slept_one_by_one_and_what_is_not_done_is_said(
    cli: Cli, full: Shelf
) -> None:
    other = known(TEA, 1).model_copy(update={"scope": SCOPE.model_copy(update={"user": "ben"})})
    full.store.writer(other.scope, HELD).prepare()
    full.put(other)
    line = {"app": SCOPE.app, "user": "ben", "role": "user", "text": "Hello"}
    cli("publish", cli.write(line))

    slept = cli("sleep", "--all", "--json")

    assert slept.status == 1
    assert "1 of 2 scopes are not done" in slept.err
    stopped = {line["scope"]["user"]: line["stopped"] for line in slept.lines}
    assert stopped["ann"] is None
    assert "1 turns wait" in stopped["ben"]
    assert "Works from Oslo" in live(cli)


@pytest.mark.parametrize(
    "arguments",
    [
        *[(), ("--app", "a"), ("--user", "b"), ("--all", *WHOSE), ("--all", "--app", "a")],
        *[("--due", "--all"), ("--due", *WHOSE)],
    ],
)
def test_it_has_to_be_said_whose(cli: Cli, arguments: tuple[str, ...]) -> None:
    told = cli("sleep", *arguments)

    assert told.status == 2
    assert "say which" in told.err


@pytest.fixture
def proposed(cli: Cli, shelf: Shelf) -> str:
    """Two pairs of which one went beyond the share; the run that waits."""
    shelf.put(
        *(known(f"Owns {n} kilns", n) for n in (1, 2)),
        *(known(f"The user owns {n} kilns.", n + 2) for n in (1, 2)),
    )
    assert cli("sleep", *WHOSE, "--json").document["waiting"] == 1
    run: str = cli("sleep", "review", *WHOSE, "--json").document["run"]
    return run


def test_what_waits_is_shown_with_its_words_and_carried_out(cli: Cli, proposed: str) -> None:
    shown = cli("sleep", "review", *WHOSE)
    assert "The user owns" in shown.out
    document = cli("sleep", "review", *WHOSE, "--json").document
    assert document["stands"]
    assert {one["kind"] for one in document["changes"]} == {"revise", "retire"}

    done = cli("sleep", "review", *WHOSE, "--accept", proposed[:8], "--json")

    assert (done.status, done.document) == (0, {"accepted": [proposed], "refused": []})
    assert len(live(cli)) == 2
    again = cli("sleep", "review", *WHOSE)
    assert (again.status, again.out) == (0, "")
    assert "nothing waits" in again.err


def test_what_is_refused_is_gone(cli: Cli, proposed: str) -> None:
    assert cli("sleep", "review", *WHOSE, "--refuse", proposed).status == 0

    assert len(live(cli)) == 3
    assert cli("sleep", "review", *WHOSE, "--json").lines == []
    assert cli("sleep", "review", *WHOSE, "--accept", proposed).status == 1


@pytest.mark.parametrize("is_forgotten", [True, False])
def test_words_of_a_proposal_that_stands_no_more_are_not_shown(
    cli: Cli, shelf: Shelf, proposed: str, is_forgotten: bool
) -> None:
    (shown,) = cli("sleep", "review", *WHOSE, "--json").lines
    id = shown["changes"][0]["memory_id"]
    if is_forgotten:
        assert cli("forget", id, *WHOSE, "--yes").status == 0
    else:
        changed = known("Owns a boat", 9, version=2, id=UUID(id))
        (vector,) = shelf.embedder.embed([changed.text])
        writer = shelf.store.writer(SCOPE, Holding(2**60))
        writer.put_memories([MemoryRecord(memory=changed, vector=vector)])

    told = cli("sleep", "review", *WHOSE)
    assert "kilns" not in told.out
    assert is_forgotten or "have changed since" in told.out
    assert cli("sleep", "review", *WHOSE, "--accept", proposed).status == 1


# Those that are due


@pytest.fixture
def quick(cli: Cli) -> Cli:
    return Cli(cli.folder, cli.environment | {"SLOWWAVE_SLEEP_QUIET_SECONDS": "0"})


def test_those_that_are_due_sleep_and_no_other(
    quick: Cli, full: Shelf, redis_client: Redis
) -> None:
    assert quick("sleep", "--due", "--json").out == ""
    Inbox(redis_client).sleepers.due(SCOPE.key, AT_ONCE)
    assert quick("status", "--json").document["sleep_due"] == 1

    slept = quick("sleep", "--due", "--json")

    assert (slept.status, slept.document["scope"]["user"]) == (0, "ann")
    assert "Works from Oslo" in live(quick)
    assert quick("sleep", "--due", "--json").out == ""
    assert quick("status", "--json").document["sleep_due"] == 0


def test_whoever_is_due_and_has_turns_that_wait_is_not_done(
    quick: Cli, full: Shelf, redis_client: Redis
) -> None:
    line = {"app": SCOPE.app, "user": SCOPE.user, "role": "user", "text": "Hello"}
    quick("publish", quick.write(line))
    Inbox(redis_client).sleepers.due(SCOPE.key, AT_ONCE)

    slept = quick("sleep", "--due")

    assert slept.status == 1
    assert "1 turns wait" in slept.err
    assert "1 of 1 scopes are not done" in slept.err


def test_whoever_is_not_to_be_disturbed_is_left_alone_and_nothing_is_wrong(
    quick: Cli, full: Shelf, redis_client: Redis
) -> None:
    Inbox(redis_client).sleepers.due(SCOPE.key, AT_ONCE)
    now = datetime.now(UTC)
    hours = f"{now + timedelta(hours=2):%H:%M}-{now + timedelta(hours=3):%H:%M}"

    slept = quick("sleep", "--due", SLOWWAVE_SLEEP_HOURS=hours)

    assert (slept.status, slept.out) == (0, "")
    assert "1 scopes are left alone for now" in slept.err


def test_a_night_by_hand_tells_a_redis_that_lost_its_data_when_the_next_is_due(
    quick: Cli, shelf: Shelf, redis_client: Redis
) -> None:
    lapses_at = datetime.now(UTC) + timedelta(days=3)
    shelf.put(known("Works from Porto", 3, until=lapses_at, after="Works from Oslo"))

    quick("sleep", "--all", "--dry-run")
    assert not redis_client.exists(PartitionKeys(0).sleep)
    quick("sleep", "--all")

    due_at = redis_client.zscore(PartitionKeys(0).sleep, SCOPE.key)
    assert due_at
    assert abs(due_at / 1000 - lapses_at.timestamp()) < 1


def test_what_is_due_is_taken_up_and_not_only_looked_at(cli: Cli) -> None:
    told = cli("sleep", "--due", "--dry-run")

    assert told.status == 2
    assert "--dry-run goes with" in told.err


def test_a_part_that_fails_for_everyone_ends_it(
    quick: Cli, shelf: Shelf, redis_client: Redis
) -> None:
    inbox = Inbox(redis_client)
    for user in "abcd":
        scope = SCOPE.model_copy(update={"user": user})
        shelf.store.writer(scope, HELD).prepare()
        shelf.put(known(TEA, 1, scope=scope), known(AGAIN, 2, scope=scope))
        inbox.sleepers.due(scope.key, AT_ONCE)
    nowhere = {"SLOWWAVE_MODEL_URL": "http://127.0.0.1:1/v1", "SLOWWAVE_MODEL_KEY": "key"}

    slept = quick("sleep", "--due", SLOWWAVE_MODEL="small", **nowhere)

    assert slept.status == 1
    assert "the model fails for everyone" in slept.err
    assert inbox.status().sleep_due == 1
