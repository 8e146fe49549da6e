import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.build import SCOPE
from tests.redis_service import RedisServer
from tests.worker.interfaces.cli.running import WHOSE, Cli
from worker.adapters.redis_server import connect

SLOWWAVE = (sys.executable, "-P", "-m", "worker.interfaces.cli.main")
TURN = {"app": SCOPE.app, "user": SCOPE.user, "role": "user", "text": "I live in Oslo."}


@contextmanager
def running(cli: Cli, *arguments: str, **without: None) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, **cli.environment, "SLOWWAVE_QUIET_SECONDS": "0"}
    process = subprocess.Popen(
        [*SLOWWAVE, *arguments],
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
        out, err = worker.communicate(timeout=20)

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
        out, err = worker.communicate(timeout=30)

    assert worker.returncode == 1
    assert not out
    assert err.splitlines()[-1].startswith("slowwave: Redis is full")
    assert "slowwave drain --all" in err.splitlines()[-1]
    assert "Traceback" not in err


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
        worker.communicate(timeout=20)

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
        service.communicate(timeout=20)

    assert told[0] == "slowwave is up\n"
    assert any("slowwave publish" in line for line in told)
    assert not any("redis://" in line and "@" in line and "***" not in line for line in told)
    assert service.returncode == 0
    assert "Oslo" in cli("memories", *WHOSE).out
