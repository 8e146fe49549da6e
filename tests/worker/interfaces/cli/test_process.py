import os
import sys
import time
from pathlib import Path

import pytest

from worker.interfaces.cli import process
from worker.interfaces.cli.ending import Failed

DIES = "import sys; print('no memory left', file=sys.stderr); sys.exit(7)"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True); time.sleep(60)"
TALKS = """
import json, time
print(json.dumps({"event": "batch_failed", "reason": "the model is down"}))
print("not JSON")
print(json.dumps({"event": "batch_settled"}), flush=True)
time.sleep(60)
"""


def running(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    monkeypatch.setattr(process, "COMMAND", (sys.executable, "-c", script))


def wait_for_words(log: Path) -> None:
    while not log.exists() or not log.read_text():
        time.sleep(0.01)


def test_a_worker_that_died_is_noticed_and_its_last_words_are_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    running(monkeypatch, DIES)

    with process.worker_process(os.environ, tmp_path / "log") as worker:
        worker.wait()
        with pytest.raises(Failed, match=r"(?s)status 7.*no memory left"):
            worker.check()


def test_what_failed_is_told_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    running(monkeypatch, TALKS)

    with process.worker_process(os.environ, tmp_path / "log") as worker:
        wait_for_words(tmp_path / "log")
        worker.check()

        assert worker.failures() == ["the model is down"]
        assert worker.failures() == []


def test_a_worker_that_does_not_stop_is_ended(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    running(monkeypatch, STUBBORN)
    monkeypatch.setattr(process, "GRACE_SECONDS", 0.1)

    with process.worker_process(os.environ, tmp_path / "log") as worker:
        wait_for_words(tmp_path / "log")
        pid = worker.pid

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
