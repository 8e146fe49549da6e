"""What a batch tells a model, and what its run says of that."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from schemas.scope import Scope
from tests.desk import Desk, desk, scripted
from tests.endpoint import job_of
from tests.similarity import GivenSimilarities
from worker.adapters.chat import EndpointChat
from worker.adapters.model import Model
from worker.adapters.prompts import Prompts
from worker.core.ports import Store


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (GivenSimilarities().fingerprint, GivenSimilarities().dimensions)


@pytest.fixture
def table(sqlite_store: Store, redis_client: Redis, scope: Scope) -> Desk:
    near = {"Lives in Austin": ("Lives in Seattle", 0.9)}
    return desk(sqlite_store, redis_client, scope, GivenSimilarities(near))


def moves(job: str, document: dict[str, Any]) -> Any:
    """Seattle, then Austin."""
    if job == "extraction":
        label = document["turns"][-1]["id"]
        city = document["turns"][-1]["text"].removeprefix("I live in ")
        return {"facts": [{"text": f"Lives in {city}", "attribute": "home", "turns": [label]}]}
    group = {"why": "moved", "members": ["f1", "c1"], "relation": "update", "drops": ["Seattle"]}
    return {"groups": [{**group, "text": "Lives in Austin", "after": None}], "new": []}


def say_both(table: Desk) -> None:
    for city, said_at in (("Seattle", "2026-01-01T10:00:00Z"), ("Austin", "2026-02-01T10:00:00Z")):
        table.say(f"I live in {city}", said_at)
        table.settle()


@pytest.mark.parametrize("app", ["ours", "another"])
def test_what_the_operator_of_an_app_adds_is_told_to_its_extraction_alone(
    table: Desk, app: str
) -> None:
    named = table.scope.app if app == "ours" else app
    with scripted(table, moves, app_instructions={named: "Never note prices."}) as model:
        say_both(table)

    told = {job_of(one): one["messages"][0]["content"] for one in model.requests}
    assert ("Never note prices." in told["extraction"]) is (app == "ours")
    assert "Never note prices." not in told["batchwise"]


def test_a_run_says_what_each_job_has_cost(table: Desk) -> None:
    with scripted(table, moves):
        say_both(table)

    (run,) = [run for run in table.runs() if "batchwise" in run.usage.calls]
    assert run.usage.calls == {"extraction": 1, "batchwise": 1}
    assert {job: (one.prompt, one.completion) for job, one in run.usage.tokens.items()} == {
        "extraction": (10, 5),
        "batchwise": (10, 5),
    }
    assert run.usage.total_tokens == 30


def test_a_run_names_the_instructions_that_were_used(table: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "extraction.md").write_text("Find facts. Answer in JSON.")
    prompts = Prompts(folder)
    with scripted(table, moves) as server:
        model = Model(EndpointChat("scripted", server.url, "key", 10), prompts=prompts)
        table.parts = replace(table.parts, model=model)
        table.say("I live in Seattle", "2026-01-01T10:00:00Z")
        table.settle()
        model.close()

    (run,) = table.runs()
    assert run.prompts == {"extraction": prompts.fingerprint("extraction")}
    assert run.prompts != {"extraction": Prompts().fingerprint("extraction")}
    assert server.requests[0]["messages"][0]["content"] == "Find facts. Answer in JSON."
