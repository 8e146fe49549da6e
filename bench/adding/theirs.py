"""Peers as they add a conversation, each run by a Python of its own."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from bench.adding.row import Delivered
from bench.adding.talk import Talk
from bench.peers.homes import PACKAGES, python_of
from bench.worker_process import OURS, ROOT

#: How each answer of a driver begins.
ANSWER = '{"seconds"'
#: NeatMem asks for vectors of this many dimensions, as the others do.
DIMENSIONS = 384


class Broken(Exception):
    """A peer ended by itself; the message has its last words."""


@dataclass(frozen=True)
class Peer:
    """One system in one way."""

    #: As in `PACKAGES`.
    name: str
    way: str
    driver: str
    #: Variables that make it work in this way.
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def system(self) -> str:
        return " ".join(PACKAGES[self.name][0].split("=="))

    @contextmanager
    def opened(self, talk: Talk, model_url: str, folder: Path) -> Iterator["Running"]:
        """Runs while this is entered, with a store that is new. Raises `Missing` where it is not installed."""
        folder.mkdir(parents=True)
        batches = folder / "batches.json"
        batches.write_text(json.dumps(talk.messages()))
        program = [str(python_of(self.name)), "-m", self.driver]
        with (folder / "said").open("w+") as said:
            process = subprocess.Popen(  # noqa: S603 - the peer's own Python
                [*program, str(batches), model_url, str(folder)],
                cwd=ROOT,
                env={**_plain(), **_neatmem(model_url, folder), **_mem0(folder), **self.settings},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
            )
            with process:
                try:
                    yield Running(self, process, said)
                finally:
                    process.kill()


@dataclass(frozen=True)
class Running:
    """A peer that waits to be told."""

    peer: Peer
    process: subprocess.Popen[str]
    said: IO[str]

    def deliver(self) -> Delivered:
        """Raises `Broken`."""
        to, answers = self.process.stdin, self.process.stdout
        if to is None or answers is None:
            raise TypeError("both are pipes")
        try:
            to.write("again\n")
            to.flush()
            # A peer may have words of its own to say when it is imported.
            answer = next((one for one in answers if one.startswith(ANSWER)), "")
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise Broken(f"{self.peer.system} ended: {self._last_words()}")
        told: dict[str, Any] = json.loads(answer)
        return Delivered(told["seconds"], told["texts"])

    def _last_words(self) -> str:
        self.said.seek(0)
        return "".join(self.said.read().strip().splitlines()[-1:]) or "it said nothing"


def _plain() -> dict[str, str]:
    """Without what would bring our packages, or anybody's key, into its environment."""
    taken = (*OURS, "PYTHONPATH")
    return {name: value for name, value in os.environ.items() if not name.startswith(taken)}


def _mem0(folder: Path) -> dict[str, str]:
    return {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder / "mem0")}


def _neatmem(model_url: str, folder: Path) -> dict[str, str]:
    return {
        "NEATMEM_DIR": str(folder / "neatmem"),
        "OPENAI_BASE_URL": model_url,
        "OPENAI_API_KEY": "none",
        "EMBEDDER_PROVIDER": "openai",
        "EMBEDDER_BASE_URL": model_url,
        "EMBEDDER_API_KEY": "none",
        "EMBEDDER_MODEL": "text-embedding-3-small",
        "EMBEDDER_DIMS": str(DIMENSIONS),
        "ENABLE_BM25": "false",
        "ENABLE_ENTITY": "false",
        "ENABLE_GRAPH": "false",
    }


def _dedup(detector: str, resolver: str) -> dict[str, str]:
    """Its own names; from a cosine of 0.4 on, as it has it itself."""
    return {
        "DEDUP_ENABLED": "true",
        "DEDUP_DETECTOR": detector,
        "DEDUP_RESOLVER": resolver,
        "DEDUP_RECALL_THRESHOLD": "0.4",
    }


NEATMEM, MEM0 = "bench.adding.neatmem_driver", "bench.adding.mem0_driver"

PEERS: Sequence[Peer] = (
    Peer("neatmem", "default", NEATMEM, _dedup("listwise_multitarget", "rewrite")),
    Peer("neatmem", "adding only", NEATMEM, {"DEDUP_ENABLED": "false"}),
    Peer("neatmem", "listwise + replace", NEATMEM, _dedup("listwise", "replace")),
    Peer("neatmem", "pointwise + rewrite", NEATMEM, _dedup("pointwise", "rewrite")),
    Peer("mem0", "add", MEM0),
)
