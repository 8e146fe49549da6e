import os
import subprocess
import sys

import pytest
from redis import Redis

from schemas.keys import PartitionKeys
from schemas.limits import Limits
from tests.worker.interfaces.cli.running import Cli
from worker.adapters.inbox import Inbox

COMMANDS = (
    *("demo", "up", "worker", "publish", "drain", "memories", "history", "recall", "status"),
    "check",
)
DOWN = "redis://127.0.0.1:1/0"
WHOSE = ("--app", "a", "--user", "u")


def test_help_lists_every_command_in_the_order_one_meets_them(cli: Cli) -> None:
    told = cli("--help")

    listed = [line.split()[0] for line in told.out.partition("Commands:")[2].splitlines() if line]
    assert tuple(word for word in listed if word in COMMANDS) == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_speaks_json(cli: Cli, command: str) -> None:
    told = cli(command, "--help")

    assert told.status == 0
    assert "--json" in told.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("memories", "--app", "a"),
        ("memories", *WHOSE, "--limit", "0"),
        ("memories", "--app", " ", "--user", "u"),
        ("history", "xyz!", *WHOSE),
        ("history", "abc", *WHOSE),
        ("recall", "tea", *WHOSE, "--limit", "0"),
        ("recall", "tea", *WHOSE, "--mmr", "2"),
        ("recall", "tea", *WHOSE, "--field", "document"),
        ("recall", "tea", *WHOSE, "--shown", "abc=1"),
        ("recall", "tea", *WHOSE, "--said-from", "May"),
        ("recall", "tea", *WHOSE, "--with-history", "--as-of", "2026-05-24"),
        ("publish",),
        ("drain", "--nonsense"),
        ("worker", "--concurrency", "0"),
        ("demo", "--detector", "nonsense"),
        ("demo", "--resolver", "nonsense"),
        ("demo", "--threshold", "2"),
    ],
)
def test_wrong_usage_ends_with_2_and_a_reason(cli: Cli, arguments: tuple[str, ...]) -> None:
    told = cli(*arguments)

    assert told.status == 2
    assert not told.out
    assert "Error" in told.err
    assert "Traceback" not in told.err


def test_an_unknown_detector_is_answered_with_those_there_are(cli: Cli) -> None:
    assert "batchwise" in cli("demo", "--detector", "nonsense").err


def test_a_wrong_setting_is_named_on_one_line(cli: Cli) -> None:
    told = cli("status", SLOWWAVE_BATCH_TURNS="none")

    assert told.status == 1
    assert told.err.startswith("slowwave: wrong settings: SLOWWAVE_BATCH_TURNS")
    assert told.err.count("\n") == 1
    assert not told.out


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize("arguments", [("memories", *WHOSE), ("recall", "x", *WHOSE)])
def test_reading_needs_no_queue(cli: Cli, arguments: tuple[str, ...]) -> None:
    assert cli(*arguments, SLOWWAVE_REDIS_URL=DOWN).status == 0


def test_looking_at_the_queue_leaves_the_workers_limits_alone(
    cli: Cli, redis_client: Redis
) -> None:
    cli("drain", SLOWWAVE_MAX_PENDING="7")
    cli("status", SLOWWAVE_MAX_PENDING="8")
    cli("check", SLOWWAVE_MAX_PENDING="9")

    assert redis_client.hget(PartitionKeys(0).config, "max_pending") == b"7"


def test_a_drain_leaves_the_limits_of_the_fleet_alone(cli: Cli, redis_client: Redis) -> None:
    Inbox(redis_client).configure(Limits(max_pending=7))
    cli("drain", SLOWWAVE_MAX_PENDING="8")

    assert redis_client.hget(PartitionKeys(0).config, "max_pending") == b"7"


@pytest.mark.parametrize("arguments", [("status",), ("status", "--json"), ("drain",)])
def test_a_redis_that_is_down_is_said_on_one_line(cli: Cli, arguments: tuple[str, ...]) -> None:
    told = cli(*arguments, SLOWWAVE_REDIS_URL=DOWN)

    assert told.status == 1
    assert told.err.startswith("slowwave: ")
    assert "Redis" in told.err
    assert "Traceback" not in told.err
    assert not told.out


def test_an_address_that_is_wrong_is_not_repeated_with_its_password(cli: Cli) -> None:
    told = cli("memories", *WHOSE, SLOWWAVE_STORE_URL="http://ann:hunter2@w")

    assert told.status == 1
    assert "SLOWWAVE_STORE_URL" in told.err
    assert "hunter2" not in told.err


def test_a_pipe_that_is_closed_early_is_no_error_worth_a_word(cli: Cli) -> None:
    command = [sys.executable, "-P", "-m", "worker.interfaces.cli.main", "status"]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        command,
        env={**os.environ, **cli.environment},
        check=False,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writing)

    assert done.stderr == ""
