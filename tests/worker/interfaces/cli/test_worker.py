import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from typing import Any

import pytest
from redis import Redis

from schemas.keys import PartitionKeys
from tests.build import SCOPE
from tests.endpoint import endpoint
from tests.redis_service import RedisServer
from tests.worker.interfaces.cli.running import WHOSE, Cli
from worker.adapters.redis_server import connect

SLOWWAVE = (sys.executable, "-P", "-m", "worker.interfaces.cli.main")
#: The same, but it takes a bell while its threads are busy, as one may that puts scopes of the store to rest.
GREEDY = (
    *(sys.executable, "-P", "-c"),
    (
        "from worker.app import app; from worker.interfaces.cli.main import run;"
        " app.conf.worker_disable_prefetch = False; app.conf.worker_prefetch_multiplier = 2; run()"
    ),
)
TURN = {"app": SCOPE.app, "user": SCOPE.user, "role": "user", "text": "I live in Oslo."}


@contextmanager
def running(
    cli: Cli, *arguments: str, program: Sequence[str] = SLOWWAVE, **without: None
) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, **cli.environment, "SLOWWAVE_QUIET_SECONDS": "0"}
    process = subprocess.Popen(
        [*program, *arguments],
        env={name: value for name, value in environment.items() if name not in without},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def test_a_worker_says_when_it_is_ready_learns_and_stops_when_told(cli: Cli) -> None:
    with running(cli, "worker", "--concurrency", "2", "--json") as worker:
        assert worker.stdout
        ready = json.loads(worker.stdout.readline())
        cli("publish", cli.write(TURN))
        while cli("status", "--json").document["pending_turns"]:
            assert worker.poll() is None
        worker.send_signal(signal.SIGTERM)
        out, err = worker.communicate(timeout=60)

    assert (ready["state"], ready["concurrency"]) == ("ready", 2)
    assert worker.returncode == 0
    assert out == ""
    assert "Traceback" not in err
    assert "Oslo" in cli("memories", *WHOSE).out


def test_a_worker_on_a_full_redis_says_that_it_is_full(cli: Cli, redis_server: RedisServer) -> None:
    with connect(redis_server.url) as client:
        client.config_set("maxmemory", client.info("memory")["used_memory"] // 2)
    full = Cli(cli.folder, {**cli.environment, "SLOWWAVE_REDIS_URL": redis_server.url})

    with running(full, "worker") as worker:
        out, err = worker.communicate(timeout=60)

    assert worker.returncode == 1
    assert not out
    assert err.splitlines()[-1].startswith("slowwave: Redis is full")
    assert "slowwave drain --all" in err.splitlines()[-1]
    assert "Traceback" not in err


def test_a_worker_on_a_cluster_asks_for_a_broker_that_is_none(cli: Cli) -> None:
    url = "redis+cluster://:hunter2@127.0.0.1:1"
    clustered = Cli(cli.folder, {**cli.environment, "SLOWWAVE_REDIS_URL": url})

    with running(clustered, "worker") as worker:
        out, err = worker.communicate(timeout=60)

    assert worker.returncode == 1
    assert not out
    assert "SLOWWAVE_BROKER_URL" in err.splitlines()[-1]
    assert "Traceback" not in err
    assert "hunter2" not in err


def test_what_celery_warns_of_is_in_the_log(cli: Cli, redis_server: RedisServer) -> None:
    alone = Cli(cli.folder, {**cli.environment, "SLOWWAVE_REDIS_URL": redis_server.url})
    with running(alone, "worker", "--json") as worker:
        assert worker.stdout
        assert worker.stderr
        worker.stdout.readline()
        redis_server.kill()
        while '"celery"' not in (line := worker.stderr.readline()):
            assert worker.poll() is None
        redis_server.start()
        worker.send_signal(signal.SIGTERM)
        worker.communicate(timeout=60)

    assert json.loads(line)["level"] in {"warning", "error"}


def test_up_brings_its_own_redis_and_tells_how_to_use_it(cli: Cli) -> None:
    with running(cli, "up", SLOWWAVE_REDIS_URL=None) as service:
        assert service.stdout
        told = [service.stdout.readline() for _ in range(10)]
        embedded = cli.environment.copy()
        del embedded["SLOWWAVE_REDIS_URL"]
        here = Cli(cli.folder, embedded)
        here("publish", here.write(TURN))
        while here("status", "--json").document["pending_turns"]:
            assert service.poll() is None
        service.send_signal(signal.SIGINT)
        service.communicate(timeout=60)

    assert told[0] == "slowwave is up\n"
    assert any("slowwave publish" in line for line in told)
    assert not any("redis://" in line and "@" in line and "***" not in line for line in told)
    assert service.returncode == 0
    assert "Oslo" in cli("memories", *WHOSE).out


class Stuck:
    """A model that says nothing until it is let go."""

    def __init__(self) -> None:
        self.asked, self.released = Event(), Event()

    def __call__(self, job: str, document: dict[str, Any]) -> dict[str, Any]:
        self.asked.set()
        self.released.wait()
        return {"facts": []}


@pytest.fixture
def stuck(cli: Cli) -> Iterator[tuple[Stuck, Cli]]:
    model = Stuck()
    with endpoint(model) as server:
        own = {"SLOWWAVE_MODEL": "m", "SLOWWAVE_MODEL_URL": server.url}
        yield model, Cli(cli.folder, {**cli.environment, **own})
        model.released.set()


def attempts(redis: Redis) -> list[bytes | str]:
    return redis.hvals(PartitionKeys(0).attempts)


def test_a_call_that_outlasts_the_grace_gives_its_turns_back_and_uses_up_no_attempt(
    stuck: tuple[Stuck, Cli], redis_client: Redis
) -> None:
    model, cli = stuck
    hasty = Cli(cli.folder, {**cli.environment, "SLOWWAVE_GRACE_SECONDS": "0.2"})
    cli("publish", cli.write(TURN))
    with running(hasty, "worker") as worker:
        assert model.asked.wait(60)
        assert attempts(redis_client) == [b"1"]
        worker.send_signal(signal.SIGTERM)
        worker.communicate(timeout=60)

    assert worker.returncode == 0
    assert attempts(redis_client) == []
    figures = cli("status", "--json").document
    assert (figures["ready"], figures["busy"], figures["pending_turns"]) == (1, 0, 1)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_it_at_once_and_gives_back_what_it_holds(
    stuck: tuple[Stuck, Cli], redis_client: Redis, how: signal.Signals
) -> None:
    model, cli = stuck
    patient = Cli(cli.folder, {**cli.environment, "SLOWWAVE_GRACE_SECONDS": "600"})
    cli("publish", cli.write(TURN))
    with running(patient, "worker") as worker:
        assert model.asked.wait(60)
        worker.send_signal(how)
        with pytest.raises(subprocess.TimeoutExpired):
            worker.wait(0.5)
        worker.send_signal(how)
        worker.communicate(timeout=60)

    assert worker.returncode == 130
    assert attempts(redis_client) == []
    assert cli("status", "--json").document["busy"] == 0


def test_what_is_done_within_the_grace_is_committed(
    stuck: tuple[Stuck, Cli], redis_client: Redis
) -> None:
    model, cli = stuck
    cli("publish", cli.write(TURN))
    with running(cli, "worker") as worker:
        assert model.asked.wait(60)
        worker.send_signal(signal.SIGTERM)
        model.released.set()
        worker.communicate(timeout=60)

    assert worker.returncode == 0
    assert cli("status", "--json").document["pending_scopes"] == 0


def bells_sent(redis: Redis) -> int:
    return int(redis.info("commandstats").get("cmdstat_lpush", {"calls": 0})["calls"])


def test_a_worker_outlives_a_redis_that_is_lost_while_a_bell_waits_for_a_thread(
    stuck: tuple[Stuck, Cli], redis_server: RedisServer
) -> None:
    model, cli = stuck
    alone = Cli(cli.folder, {**cli.environment, "SLOWWAVE_REDIS_URL": redis_server.url})
    alone("publish", alone.write(*({**TURN, "user": f"user{at}"} for at in range(4))))
    one_thread = ("worker", "--concurrency", "1")
    with (
        running(alone, *one_thread, program=GREEDY) as worker,
        connect(redis_server.url) as own,
    ):
        assert model.asked.wait(60)
        # The only thread is busy with the first, so the second was sent and taken, and waits.
        while bells_sent(own) < 2 or own.llen("slowwave:celery:slowwave"):
            assert worker.poll() is None
        redis_server.kill()
        assert worker.stderr
        while "Connection to broker lost" not in worker.stderr.readline():
            assert worker.poll() is None
        redis_server.start()
        model.released.set()
        while alone("status", "--json").document["pending_turns"]:
            assert worker.poll() is None
        worker.send_signal(signal.SIGTERM)
        _, err = worker.communicate(timeout=60)

    assert worker.returncode == 0
    assert "AttributeError" not in err
    assert "DUMP STATE" not in err
