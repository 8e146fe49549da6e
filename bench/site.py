"""A Redis, a scripted model and real workers in a folder of their own, for as long as a bench needs them."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from redis import Redis

from bench.redis_process import RedisProcess
from bench.scripted_model import ScriptedModel
from bench.worker_process import WORKER, WorkerProcess, worker_settings
from producers.producer import Producer
from schemas.keys import ScopeKeys
from schemas.scope import Scope


def nothing_found(_job: str, _document: dict[str, Any]) -> dict[str, list[Any]]:
    """A model that finds no fact: each batch is one call, and what is measured is the way to it."""
    return {"facts": []}


@dataclass
class Site:
    """Workers come when they are hired."""

    folder: Path
    redis: Redis
    producer: Producer
    model: ScriptedModel
    settings: Mapping[str, str]
    workers: list[WorkerProcess] = field(default_factory=list)

    def hire(self, count: int) -> None:
        """So many workers, ready when this returns."""
        self.workers += [
            WorkerProcess(self.folder, f"worker{at}", self.settings, WORKER) for at in range(count)
        ]
        for worker in self.workers:
            worker.wait_until_ready()

    def publish(self, lines: Sequence[Mapping[str, object]]) -> None:
        """Raises `RuntimeError` where one is not accepted."""
        wrong = [one for one in self.producer.publish_many(lines) if one.status != "accepted"]
        if wrong:
            raise RuntimeError(f"{len(wrong)} turns were not accepted: {wrong[0]}")

    def waiting(self, users: Sequence[str]) -> list[int]:
        """Turns of each user that are still in the inbox."""
        with self.redis.pipeline(transaction=False) as pipeline:
            for user in users:
                pipeline.llen(ScopeKeys(0, Scope(app=APP, user=user).key).turns)
            return [int(length) for length in pipeline.execute()]


APP = "bench"


def lines_of(user: str, turns: int, start: int = 0) -> list[dict[str, object]]:
    """So many turns of one user, each once however often they are published."""
    return [
        {
            "app": APP,
            "user": user,
            "conversation": "talk",
            "role": "user",
            "id": str(start + at),
            "text": f"Crate {start + at} stands in the yard.",
        }
        for at in range(turns)
    ]


@contextmanager
def site(delay_seconds: Callable[[], float], **settings: object) -> Iterator[Site]:
    """Everything ends when this is left."""
    with (
        tempfile.TemporaryDirectory(prefix="slowwave-bench-") as name,
        RedisProcess(Path(name) / "redis") as server,
        ScriptedModel(nothing_found, delay_seconds) as model,
        server.client() as redis,
        Producer(server.url) as producer,
    ):
        folder = Path(name)
        given = worker_settings(folder, server.url, model.url, **settings)
        made = Site(folder, redis, producer, model, given)
        try:
            yield made
        finally:
            for worker in made.workers:
                worker.kill()
