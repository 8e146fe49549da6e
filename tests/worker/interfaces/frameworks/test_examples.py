"""The examples of the documentation, as people run them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from producers.producer import Producer
from schemas.scope import Scope
from tests.desk import Desk
from tests.worker.interfaces.frameworks.model import Model, serving
from worker import wiring
from worker.settings import Settings

ROOT = Path(__file__).parents[4]


@pytest.fixture
def desk(redis_url: str, redis_client: Redis, tmp_path: Path) -> Iterator[Desk]:
    settings = Settings(
        redis_url=redis_url,
        store_url=f"sqlite:///{tmp_path / 'memory.db'}",
        embedder="hash",
        _env_file=None,
    )
    parts = wiring.open_parts(settings)
    parts.inbox.configure(settings.limits)
    made = Desk(parts, Producer(redis_client), Scope(app="example", user="alice"))
    made.say("I live in Oslo.", "2026-01-01T00:00:00Z")
    made.settle()
    yield made
    wiring.close()


def run(desk: Desk, name: str, *arguments: str, given: str = "", **more: str) -> str:
    settings = desk.parts.settings
    around = {name: value for name, value in os.environ.items() if not name.startswith("SLOWWAVE_")}
    own = {
        "SLOWWAVE_REDIS_URL": settings.redis_url or "",
        "SLOWWAVE_STORE_URL": settings.store,
        "SLOWWAVE_EMBEDDER": "hash",
        "SLOWWAVE_RECALL_DEADLINE_SECONDS": "30",
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "examples" / name), *arguments],
        input=given,
        env=around | own | more,
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def heard(desk: Desk) -> list[str]:
    return [one.text for one in desk.parts.inbox.pending(desk.scope.key)]


def test_the_chat_of_the_openai_package_remembers(desk: Desk) -> None:
    model = Model()
    with serving(model):
        ends = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "k"}
        told = run(desk, "openai_chat.py", given="Where do I live?\nThank you\n", **ends)

    assert told == "You live in Oslo.\n" * 2
    assert "User lives in Oslo" in model.told
    assert heard(desk) == [
        "Where do I live?",
        "You live in Oslo.",
        "Thank you",
        "You live in Oslo.",
    ]


def test_the_graph_looks_up_and_publishes(desk: Desk) -> None:
    told = run(desk, "langgraph_chat.py", "Where do I live?")

    assert told == "known: User lives in Oslo\nI had a look.\n"
    assert heard(desk) == ["Where do I live?", "I had a look."]
