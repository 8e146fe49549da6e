"""Runs a small model's server for as long as a block lasts."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.model.packages import HERE, NoModel
from tests.model.weights import Weights, runtime_folder

#: Tokens of a reply, at most: a small model may never come to an end of its own.
SHORT_REPLY = 192
LONG_REPLY = 512
#: Seconds to wait for it to end.
STOP_SECONDS = 15.0


@dataclass(frozen=True)
class Server:
    """A running server; its process may be killed."""

    url: str
    process: subprocess.Popen[str]


def threads() -> int:
    """Half of the processors, so that what asks can run as well."""
    return max(1, (os.cpu_count() or 2) // 2)


@contextmanager
def started(weights: Weights, log: Path, longest_reply: int = SHORT_REPLY) -> Iterator[Server]:
    """Raises `NoModel`, quoting the end of the server's log. It ends with this process, however that ends."""
    numbers = (str(threads()), str(longest_reply))
    with log.open("ab") as output:
        process = subprocess.Popen(
            # `-P`: what lies beside the script is not for it to import.
            [sys.executable, "-P", str(HERE / "serving.py"), str(weights.file), *numbers],
            env={**os.environ, "PYTHONPATH": str(runtime_folder())},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=output,
            text=True,
        )
    with process:
        try:
            assert process.stdout
            address = process.stdout.readline().strip()
            if not address:
                raise NoModel(f"the server did not start: {_end_of(log)}")
            yield Server(f"{address}/v1", process)
        finally:
            _stop(process)


def _end_of(log: Path) -> str:
    return log.read_text(errors="replace").strip()[-2000:] or "its log is empty"


def _stop(process: subprocess.Popen[str]) -> None:
    assert process.stdin
    process.stdin.close()
    try:
        process.wait(timeout=STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
