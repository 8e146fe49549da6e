"""Calls, tokens and what is left in the store, for every detector × resolver: `python -m bench detectors`.

Conversations of LoCoMo go through the real pipeline (embedded Redis, SQLite) with a stand-in for a model that answers
from the data set's own annotations, the same for every system: what differs is the system. It says nothing about the
quality of a model. With `--peer` NeatMem runs beside, on the same facts, in an environment of its own.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.locomo import turns
from producers.producer import Producer
from schemas.plan import Run
from schemas.scope import Scope
from worker import log, wiring
from worker.core.groups.setting import RESOLVERS, DetectorName, Resolver
from worker.core.judging.detectors import DETECTORS
from worker.parts import Parts
from worker.pipeline import consolidate
from worker.settings import Settings

MODEL, DRIVER = "locomo_model.py", "drive_neatmem.py"
#: The peer's own names for what it does by default, and for adding only.
PEER = (("listwise_multitarget", "rewrite"), ("add_only", "rewrite"))


@dataclass(frozen=True)
class Row:
    """What one system made of one conversation."""

    system: str
    conversation: str
    detector: str
    resolver: str
    batches: int
    calls: dict[str, int]
    calls_per_batch: float
    tokens_per_batch: float
    live: int
    archived: int | None
    flagged: int | None
    seconds: float


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    needed = [
        options.data,
        options.tools / MODEL,
        *([options.peer, options.tools / DRIVER] if options.peer else []),
    ]
    if missing := [str(path) for path in needed if not path.exists()]:
        print(f"not there: {', '.join(missing)}; see --help", file=sys.stderr)
        return 2
    log.configure()
    rows: list[Row] = []
    with _model(options) as url:
        for row in (*_ours(options, url), *_theirs(options, url)):
            rows.append(row)
            print(
                f"{row.system} {row.conversation} {row.detector} + {row.resolver}", file=sys.stderr
            )
    if options.json:
        print(json.dumps([asdict(row) for row in rows]))
    else:
        for name in options.conversation:
            Console().print(_table(name, [row for row in rows if row.conversation == name]))
        print("Of NeatMem's tokens only those that it sent are counted.")
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench detectors", description=__doc__)
    parser.add_argument(
        "--data",
        type=Path,
        required=True,
        help="locomo10.json (repository snap-research/locomo, CC BY-NC 4.0)",
    )
    parser.add_argument("--tools", type=Path, required=True, help=f"folder of {MODEL} and {DRIVER}")
    parser.add_argument(
        "--conversation",
        action="append",
        help="sample id, repeatable (default: conv-26 and conv-30)",
    )
    parser.add_argument(
        "--peer", type=Path, help="Python of an environment with neatmem==0.8.3, to run it beside"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    options = parser.parse_args(arguments)
    options.conversation = options.conversation or ["conv-26", "conv-30"]
    return options


@contextmanager
def _model(options: argparse.Namespace) -> Iterator[str]:
    """The URL of the stand-in, which runs while this is entered."""
    command = [
        sys.executable,
        str(options.tools / MODEL),
        "--data",
        str(options.data),
        "--port",
        "0",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 - what the caller named
        try:
            said = server.stdout.readline() if server.stdout else ""
            yield next(word for word in said.split() if word.startswith("http"))
        finally:
            server.terminate()


def _ours(options: argparse.Namespace, url: str) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            model="locomo",
            model_url=url,
            embedder="locomo-embedding",
            embedder_url=url,
            data_dir=Path(folder),
            _env_file=None,
        )
        try:
            parts = wiring.open_parts(settings)
            parts.inbox.configure(settings.limits)
            samples = {one["sample_id"]: one for one in json.loads(options.data.read_text())}
            with Producer(wiring.redis_url(settings)) as producer:
                for name, detector, resolver in product(options.conversation, DETECTORS, RESOLVERS):
                    yield _row(_under(parts, detector, resolver), producer, samples[name])
        finally:
            wiring.close()


def _under(parts: Parts, detector: DetectorName, resolver: Resolver) -> Parts:
    settings = parts.settings.model_copy(update={"detector": detector, "resolver": resolver})
    judging = wiring.judging_of(settings, parts.embedder)
    return replace(parts, settings=settings, judging=judging)


def _row(parts: Parts, producer: Producer, sample: dict[str, Any]) -> Row:
    detector, resolver = parts.settings.detector, parts.settings.resolver
    scope = Scope(app="locomo", user=f"{sample['sample_id']} {detector} {resolver}")
    started = time.perf_counter()
    answers = producer.publish_many([{**turn, "user": scope.user} for turn in turns(sample)])
    if refused := [answer for answer in answers if answer.status != "accepted"]:
        raise SystemExit(f"{len(refused)} turns of {scope.user} were not accepted: {refused[0]}")
    _drain(parts)
    seconds = time.perf_counter() - started
    runs = list(parts.store.runs(scope))
    calls = sum((Counter(run.usage.calls) for run in runs), Counter[str]())
    memories = [record.memory for record in parts.store.memories(scope)]
    return Row(
        system="slowwave",
        conversation=sample["sample_id"],
        detector=detector,
        resolver=resolver,
        batches=len(runs),
        calls=dict(calls),
        calls_per_batch=round(calls.total() / len(runs), 2),
        tokens_per_batch=round(_tokens(runs) / len(runs)),
        live=len(memories),
        archived=sum(1 for _ in parts.store.archives(scope)),
        flagged=sum(memory.flagged is not None for memory in memories),
        seconds=round(seconds, 1),
    )


def _drain(parts: Parts) -> None:
    parts.inbox.flush()
    while claim := parts.inbox.claim():
        consolidate(parts, claim, datetime.now(UTC))
        parts.inbox.flush()


def _tokens(runs: Sequence[Run]) -> int:
    return sum(run.usage.total_tokens for run in runs)


def _theirs(options: argparse.Namespace, url: str) -> Iterator[Row]:
    for name, (detector, resolver) in product(options.conversation, PEER if options.peer else ()):
        command = [
            str(options.peer),
            str(options.tools / DRIVER),
            "--data",
            str(options.data),
            "--model-url",
            url,
        ]
        command += ["--conversation", name, "--detector", detector, "--resolver", resolver]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)  # noqa: S603 - what the caller named
        said = json.loads(done.stdout.splitlines()[-1])
        tokens = sum(said["system_tokens"].values()) + sum(said["user_tokens"].values())
        yield Row(
            system=said["system"],
            conversation=name,
            detector=detector,
            resolver=resolver,
            batches=said["batches"],
            calls=said["calls"],
            calls_per_batch=said["calls_per_batch"],
            tokens_per_batch=round(tokens / said["batches"]),
            live=said["stored"],
            archived=None,
            flagged=None,
            seconds=said["wall_seconds"],
        )


def _table(name: str, rows: Sequence[Row]) -> Table:
    table = Table(title=name, title_justify="left")
    table.add_column("system", no_wrap=True)
    for heading in (
        "batches",
        "calls",
        "/batch",
        "tokens/batch",
        "live",
        "archived",
        "flagged",
        "s",
    ):
        table.add_column(heading, justify="right")
    for row in rows:
        calls, tokens = sum(row.calls.values()), f"{row.tokens_per_batch:,.0f}"
        figures = (row.batches, calls, row.calls_per_batch, tokens)
        left = (row.live, row.archived, row.flagged, row.seconds)
        cells = ("–" if figure is None else str(figure) for figure in (*figures, *left))
        table.add_row(f"{row.system} {row.detector} + {row.resolver}", *cells)
    return table
