"""A stand-in for a model, by the path of its folder: it answers at once, and any system with the same facts."""

import json
import subprocess
import sys
import urllib.request
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROGRAM = "locomo_model.py"


@dataclass(frozen=True)
class Counts:
    """What it was asked so far, or between two looks."""

    calls: Mapping[str, int] = field(default_factory=dict)
    #: Sent and answered, by its own estimate: the same for each system.
    tokens: int = 0
    embeddings: int = 0

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "Counts":
        """`told` is its own document: for each job calls and tokens, and embedding calls."""
        jobs = told["jobs"]
        spent = (n for of in jobs.values() for name, n in of.items() if name.endswith("_tokens"))
        calls = {job: of["calls"] for job, of in jobs.items()}
        return cls(calls, sum(spent), told["embeddings"]["calls"])

    def __sub__(self, before: "Counts") -> "Counts":
        calls = Counter(self.calls)
        calls.subtract(before.calls)
        return Counts(+calls, self.tokens - before.tokens, self.embeddings - before.embeddings)


@dataclass(frozen=True)
class StandIn:
    """One that runs."""

    #: As clients of OpenAI take it.
    url: str

    def counts(self) -> Counts:
        address = f"{self.url.removesuffix('/v1')}/stats"
        with urllib.request.urlopen(address) as reply:  # noqa: S310 - our own server
            return Counts.of(json.load(reply))


@contextmanager
def standing(tools: Path, data: Path) -> Iterator[StandIn]:
    """Runs while this is entered. `data` is locomo10.json, of which it knows the facts."""
    command = [sys.executable, str(tools / PROGRAM), "--data", str(data), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 - what the caller named
        try:
            said = server.stdout.readline() if server.stdout else ""
            yield StandIn(next(word for word in said.split() if word.startswith("http")))
        finally:
            server.terminate()
