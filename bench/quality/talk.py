"""A process that is talked to in lines of JSON, and asks for vectors meanwhile."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.quality.hearing import Cached

#: Lines of what the process complained of that are told.
LAST_WORDS = 5


class PeerFailed(Exception):
    """Its process ended, or says what nobody understands."""


@dataclass
class Talk:
    """Lines to a process and back; meanwhile it may ask for vectors."""

    process: subprocess.Popen[str]
    embedder: Cached
    complaints: Path

    def ask(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """Raises `PeerFailed`."""
        self._write(order)
        while "embed" in (reply := self._read()):
            vectors = self.embedder.embed(reply["embed"])
            self._write({"vectors": [np.frombuffer(one, "<f4").tolist() for one in vectors]})
        return reply

    def _write(self, document: Mapping[str, Any]) -> None:
        if self.process.stdin is None:
            raise PeerFailed("the peer's process has no way in")
        try:
            self.process.stdin.write(json.dumps(document) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise self._gone() from error

    def _read(self) -> dict[str, Any]:
        line = self.process.stdout.readline() if self.process.stdout else ""
        try:
            reply: dict[str, Any] = json.loads(line)
        except ValueError as error:
            raise self._gone() from error
        return reply

    def _gone(self) -> PeerFailed:
        said = self.complaints.read_text(errors="replace").strip().splitlines()[-LAST_WORDS:]
        return PeerFailed(f"the peer's process went away or is not understood: {' / '.join(said)}")


@contextmanager
def talking(
    command: Sequence[str], home: Path, environment: Mapping[str, str], embedder: Cached
) -> Iterator[Talk]:
    """A process that is ended afterwards, whatever it does."""
    complaints = home / "stderr"
    with complaints.open("w") as stderr:
        process = subprocess.Popen(  # noqa: S603 - our own words
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            cwd=home,
            env={**os.environ, **environment},
        )
        try:
            yield Talk(process, embedder, complaints)
        finally:
            process.kill()
            # Unlike leaving the process's own context this minds no pipe that is broken already.
            process.communicate()
