import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from schemas.keys import PartitionKeys, ScopeKeys
from schemas.scope import Scope
from schemas.turn import Turn
from tests.worker.interfaces.cli.running import Cli

SLOWWAVE = (sys.executable, "-P", "-m", "worker.interfaces.cli.main")


def turn(text: str, **fields: Any) -> Any:
    return {"app": "tests", "user": "ann", "role": "user", "text": text} | fields


@pytest.fixture
def stream(redis_url: str) -> str:
    return f"{redis_url}?stream=turns&idle=0.5"


@contextmanager
def running(cli: Cli, *arguments: str, **how: Any) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*SLOWWAVE, "ingest", *arguments],
        env={**os.environ, **cli.environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **how,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def inbox(client: Redis, user: str = "ann") -> list[Turn]:
    key = Scope(app="tests", user=user).key
    stored: Any = client.lrange(ScopeKeys(PartitionKeys(0).partition, key).turns, 0, -1)
    return [Turn.model_validate_json(entry.partition(b" ")[2]) for entry in stored]


def until(found: Any) -> None:
    """Waits for it, for half a minute at most."""
    for _ in range(1_500):
        if found():
            return
        time.sleep(0.02)
    pytest.fail("it did not come to pass")


def pending(client: Redis) -> int:
    return int(client.xpending("turns", "slowwave")["pending"])


def test_a_stream_is_taken_and_acknowledged(cli: Cli, redis_client: Redis, stream: str) -> None:
    redis_client.xadd("turns", turn("I live in Oslo."))
    redis_client.xadd("turns", {"turn": json.dumps(turn("I like tea.", metadata={"a": 1}))})

    told = cli("ingest", stream, "--once", "--json")
    again = cli("ingest", stream, "--once", "--json")

    assert told.status == again.status == 0
    assert told.document == {"accepted": 2, "duplicate": 0, "refused": 0, "waiting": 0}
    assert again.document["accepted"] == again.document["duplicate"] == 0
    assert [turn.text for turn in inbox(redis_client)] == ["I live in Oslo.", "I like tea."]
    assert pending(redis_client) == 0
    assert redis_client.xinfo_consumers("turns", "slowwave") == []


def test_an_entry_that_is_delivered_again_is_one_turn(
    cli: Cli, redis_client: Redis, stream: str
) -> None:
    redis_client.xadd("turns", turn("yes"))
    redis_client.xadd("turns", turn("yes"))
    cli("ingest", stream, "--once")

    told = cli("ingest", f"{stream}&group=second", "--once", "--json")

    assert told.document["duplicate"] == 2
    assert len(inbox(redis_client)) == 2


def test_a_refused_entry_is_put_aside_and_the_rest_goes_in(
    cli: Cli, redis_client: Redis, stream: str
) -> None:
    redis_client.xadd("turns", {"turn": "{nonsense"})
    redis_client.xadd("turns", turn("a", sayd_at="x"))
    redis_client.xadd("turns", {"app": "tests", "role": "user", "text": "b"})
    redis_client.xadd("turns", turn("c"))

    told = cli("ingest", stream, "--once")

    assert told.status == 0
    assert told.out == "accepted 1, duplicate 0, refused 3, waiting 0\n"
    assert "turns:refused" in told.err
    aside: Any = redis_client.xrange("turns:refused")
    reasons = [fields[b"refused:reason"].decode() for _, fields in aside]
    for reason, part in zip(
        sorted(reasons), ["`sayd_at`", "`user` is missing", "is not JSON"], strict=True
    ):
        assert part in reason
    assert pending(redis_client) == 0


def test_names_may_be_left_out_where_they_are_given(
    cli: Cli, redis_client: Redis, stream: str
) -> None:
    redis_client.xadd("turns", {"role": "user", "text": "Hi."})

    assert cli("ingest", stream, "--once", "--app", "tests", "--user", "ann").status == 0
    assert len(inbox(redis_client)) == 1


def test_a_full_inbox_holds_back_and_goes_on_once_there_is_room(
    cli: Cli, redis_client: Redis, stream: str
) -> None:
    limits = {"SLOWWAVE_MAX_PENDING": "2", "SLOWWAVE_QUIET_SECONDS": "0"}
    cli("drain", **limits)  # who works sets the limits
    for text in "abcde":
        redis_client.xadd("turns", turn(text))

    with running(cli, stream, "--json") as process:
        until(lambda: len(inbox(redis_client)) == 2)
        until(lambda: pending(redis_client) == 3)
        done = 0
        while done < 5:
            done += cli("drain", "--all", "--json", **limits).document["turns"]
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)

    assert (process.returncode, json.loads(out)["accepted"]) == (0, 5)
    assert "waits, nothing is lost" in err
    assert pending(redis_client) == 0


