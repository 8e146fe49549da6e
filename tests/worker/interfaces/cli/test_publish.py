import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.redis_service import RedisServer
from tests.worker.interfaces.cli.running import Cli
from worker.interfaces.cli import publish as publish_module


def turn(text: str, **fields: Any) -> dict[str, Any]:
    return {"app": "tests", "user": "ann", "role": "user", "text": text} | fields


def test_turns_are_counted_and_a_second_time_they_are_duplicates(cli: Cli) -> None:
    file = cli.write(turn("Hi."), turn("Hi."), turn("I live in Oslo.", id="3"))

    first, second = cli("publish", file, "--json"), cli("publish", file, "--json")

    assert first.status == second.status == 0
    assert first.document["accepted"] == 3
    assert second.document["duplicate"] == 3
    assert cli("status", "--json").document["pending_turns"] == 3


def test_a_history_longer_than_a_portion_is_the_same_history_again(cli: Cli) -> None:
    file = cli.write(*[turn("yes") for _ in range(450)])

    assert cli("publish", file, "--json").document["accepted"] == 450
    assert cli("publish", file, "--json").document["duplicate"] == 450


def test_turns_are_read_from_stdin_and_lines_may_leave_out_whose_they_are(cli: Cli) -> None:
    given = json.dumps({"role": "user", "text": "I live in Oslo."})

    told = cli("publish", "-", "--app", "tests", "--user", "ann", given=given)

    assert told.status == 0
    assert told.out == "accepted 1, duplicate 0, full 0, refused 0\n"


def test_a_refused_line_is_named_with_the_reason_and_the_rest_goes_in(cli: Cli) -> None:
    file = cli.write(turn("Hi."), {"app": "tests", "role": "user", "text": "x"}, turn("Bye."))

    told = cli("publish", file)

    assert told.status == 1
    assert told.out.splitlines()[0].startswith("line 2: `user` is missing")
    assert told.out.splitlines()[1] == "accepted 2, duplicate 0, full 0, refused 1"
    assert "1 lines were refused" in told.err


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"app":"a","user":"u","role":"user","text":"x","sayd_at":"y"}', "`said_at`"),
        ('{"app":"a","user":"u","role":"user","text":"a\\u0000b"}', "NUL"),
        ('{"app":"a","user":"u","role":"user","text":"x","said_at":"2026-01-01T10:00:00"}', "zone"),
        (json.dumps(turn("x" * 200_000)), "200,000 characters"),
        ("{", "is not JSON"),
        ("[]", "is not an object"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(cli: Cli, line: str, reason: str) -> None:
    told = cli("publish", "-", "--json", given=f"\n{line}\n")

    assert told.status == 1
    assert told.document["refused"] == 1
    (problem,) = told.document["problems"]
    assert problem["line"] == 2
    assert reason in problem["message"]


def test_a_user_with_too_much_waiting_is_full_and_that_is_no_success(cli: Cli) -> None:
    limit = {"SLOWWAVE_MAX_PENDING": "2"}
    cli("drain", **limit)  # who works sets the limits

    told = cli("publish", cli.write(*map(turn, "abcd")), "--json", **limit)

    assert told.status == 1
    assert (told.document["accepted"], told.document["full"]) == (2, 2)
    assert "slowwave worker" in told.err or "a worker runs" in told.err


def test_a_redis_that_goes_away_leaves_word_how_far_it_came(
    cli: Cli, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _dies_after(redis_server, 1, monkeypatch)
    file = cli.write(*[turn("yes") for _ in range(450)])

    told = cli("publish", file, "--json", SLOWWAVE_REDIS_URL=redis_server.url)

    assert told.status == 1
    assert told.document["accepted"] == 200
    assert "line 201" in told.err
    assert "200 turns are in" in told.err
    assert "Traceback" not in told.err


def _dies_after(server: RedisServer, portions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole: Callable[..., Any] = publish_module._publish_portion
    done: list[None] = []

    def publishing(*arguments: Any) -> None:
        if len(done) == portions:
            server.kill()
        done.append(whole(*arguments))

    monkeypatch.setattr(publish_module, "_publish_portion", publishing)


def test_a_file_that_is_not_there_is_said(cli: Cli) -> None:
    told = cli("publish", "nowhere.jsonl")

    assert told.status == 1
    assert "nowhere.jsonl cannot be read" in told.err
