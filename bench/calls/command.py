"""Model calls of a batch, and what each call carries beside what people said: `python -m bench calls`.

Batches are made of every size, each fact about a subject of its own with so many memories near it, and go through
extraction, the choice of candidates and every detector with every resolver; the model answers at once and breaks no
rule. Told are the calls of each, whether what there was to judge fits in one call (the settings' `judge_facts` and
`judge_tokens`), the tokens of each job's instructions, and which fields of the documents no job needs. With `--peer`
NeatMem goes through a conversation of LoCoMo beside, with a stand-in for a model: what it was asked is told as it is.
It always exits with 0: a figure that is not reached says so.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.calls.fields import beyond
from bench.calls.made import Asked, Made, asked
from bench.figures import Figure, at_most, show
from bench.stand_in import standing
from worker.adapters.prompts import ENDING, MOST_TOKENS, Prompts
from worker.adapters.tokenizer import VOCABULARIES, token_counter
from worker.core.groups.setting import RESOLVERS
from worker.core.judging.detectors import DETECTORS
from worker.errors import Misconfigured
from worker.settings import Settings

FACTS, MEMORIES = (1, 4, 10, 20, 50), (0, 1, 8, 100)
#: Calls of a batch, and of its judge where there is nothing to judge.
MOST, NONE = 2, 0
DRIVER = "drive_neatmem.py"
#: NeatMem's own names for what it does by default, and for its dear way.
PEER = (("listwise_multitarget", "rewrite"), ("pointwise", "rewrite"))


@dataclass(frozen=True)
class Row:
    """Of one way to judge and one size."""

    detector: str
    resolver: str
    facts: int
    memories: int
    #: By job.
    calls: dict[str, int]
    is_unsplit: bool


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    needed = [options.data, options.tools / DRIVER] if options.peer else []
    if missing := [str(path) for path in needed if not path.exists()]:
        print(f"not there: {', '.join(missing)}; see --help", file=sys.stderr)
        return 2
    rows, prompts = list[Row](), []
    for made in (Made(*size) for size in product(options.facts, options.memories)):
        print(f"{made.facts} facts, {made.memories} memories near each", file=sys.stderr)
        for settings in _ways():
            found = asked(made, settings)
            rows.append(_row(made, settings, found))
            prompts += found.model.asked
    figures = [*_of_calls(rows), *_of_instructions(), _of_fields(beyond(prompts))]
    figures += _theirs(options) if options.peer else []
    if options.json:
        told = {one.name: asdict(one) for one in figures}
        print(json.dumps({**told, "cases": [asdict(row) for row in rows]}))
    else:
        Console().print(_table(rows))
        show("calls of a batch, and what they carry", figures, as_json=False)
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench calls", description=__doc__)
    parser.add_argument("--facts", type=int, nargs="+", default=FACTS, help="(1 4 10 20 50)")
    parser.add_argument(
        "--memories", type=int, nargs="+", default=MEMORIES, help="near each fact (0 1 8 100)"
    )
    parser.add_argument("--peer", type=Path, help="a Python that has neatmem, to run it beside")
    parser.add_argument(
        "--tools", type=Path, default=Path(), help=f"with --peer: {DRIVER}'s folder"
    )
    parser.add_argument(
        "--data", type=Path, default=Path("locomo10.json"), help="with --peer: locomo10.json"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    return parser.parse_args(arguments)


def _ways() -> Iterator[Settings]:
    for detector, resolver in product(DETECTORS, RESOLVERS):
        yield Settings(model="at once", detector=detector, resolver=resolver, _env_file=None)


def _row(made: Made, settings: Settings, found: Asked) -> Row:
    way = settings.detector, settings.resolver
    return Row(*way, made.facts, made.memories, found.calls, found.is_unsplit)


def _of_calls(rows: Sequence[Row]) -> Iterator[Figure]:
    whole = [row for row in rows if row.detector == "batchwise" and row.is_unsplit]
    split = [row for row in rows if row.detector == "batchwise" and not row.is_unsplit]
    yield at_most("batchwise, not split: most calls", _most(whole), MOST)
    yield Figure("batchwise, split by size: most calls", _most(split))
    alone = [row for row in rows if not row.memories]
    judge = max((_of(row) - row.calls["extraction"] for row in alone), default=0)
    yield at_most("judge calls without candidates, of any detector", judge, NONE)


def _of(row: Row) -> int:
    return sum(row.calls.values())


def _most(rows: Sequence[Row]) -> int:
    return max(map(_of, rows), default=0)


def _of_instructions() -> Iterator[Figure]:
    """Of each job the most by any tokenizer that is installed, the estimate included."""
    counts = []
    for name in ("estimate", *VOCABULARIES):
        try:
            counts.append(token_counter(name))
        except Misconfigured as error:
            print(error, file=sys.stderr)
    prompts, texts = Prompts(), (path.name for path in files("worker.prompts").iterdir())
    for job in sorted(name.removesuffix(ENDING) for name in texts if name.endswith(ENDING)):
        most = max(count(prompts.system(job)) for count in counts)
        name = f"instructions of {job}, most by {len(counts)} tokenizers"
        yield at_most(name, most, MOST_TOKENS, "tokens")


def _of_fields(names: Sequence[str]) -> Figure:
    return at_most(f"fields that no job needs {', '.join(names)}".strip(), len(names), 0)


def _theirs(options: argparse.Namespace) -> Iterator[Figure]:
    with standing(options.tools, options.data) as model:
        for detector, resolver in PEER:
            told = _driven(options, model.url, detector, resolver)
            name = f"{told['system']}, {detector} + {resolver}"
            calls = sum(told["calls"].values())
            yield Figure(f"{name}: calls a batch", told["calls_per_batch"])
            for job, tokens in told["system_tokens"].items():
                each = tokens / max(told["calls"].get(job, 0), 1)
                yield Figure(f"{name}: instructions of {job}", each, "tokens a call")
            yield Figure(
                f"{name}: data", sum(told["user_tokens"].values()) / calls, "tokens a call"
            )


def _driven(options: argparse.Namespace, url: str, detector: str, resolver: str) -> dict[str, Any]:
    command = [str(options.peer), str(options.tools / DRIVER), "--data", str(options.data)]
    command += ["--model-url", url, "--detector", detector, "--resolver", resolver]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)  # noqa: S603 - what the caller named
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def _table(rows: Sequence[Row]) -> Table:
    """Calls of a batch; in brackets where they were split by size."""
    sizes = list(dict.fromkeys((row.facts, row.memories) for row in rows))
    table = Table(title="calls of a batch: facts × memories near each", title_justify="left")
    table.add_column("detector", no_wrap=True)
    for facts, memories in sizes:
        table.add_column(f"{facts}×{memories}", justify="right")
    ways = list(dict.fromkeys((row.detector, row.resolver) for row in rows))
    for way in ways:
        mine = [row for row in rows if (row.detector, row.resolver) == way]
        cells = (str(_of(row)) if row.is_unsplit else f"({_of(row)})" for row in mine)
        table.add_row(" + ".join(way), *cells)
    return table
