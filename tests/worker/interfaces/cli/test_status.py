import re

from redis import Redis

from tests.worker.interfaces.cli.running import Cli
from worker.adapters.breaker import Breaker
from worker.adapters.claim import Claim


def test_the_figures_follow_what_is_published_and_worked_off(cli: Cli) -> None:
    file = cli.write({"app": "tests", "user": "ann", "role": "user", "text": "I live in Oslo."})
    cli("publish", file)

    waiting = cli("status", "--json").document
    cli("drain", "--all")
    done = cli("status", "--json").document

    assert (waiting["pending_turns"], waiting["pending_scopes"]) == (1, 1)
    assert {"oldest_ready_seconds", "busy", "parked"} <= waiting.keys()
    assert (done["pending_turns"], done["busy"], done["parked"]) == (0, 0, 0)


def test_people_see_the_same_figures_and_what_they_are_worked_with(cli: Cli) -> None:
    told = cli("status")

    assert told.status == 0
    assert "pending turns" in told.out
    assert "sqlite" in told.out
    assert "rules" in told.out


def test_the_last_error_is_shown_with_its_age(cli: Cli, redis_client: Redis) -> None:
    down = {"SLOWWAVE_MODEL": "m", "SLOWWAVE_MODEL_URL": "http://127.0.0.1:1/v1"}
    file = cli.write({"app": "tests", "user": "ann", "role": "user", "text": "I live in Oslo."})
    cli("publish", file)
    cli("drain", "--all", **down)
    told, figures = cli("status"), cli("status", "--json").document

    assert "http://127.0.0.1:1/v1" in figures["last_error"]["reason"]
    assert figures["last_error"]["seconds_ago"] >= 0
    assert "s ago: " in told.out
    assert sum(figures["claims"].values()) >= 1


def test_a_part_that_rests_is_shown_as_long_as_it_does(cli: Cli, redis_client: Redis) -> None:
    before, healthy = cli("status", "--json").document, cli("status")
    resting(redis_client)
    told, figures = cli("status"), cli("status", "--json").document

    assert before["resting"] == {}
    assert "resting" in healthy.out
    assert 3_500 < figures["resting"]["model"] <= 3_600
    assert re.search(r"resting\W+model, 3[56]\d\d s more", told.out)


def resting(redis: Redis) -> None:
    """The model failed several scopes."""
    breaker = Breaker(redis)
    claim = Claim(scope_key="a", partition=0, fence=1, attempt=1, batch_turns=1)
    breaker.rest("model", breaker.failed("model", claim), 3_600)


def test_a_store_that_is_none_is_not_called_fine(cli: Cli) -> None:
    told = cli("status", "--json", SLOWWAVE_STORE_URL="postgres://db/memory")

    assert told.status == 1
    assert told.document["store"] == "unknown"
    assert told.document["pending_turns"] == 0
    assert "SLOWWAVE_STORE_URL begins with 'postgres'" in told.err
