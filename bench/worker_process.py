"""Worker processes of a bench: real ones, each started, stopped and killed by its own id."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
#: Variables of whoever runs the bench that must not reach its workers.
OURS = ("SLOWWAVE_", "OPENAI_")
READY_SECONDS = 60.0
#: `slowwave worker`, from wherever it is run.
WORKER = ("-m", "worker.interfaces.cli.main", "worker", "--json")


def worker_settings(folder: Path, redis_url: str, model_url: str, **own: object) -> dict[str, str]:
    """Everything under the folder, a model of the bench's, and an embedder that costs next to nothing."""
    given = {
        "redis_url": redis_url,
        "store_url": f"sqlite:///{folder / 'memory.db'}",
        "data_dir": folder,
        "model": "scripted",
        "model_url": model_url,
        "model_key": "none",
        "embedder": "hash",
        "embedder_dimensions": 64,
        **own,
    }
    return {f"SLOWWAVE_{name.upper()}": str(value) for name, value in given.items()}


class WorkerProcess:
    """One worker; its log goes to the end of a file."""

    def __init__(
        self, folder: Path, name: str, settings: Mapping[str, str], command: tuple[str, ...]
    ) -> None:
        given = {key: value for key, value in os.environ.items() if not key.startswith(OURS)}
        self._said = folder / f"{name}.out"
        with self._said.open("wb") as said, (folder / f"{name}.log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, *command],
                cwd=folder,
                env={**given, "PYTHONPATH": str(ROOT), **settings},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=log,
            )
        self.pid = self._process.pid

    def wait_until_ready(self) -> None:
        """Raises `TimeoutError`; its log says why."""
        until = time.monotonic() + READY_SECONDS
        while not self.is_ready:
            if not self.is_alive or time.monotonic() > until:
                raise TimeoutError(f"a worker does not start: see {self._said.with_suffix('.log')}")
            time.sleep(0.02)

    @property
    def is_ready(self) -> bool:
        """Whether it has said so."""
        return self._said.stat().st_size > 0

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    @property
    def status(self) -> int | None:
        """Negative for the signal that ended it; nothing while it lives."""
        return self._process.poll()

    @property
    def peak_mib(self) -> float:
        """Most memory that it has held so far."""
        status = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024

    @property
    def cpu_seconds(self) -> float:
        """Of processor time that it has used so far."""
        told = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8")
        user, system = told.rpartition(") ")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    @property
    def is_frozen(self) -> bool:
        """By `freeze`, or by itself."""
        try:
            told = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8")
        except OSError:  # it is gone
            return False
        return told.rpartition(") ")[2].startswith("T")

    def freeze(self) -> None:
        if self.is_alive:
            self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        if self.is_alive:
            self._process.send_signal(signal.SIGCONT)

    def kill(self) -> bool:
        """`kill -9`; whether it was alive."""
        was_alive = self.is_alive
        self._process.kill()
        self._process.wait()
        return was_alive