def test_who_is_to_end_does_not_wait_for_room_for_ever(
    cli: Cli, redis_client: Redis, stream: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.interfaces.cli.ingesting.FIRST_SECONDS", 0.001)
    cli("drain", SLOWWAVE_MAX_PENDING="1")
    for text in "abc":
        redis_client.xadd("turns", turn(text))

    told = cli("ingest", stream, "--once", "--json")

    assert told.status == 1
    assert (told.document["accepted"], told.document["waiting"]) == (1, 2)
    assert "2 turns in hand are left where they were" in told.err
    assert pending(redis_client) == 2


def test_of_two_consumers_one_is_killed_and_every_entry_is_in_once(
    cli: Cli, redis_client: Redis, stream: str
) -> None:
    def _add(first: int) -> None:
        pipeline = redis_client.pipeline()
        for number in range(first, first + 2_000):
            pipeline.xadd("turns", turn(str(number), user=f"u{number % 7}"))
        pipeline.execute()

    _add(0)
    with running(cli, stream) as killed, running(cli, stream) as other:
        until(lambda: any(inbox(redis_client, f"u{n}") for n in range(7)))
        killed.send_signal(signal.SIGSTOP)  # with a batch in hand, or between two
        _add(2_000)
        killed.kill()
        until(lambda: _is_taken(redis_client, 4_000))
        other.send_signal(signal.SIGINT)
        other.communicate(timeout=60)

    found = [t.text for n in range(7) for t in inbox(redis_client, f"u{n}")]
    assert sorted(found, key=int) == [str(number) for number in range(4_000)]
    assert other.returncode == 0


def _is_taken(client: Redis, entries: int) -> bool:
    (group,) = client.xinfo_groups("turns")
    return bool(group["pending"] == 0 and group["entries-read"] == entries)


def test_what_an_abandoned_consumer_had_goes_in_once(
    cli: Cli, redis_client: Redis, stream: str
) -> None:
    redis_client.xgroup_create("turns", "slowwave", "0", mkstream=True)
    for text in "abc":
        redis_client.xadd("turns", turn(text))
    redis_client.xreadgroup("slowwave", "abandoned", {"turns": ">"}, count=2)

    with running(cli, stream) as process:
        until(lambda: _is_taken(redis_client, 3))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)

    assert sorted(turn.text for turn in inbox(redis_client)) == ["a", "b", "c"]


def test_a_stream_on_the_queues_own_redis_needs_no_address(cli: Cli, redis_client: Redis) -> None:
    redis_client.xadd("turns", turn("Hi."))

    assert cli("ingest", "stream:turns", "--once", "--json").document["accepted"] == 1


def test_the_embedded_redis_serves_where_no_other_is_named(cli: Cli) -> None:
    environment = {k: v for k, v in cli.environment.items() if k != "SLOWWAVE_REDIS_URL"}
    embedded = Cli(cli.folder, environment)
    file = embedded.write(turn("Hi."))

    first = embedded("ingest", file, "--once", "--json")
    second = embedded("ingest", file, "--once", "--json")

    assert "using the embedded Redis" in first.err
    assert (first.document["accepted"], second.document["accepted"]) == (1, 0)
    assert embedded("ingest", "stream:turns", "--once").status == 0


