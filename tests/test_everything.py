"""Everything together, for as long as it takes: whatever is done in whatever order, the promises hold.

Steps and what must be true after each are in `tests.living`; for a longer life: `python -m bench everything`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from redis import Redis

from deploy.weaviate_process import Server
from tests.living import Life, machine
from tests.worker.adapters.stores.raw import client_of

PREFIX = "Everything"


@pytest.fixture
def weaviate(weaviate_server: Server) -> Iterator[str]:
    """The address of a server; what lives leave on it goes."""
    yield weaviate_server.url
    with client_of(weaviate_server) as client:
        names = client.collections.list_all()
        client.collections.delete([name for name in names if name.startswith(PREFIX)])


def lived(lives: type[Life], examples: int, steps: int) -> None:
    run_state_machine_as_test(
        lives,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            database=None,
            report_multiple_bugs=False,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        ),
    )


def on_sqlite(client: Redis, folder: Path) -> type[Life]:
    return machine(lambda: f"sqlite:///{folder / uuid4().hex}.db", client)


def test_all_promises_hold_together_on_sqlite(redis_client: Redis, tmp_path: Path) -> None:
    lived(on_sqlite(redis_client, tmp_path), examples=30, steps=30)


def test_all_promises_hold_together_on_weaviate(redis_client: Redis, weaviate: str) -> None:
    lived(machine(lambda: f"{weaviate}&prefix={PREFIX}{uuid4().hex}", redis_client), 5, 15)


Step = tuple[str, dict[str, Any]]


def batch(*turns: tuple[str, str, int]) -> Step:
    return "batch", {"turns": [(*turn, False) for turn in turns], "fault": None}


def forgotten(text: str) -> Step:
    return "forget_by_query", {"text": text, "fault": None}


BREAD, LIMPS, COUGHS = ("say", "job", 0), ("say", "state", 0), ("say", "state", 1)
NO_JOB = ("forget", "job", 0)

FOUND_ONCE: dict[str, list[Step]] = {
    "said and taken back in one batch, yet kept as context": [batch(BREAD, NO_JOB)],
    "told by the reason of a run of other turns": [
        batch(("late", "state", 0), COUGHS),
        forgotten("Limps badly"),
    ],
    "told by the reason of a snapshot beside it": [
        batch(COUGHS, LIMPS, COUGHS),
        forgotten("Limps badly"),
    ],
    "hidden by a wish, not removed at once by a command": [
        batch(BREAD),
        batch(NO_JOB),
        ("forget_by_id", {"pick": 0, "fault": None}),
    ],
}


@pytest.mark.parametrize("steps", FOUND_ONCE.values(), ids=FOUND_ONCE)
def test_what_was_found_once_stays_mended(
    redis_client: Redis, tmp_path: Path, steps: list[Step]
) -> None:
    life = on_sqlite(redis_client, tmp_path)()
    life.begin(resolver="replace")
    try:
        for name, drawn in steps:
            getattr(life, name)(at=0, **drawn)
    finally:
        life.teardown()
