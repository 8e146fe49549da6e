"""A worker in a process of its own, watched by the command that started it."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from worker.interfaces.cli.ending import Failed

#: `-P` keeps a folder named `worker` where the command is run from being taken for ours.
COMMAND = (sys.executable, "-P", "-m", "worker.interfaces.cli.main", "worker")
#: Lines of the worker's log that are shown when it fails.
LAST_LINES = 15
#: Seconds that a worker has to finish what it holds.
GRACE_SECONDS = 20


class WorkerProcess:
    """Its output goes to a file, which is read for what went wrong."""

    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self._process = process
        self._log = log
        self._read = 0

    @property
    def pid(self) -> int:
        return self._process.pid

    def wait(self) -> int:
        """Until it has ended; its status."""
        return self._process.wait()

    def check(self) -> None:
        """Raises `Failed` with the last lines of its log if it is no longer there."""
        if (status := self._process.poll()) is not None:
            raise Failed(f"the worker process ended with status {status}. {self.last_words()}")

    def last_words(self) -> str:
        lines = self._log.read_text(errors="replace").splitlines()[-LAST_LINES:]
        return "\n".join(["Its last words:", *lines]) if lines else "It said nothing."

    def failures(self) -> list[str]:
        """Reasons of batches that failed, as they were logged since the last look."""
        with self._log.open(errors="replace") as log:
            log.seek(self._read)
            lines = log.readlines()
            self._read = log.tell()
        events = (_event(line) for line in lines)
        return [
            str(e["reason"]) for e in events if e.get("event") in {"batch_failed", "pump_waits"}
        ]

    def stop(self) -> None:
        """Ask it to finish; past its grace, end it."""
        self._process.terminate()
        try:
            self._process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _event(line: str) -> dict[str, object]:
    try:
        event = json.loads(line)
    except ValueError:
        return {}
    return event if isinstance(event, dict) else {}


@contextmanager
def worker_process(environment: Mapping[str, str], log: Path) -> Iterator[WorkerProcess]:
    """Runs in a session of its own, so that Ctrl-C reaches only the command, which stops it."""
    with log.open("wb") as output:
        process = subprocess.Popen(  # noqa: S603 - our own command
            COMMAND, env=environment, stdout=output, stderr=output, start_new_session=True
        )
    running = WorkerProcess(process, log)
    try:
        yield running
    finally:
        running.stop()