def test_a_file_is_gone_on_with_where_the_last_run_stopped(cli: Cli, redis_client: Redis) -> None:
    file = cli.write(turn("yes"), turn("yes"), turn("a", id="1"))

    first = cli("ingest", file, "--once", "--json")
    cli.write(turn("yes"), turn("yes"), turn("a", id="1"), turn("yes"), turn("b", id="2"))
    second = cli("ingest", file, "--once", "--json")
    published = cli("publish", file, "--json")

    assert first.document["accepted"] == 3
    assert second.document == {"accepted": 2, "duplicate": 0, "refused": 0, "waiting": 0}
    assert published.document["duplicate"] == 5
    assert len(inbox(redis_client)) == 5


def test_a_refused_line_is_named_and_the_rest_goes_in(cli: Cli) -> None:
    file = cli.write(turn("a"), {"app": "tests", "role": "user", "text": "x"}, turn("b"))

    told = cli("ingest", file, "--once")

    assert told.status == 1
    assert told.out == "accepted 2, duplicate 0, refused 1, waiting 0\n"
    assert "line 2: `user` is missing" in told.err


def test_a_file_is_followed_until_told_to_stop(cli: Cli, redis_client: Redis) -> None:
    file = cli.write(turn("a"))

    with running(cli, file, "--json") as process:
        until(lambda: len(inbox(redis_client)) == 1)
        with Path(file).open("a") as more:
            more.write(json.dumps(turn("b")) + "\n")
        until(lambda: len(inbox(redis_client)) == 2)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)

    assert process.returncode == 0
    assert json.loads(out)["accepted"] == 2


def test_a_file_that_is_replaced_while_it_is_followed_is_said(
    cli: Cli, redis_client: Redis
) -> None:
    file = cli.write(turn("a"))

    with running(cli, file) as process:
        until(lambda: len(inbox(redis_client)) == 1)
        Path(file).unlink()
        _, err = process.communicate(timeout=60)

    assert process.returncode == 1
    assert "was replaced or cut short" in err


def test_a_pipe_is_taken_as_it_comes(cli: Cli, redis_client: Redis) -> None:
    with running(cli, "-", "--json", stdin=subprocess.PIPE) as process:
        assert process.stdin
        process.stdin.write(json.dumps(turn("a")) + "\n")
        process.stdin.flush()
        until(lambda: len(inbox(redis_client)) == 1)
        process.stdin.write(json.dumps(turn("b")))
        out, _ = process.communicate(timeout=60)

    assert process.returncode == 0
    assert json.loads(out)["accepted"] == 2


def test_turns_from_a_pipe_that_are_not_in_are_said_to_be_lost_with_it(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.interfaces.cli.ingesting.FIRST_SECONDS", 0.001)
    cli("drain", SLOWWAVE_MAX_PENDING="1")

    told = cli("ingest", "-", "--once", given="".join(json.dumps(turn(t)) + "\n" for t in "ab"))

    assert told.status == 1
    assert "1 turns were read from stdin and are not in" in told.err


def test_a_run_to_the_end_that_a_signal_cuts_short_has_failed(
    cli: Cli, redis_client: Redis, stream: str
) -> None:
    cli("drain", SLOWWAVE_MAX_PENDING="1")
    for text in "ab":
        redis_client.xadd("turns", turn(text))

    with running(cli, stream, "--once", "--json") as process:
        until(lambda: len(inbox(redis_client)) == 1)
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=60)

    assert process.returncode == 130
    assert json.loads(out)["waiting"] == 1


@pytest.mark.parametrize(
    ("source", "status", "reason"),
    [
        ("kafka://h/topic", 2, "nothing here reads kafka"),
        ("redis://h:1/0", 2, "names no stream"),
        ("redis://h:1/0?strem=x", 2, "stream=NAME"),
        ("nowhere.jsonl", 1, "nowhere.jsonl cannot be read"),
    ],
)
def test_what_is_no_source_is_said(cli: Cli, source: str, status: int, reason: str) -> None:
    told = cli("ingest", source, "--once")

    assert told.status == status
    assert reason in " ".join(told.err.split())


def test_passwords_are_not_shown(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worker.interfaces.cli.ingesting.FIRST_SECONDS", 0.001)

    told = cli("ingest", "redis://:secret@127.0.0.1:1/0?stream=turns", "--once")

    assert told.status == 1
    assert "does not answer" in told.err
    assert "secret" not in told.err + told.out
