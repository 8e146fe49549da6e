"""The Celery app: what it listens for, and that bells of any origin find their task."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from redis import Redis

from tests.redis_service import RedisServer
from worker.app import SCHEDULE, app


def test_what_the_scheduler_rings_is_a_task_that_there_is() -> None:
    assert {entry["task"] for entry in SCHEDULE.values()} <= app.tasks.keys()


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
