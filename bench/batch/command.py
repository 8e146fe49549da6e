"""What a batch of 10 turns and 4 facts takes, model and embedder answering at once: `python -m bench batch`.

Beside it stand the calls that no system could do without, on the same server and as durable. They look up what four
facts are near (SQLite: FTS5, and numpy over the vectors, read once a batch; Weaviate: four `hybrid` queries at once),
read four memories by id, write four archives, four memories and a run (SQLite: one transaction; Weaviate: one
`insert_many` for each collection), and make four round trips to Redis: claim, read, keep the plan, commit. All take
turns, each in a scope of its own with as many memories, which are drawn by lot. A Weaviate ages with writes: both
scopes are new and have had as many batches as the figures say.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from bench.batch.house import House, opened
from bench.batch.profile import Row, table, watched
from bench.everything import addresses
from bench.figures import Figure, at_most, percentile, show
from bench.recall.crowd import drawn
from bench.recall.timing import alternating, figures
from bench.redis_process import RedisProcess
from deploy.weaviate_process import NoServer
from worker.errors import Misconfigured

#: Most times what the bare calls take, and for how many memories that is asked.
RATIO, PROMISED = 3.0, 1_000
#: Of them at least, as each batch is about others.
FEWEST = 40
#: Batches before the first that counts.
WARM = 3
OURS, STORE, REDIS = "slowwave", "bare store", "bare Redis"
STORES = {"sqlite": ["sqlite"], "weaviate": ["weaviate"], "both": ["sqlite", "weaviate"]}


def main(arguments: Sequence[str]) -> int:
    options = _options(arguments)
    found, profiles = list[Figure](), dict[str, list[Row]]()
    try:
        for store in STORES[options.store]:
            for of in _of_store(store, options):
                if isinstance(of, Figure):
                    found.append(of)
                else:
                    profiles |= of
    except (Misconfigured, NoServer) as error:
        print(error, file=sys.stderr)
        return 2
    if options.json:
        stages = {name: [asdict(row) for row in of] for name, of in profiles.items()}
        told = {one.name: asdict(one) for one in found}
        print(json.dumps({**told, "stages": stages} if stages else told))
    else:
        show("a batch of 10 turns and 4 facts", found, as_json=False)
        for name, profile in profiles.items():
            Console().print(table(name, profile))
    return 1 if any(one.is_reached is False for one in found) else 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench batch", description=__doc__)
    parser.add_argument("--store", choices=STORES, default="sqlite", help="(sqlite)")
    parser.add_argument(
        "--memories",
        type=int,
        action="append",
        help=f"in the scope, repeatable, at least {FEWEST} (1000 and 10000)",
    )
    parser.add_argument("--batches", type=int, default=60, help="for each figure (60)")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn (1)")
    parser.add_argument("--profile", action="store_true", help="also where the time goes, by stage")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    options = parser.parse_args(arguments)
    options.memories = options.memories or [1_000, 10_000]
    if min(options.memories) < FEWEST:
        parser.error(f"--memories: at least {FEWEST}, as each batch is about four others")
    return options


def _of_store(store: str, options: argparse.Namespace) -> Iterator[Figure | dict[str, list[Row]]]:
    with tempfile.TemporaryDirectory(prefix="slowwave-bench-") as name, ExitStack() as stack:
        folder = Path(name)
        redis = stack.enter_context(RedisProcess(folder / "redis"))
        address = stack.enter_context(addresses(store, folder))
        for size in options.memories:
            print(f"{store}: {size:,}", file=sys.stderr)
            # Those that are watched come last, and weigh on no figure.
            many = WARM + options.batches * (2 if options.profile else 1)
            crowd, bare = drawn(size, 1, options.seed), folder / f"bare-{size}.db"
            with opened(address(), redis.url, crowd, many, bare) as house:
                title = f"{store}, {size:,}"
                yield from _timed(house, f"{title}: ", size, options.batches)
                if options.profile:
                    yield {title: _watched(house)}


def _timed(house: House, name: str, size: int, batches: int) -> Iterator[Figure]:
    cpu = dict[str, list[float]]({OURS: [], STORE: [], REDIS: []})
    calls = {
        way: _counted(call, cpu, way)
        for way, call in zip(cpu, (house.ours, house.bare_store, house.bare_redis), strict=True)
    }
    alternating(calls, WARM, 0)
    found = alternating(calls, min(batches, house.left - 1), float("inf"))
    for way, took in found.items():
        yield from figures(f"{name}{way}", took)
    # Those of warming up aside.
    used = {way: sum(cpu[way][-len(took) :]) for way, took in found.items()}
    for way, seconds in used.items():
        yield Figure(f"{name}{way}, processor", 1000 * seconds / len(found[way]), "ms")
    half = {way: percentile(took, 0.5) for way, took in found.items()}
    ratio = f"{name}slowwave beside the bare calls, p50", half[OURS] / (half[STORE] + half[REDIS])
    yield at_most(*ratio, RATIO) if size == PROMISED else Figure(*ratio)
    computed = used[OURS] / (used[STORE] + used[REDIS])
    yield Figure(f"{name}the same by processor of the process", computed)
    yield Figure(f"{name}batches that each scope had", house.had)


def _counted(
    call: Callable[[int], object], cpu: dict[str, list[float]], way: str
) -> Callable[[int], object]:
    """The same, and what the process computes meanwhile is written down."""

    def counted(at: int) -> object:
        began = time.process_time()
        try:
            return call(at)
        finally:
            cpu[way].append(time.process_time() - began)

    return counted


def _watched(house: House) -> list[Row]:
    batches = house.left
    began = time.perf_counter()
    with watched(house.parts) as watch:
        for _ in range(batches):
            house.ours()
    return list(watch.rows(batches, time.perf_counter() - began))
