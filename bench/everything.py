"""Do everything to a store in any order for a long time, and look after each step: `python -m bench everything`.

The steps and what must be true after each are those of `tests/living.py`; `make test` takes a short walk with them.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import structlog
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from bench.redis_process import RedisProcess
from deploy.weaviate_server import server
from tests.living import BESIDES, DONE, machine

#: Steps of one life: each begins with an empty store.
LIFE = 40
#: Lives between two looks at how many steps were done.
PORTION = 10


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench everything", description=__doc__)
    parser.add_argument("--steps", type=int, default=2_000, help="at least so many (2000)")
    parser.add_argument("--store", choices=["sqlite", "weaviate"], default="sqlite")
    parser.add_argument("--seed", type=int, default=0, help="of the first lives (0)")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a list")
    options = parser.parse_args(arguments)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    with (
        tempfile.TemporaryDirectory() as folder,
        RedisProcess(Path(folder)) as redis,
        redis.client() as client,
        addresses(options.store, Path(folder)) as address,
    ):
        at = options.seed
        while DONE.total() < options.steps:
            lived = seed(at)(machine(address, client))
            run_state_machine_as_test(
                lived,
                settings=settings(
                    max_examples=PORTION,
                    stateful_step_count=LIFE,
                    deadline=None,
                    database=None,
                    phases=[Phase.generate, Phase.shrink],
                    suppress_health_check=list(HealthCheck),
                ),
            )
            at += 1
    if options.json:
        print(json.dumps({"steps": DONE.total(), "done": DONE, "besides": BESIDES}))
        return 0
    print(
        f"everything on {options.store}: {DONE.total():,} steps, seeds {options.seed} to {at - 1}"
    )
    for name, many in (*DONE.most_common(), *BESIDES.most_common()):
        print(f"{many:>8,}  {name}")
    return 0


@contextmanager
def addresses(store: str, folder: Path) -> Iterator[Callable[[], str]]:
    """Of stores that are new each time."""
    if store == "sqlite":
        yield lambda: f"sqlite:///{folder / uuid4().hex}.db"
        return
    (folder / "weaviate").mkdir()
    with server(folder / "weaviate") as running:
        yield lambda: f"{running.url}&prefix=E{uuid4().hex}"
