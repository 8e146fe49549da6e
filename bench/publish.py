"""What publishing costs, beside a bare RPUSH of the same bytes and a Celery message: `python -m bench publish`.

Each turn is sent in all ways, one after the other, to the same Redis (AOF, `everysec`).
"""

import argparse
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from celery import Celery
from redis import Redis

from bench.figures import Figure, at_most, percentile, show
from bench.redis_process import RedisProcess
from producers.post import PUBLISH, Letter
from producers.producer import Producer
from schemas.line import Refused, turn_of
from worker.adapters.redis_server import connect

SCOPES = 1_000
TEXT = "On Thursday the choir meets in the old mill, and I bring the scores and two chairs. "
CHARACTERS = 600
#: A Celery message for every so many turns: it takes several times as long.
CELERY_EVERY = 10
WARM_UP = 200
#: What is measured, in words.
TOLD = {
    "rpush": "bare RPUSH",
    "script": "the Redis call",
    "whole": "publish(), all of it",
    "celery": "Celery's apply_async",
}

Times = Mapping[str, Sequence[float]]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench publish", description=__doc__)
    parser.add_argument("--turns", type=int, default=20_000, help="(20000)")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, RedisProcess(Path(folder)) as redis:
        times = _measured(redis.url, options.turns)
    show(f"publish, {options.turns:,} turns", _figures(times), as_json=options.json)
    return 0


def _line(at: int, id: str) -> dict[str, object]:
    return {
        "app": "bench",
        "user": f"user{at % SCOPES}",
        "conversation": "talk",
        "role": "user",
        "id": id,
        "text": (TEXT * 10)[:CHARACTERS],
    }


def _letter(at: int) -> Letter:
    made = turn_of(_line(at, f"a{at}"), datetime.now(UTC))
    if isinstance(made, Refused):
        raise TypeError(str(made))
    return Letter.of(made)


def _nothing(payload: str) -> None:
    """No worker ever runs it."""


@dataclass(frozen=True)
class Ways:
    """All on the same server."""

    redis: Redis
    producer: Producer
    task: Any

    def client(self, at: int) -> None:
        """What our own code does before anything is sent."""
        _letter(at).arguments(1)

    def calls(self, at: int) -> dict[str, Callable[[], object]]:
        letter = _letter(at)
        command = ("EVALSHA", PUBLISH.sha, *letter.arguments(1))
        text = letter.payload.decode()
        calls: dict[str, Callable[[], object]] = {
            "rpush": lambda: self.redis.rpush(f"bare{at % SCOPES}", letter.payload),
            "script": lambda: self.redis.execute_command(*command),  # type: ignore[no-untyped-call] # redis has none here
            "whole": lambda: self.producer.publish(_line(at, f"b{at}")),
        }
        if at % CELERY_EVERY == 0:
            calls["celery"] = lambda: self.task.apply_async((text,))
        return {"client": lambda: self.client(at), **calls}


def _measured(url: str, turns: int) -> Times:
    """Seconds of each way, turn by turn."""
    times: defaultdict[str, list[float]] = defaultdict(list)
    app = Celery("bench", broker=url, set_as_current=False)
    task = app.task(name="bench.turn", ignore_result=True)(_nothing)
    with connect(url) as redis, Producer(url) as producer:
        redis.script_load(PUBLISH.text)
        ways = Ways(redis, producer, task)
        for at in range(turns + WARM_UP):
            calls = list(ways.calls(at).items())
            # None of them always comes after the same other.
            for name, call in calls[at % len(calls) :] + calls[: at % len(calls)]:
                began = time.perf_counter()
                call()
                if at >= WARM_UP:
                    times[name].append(time.perf_counter() - began)
    return times


def _figures(times: Times) -> list[Figure]:
    micro = {
        (name, share): percentile(of, share) * 1e6
        for name, of in times.items()
        for share in (0.5, 0.99)
    }
    found = [
        Figure(f"{told}, {kind}", micro[name, share], "µs")
        for name, told in TOLD.items()
        for share, kind in ((0.5, "p50"), (0.99, "p99"))
    ]
    return [
        *found,
        at_most("the Redis call / RPUSH, p50", micro["script", 0.5] / micro["rpush", 0.5], 1.7),
        at_most("the Redis call / RPUSH, p99", micro["script", 0.99] / micro["rpush", 0.99], 2),
        at_most("own client time, p50", micro["client", 0.5], 150, "µs"),
        Figure("own client time, p99", micro["client", 0.99], "µs"),
        Figure("apply_async / publish(), p50", micro["celery", 0.5] / micro["whole", 0.5]),
        Figure("apply_async / publish(), p99", micro["celery", 0.99] / micro["whole", 0.99]),
    ]
