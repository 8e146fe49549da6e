"""The Celery app: what it listens for, and that bells of any origin find their task."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from celery.concurrency.thread import TaskPool as ThreadPool
from redis import Redis

from tests.redis_service import RedisServer
from worker.app import app, configuration, schedule_of
from worker.errors import Misconfigured
from worker.pump import WORK
from worker.settings import Settings

COMPOSE = Path(__file__).parents[2] / "deploy" / "compose.yaml"


def test_what_the_scheduler_rings_is_a_task_that_there_is() -> None:
    settings = Settings(sleep_at="0 3 * * *", _env_file=None)

    called = {entry["task"] for entry in schedule_of(settings).values()}

    assert called <= app.tasks.keys()
    assert "slowwave.call_to_sleep" in called


def test_the_scheduler_calls_nobody_to_sleep_unless_told() -> None:
    assert "call_to_sleep" not in schedule_of(Settings(_env_file=None))


def test_what_the_pump_rings_is_a_task_that_there_is() -> None:
    assert WORK.keys() <= app.tasks.keys()


def test_the_scheduler_goes_by_the_clock_on_the_wall(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOWWAVE_REDIS_URL", redis_url)
    monkeypatch.setenv("SLOWWAVE_SLEEP_AT", "0 3 * * *")
    monkeypatch.setenv("SLOWWAVE_SLEEP_TIME_ZONE", "Europe/Oslo")

    assert configuration()["timezone"] == "Europe/Oslo"
    monkeypatch.setenv("SLOWWAVE_SLEEP_AT", "at three")
    with pytest.raises(Misconfigured, match="SLOWWAVE_SLEEP_AT is 'at three'"):
        configuration()


class Green(ThreadPool):
    """Stands for gevent's and eventlet's, neither of which is installed."""

    is_green = True


@pytest.mark.filterwarnings("ignore:You're running the worker with superuser")
def test_a_pool_of_green_threads_is_refused_before_anything_starts(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOWWAVE_REDIS_URL", redis_url)

    with pytest.raises(Misconfigured, match=r"gevent and eventlet are refused.*-P threads"):
        app.Worker(pool_cls=Green)
    app.Worker(pool_cls=ThreadPool)


@pytest.mark.parametrize("beats", [1, 2])
def test_any_number_of_schedulers_starts_on_the_same_redis(
    redis_server: RedisServer, tmp_path: Path, beats: int
) -> None:
    own = {**os.environ, "SLOWWAVE_REDIS_URL": redis_server.url}
    command = [sys.executable, "-m", "celery", "-A", "worker.app", "beat", "--pidfile="]
    running = [
        subprocess.Popen(
            [*command, "--schedule", str(tmp_path / f"schedule{at}")],
            env=own,
            stderr=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        for at in range(beats)
    ]
    try:
        _wait_for(running, tmp_path)
    finally:
        for one in running:
            one.terminate()
        for one in running:
            one.wait(timeout=20)
    with Redis.from_url(redis_server.url) as client:
        assert client.ping()


def _wait_for(running: list[subprocess.Popen[bytes]], folder: Path) -> None:
    """Each has written down its schedule, or died."""
    deadline = time.monotonic() + 30
    while len(list(folder.glob("schedule?*"))) < len(running):
        assert all(one.poll() is None for one in running), "a scheduler died"
        assert time.monotonic() < deadline, "no schedule was written"
        time.sleep(0.05)


def test_a_redis_that_is_down_is_waited_for_without_end(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLOWWAVE_REDIS_URL", redis_url)

    told = configuration()

    # Celery ends after 100 tries otherwise; null is for ever (`kombu.utils.functional.retry_over_time`).
    assert told["broker_connection_max_retries"] is None
    assert told["broker_connection_retry_on_startup"] is True


def test_a_container_is_given_longer_than_a_worker_takes_to_let_go() -> None:
    (given,) = re.findall(r"stop_grace_period: (\d+)s", COMPOSE.read_text())

    assert int(given) >= Settings.model_fields["grace_seconds"].default + 5
