"""Runs one bench as a process of its own, for a limited time."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bench.all.plan import Entry
from bench.all.reading import Reading, Unreadable, read
from bench.all.results import State
from bench.worker_process import OURS, ROOT

#: For what it started to be ended, once it was told to end itself.
GRACE_SECONDS = 20.0
#: How a bench says on standard error what it did without.
LEFT_OUT = "left out"
#: Exit statuses of one that did what it says: 1 where something is not reached.
DONE = (0, 1)
#: Folders of a bench, which are gone afterwards.
TEMPORARY = re.compile(r"\S*/slowwave-bench-[^/\s]*/")


@dataclass(frozen=True)
class Said:
    """What a process came to; no status where it was ended for its time."""

    status: int | None
    out: str
    err: str


@dataclass(frozen=True)
class Verdict:
    """What is made of it."""

    state: State
    why: str = ""
    readings: tuple[Reading, ...] = ()
    remarks: tuple[str, ...] = ()
    status: int | None = None


def judged(entry: Entry, said: Said, limit: float) -> Verdict:
    """A document with figures is what counts: benches exit 1 where something is not reached."""
    if said.status is None:
        return Verdict("late", f"it was ended after {limit:,.0f} s")
    lines = said.err.strip().splitlines()
    try:
        if said.status in DONE:
            remarks = tuple(one for one in lines if LEFT_OUT in one)
            readings = tuple(read(said.out, entry.zero))
            return Verdict("ran", readings=readings, remarks=remarks, status=said.status)
        why = "".join(lines[-1:]) or "it said nothing"
    except Unreadable as error:
        why = "".join(lines[-1:]) or str(error)
    why = TEMPORARY.sub("", why)
    return Verdict("failed", f"it failed with exit status {said.status}: {why}", status=said.status)


def run(bench: str, arguments: Sequence[str], limit: float, folder: Path) -> Said:
    """`folder` is where it runs, so that no file of settings reaches it. What it started ends with it."""
    command = [sys.executable, "-m", "bench", bench, *arguments, "--json"]
    # What is ignored stays ignored in a child, and a bench that cannot be interrupted leaves servers behind.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    with (folder / "out").open("w+") as out, (folder / "err").open("w+") as err:
        process = subprocess.Popen(  # noqa: S603 - our own benches
            command,
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        try:
            status = _ended(process, limit)
        finally:
            _end(process)
            signal.signal(signal.SIGINT, before)
        out.seek(0)
        err.seek(0)
        return Said(status, out.read(), err.read())


def _ended(process: subprocess.Popen[bytes], limit: float) -> int | None:
    try:
        return process.wait(limit)
    except subprocess.TimeoutExpired:
        return None


def _end(process: subprocess.Popen[bytes]) -> None:
    """First as Ctrl-C does, so that it ends its own servers; then whatever of its session is still there."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        until = time.monotonic() + GRACE_SECONDS
        while process.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _environment() -> dict[str, str]:
    """Without settings of whoever runs it: figures are those of the usual ones."""
    taken = tuple(one for one in OURS if one != "SLOWWAVE_")
    given = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(taken)
        and (not name.startswith("SLOWWAVE_") or name == "SLOWWAVE_WEAVIATE_BIN")
    }
    return {**given, "PYTHONPATH": str(ROOT)}
