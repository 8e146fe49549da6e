from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files

import pytest
from redis import Redis

from schemas.limits import Limits
from tests.endpoint import endpoint
from tests.worker.interfaces.cli.running import Cli, Told
from worker.adapters.breaker import Breaker
from worker.adapters.inbox import Claim, Inbox


def states(told: Told) -> dict[str, str]:
    return {finding["name"]: finding["state"] for finding in told.lines}


@pytest.fixture
def cli(cli: Cli) -> Cli:
    """With the doorbells in a database of their own."""
    own = cli.environment["SLOWWAVE_REDIS_URL"].removesuffix("0") + "1"
    return replace(cli, environment={**cli.environment, "SLOWWAVE_BROKER_URL": own})


def test_all_is_well_where_all_is_set_right(cli: Cli) -> None:
    told = cli("check", "--json")

    assert told.status == 0
    assert set(states(told).values()) == {"ok"}
    parts = {"redis", "queue", "embedder", "store", "model", "judgment", "detector", "resolver"}
    assert parts | {"broker"} == states(told).keys()
    assert all({"name", "state", "detail", "remedy"} == finding.keys() for finding in told.lines)


def test_every_way_of_judging_is_listed_with_its_price(cli: Cli) -> None:
    told = cli("check", "--json", SLOWWAVE_DETECTOR="pointwise", SLOWWAVE_RESOLVER="keep")

    remedies = {f["detail"].partition(":")[0]: f["remedy"] for f in told.lines}
    assert {remedies[name] for name in ("pointwise", "keep")} == {"in use"}
    assert remedies["batchwise"] == "SLOWWAVE_DETECTOR=batchwise"
    assert remedies["rewrite"] == "SLOWWAVE_RESOLVER=rewrite"
    assert len([f for f in told.lines if f["name"] == "detector"]) == 5


@pytest.mark.parametrize(
    ("part", "setting", "value"),
    [
        ("redis", "SLOWWAVE_REDIS_URL", "redis://:hunter2@127.0.0.1:1/0"),
        ("redis", "SLOWWAVE_REDIS_URL", "http://:hunter2@127.0.0.1"),
        ("broker", "SLOWWAVE_BROKER_URL", "redis://:hunter2@127.0.0.1:1/0"),
        ("broker", "SLOWWAVE_BROKER_URL", "nonsense"),
        ("store", "SLOWWAVE_STORE_URL", "weaviate://127.0.0.1:1?grpc_port=2"),
        ("store", "SLOWWAVE_STORE_URL", "nonsense"),
        ("store", "SLOWWAVE_STORE_URL", "http://:hunter2@w"),
        ("embedder", "SLOWWAVE_EMBEDDER", "nonsense"),
        ("model", "SLOWWAVE_MODEL", "nonsense"),
    ],
)
def test_what_is_wrong_is_found_and_the_rest_looked_at(
    cli: Cli, part: str, setting: str, value: str
) -> None:
    told = cli(
        *("check", "--json"),
        **{"SLOWWAVE_MODEL_URL": "http://127.0.0.1:1/v1", setting: value},
    )

    assert told.status == 1
    assert states(told)[part] == "wrong"
    assert states(told)["judgment"] == "ok"
    assert next(one["remedy"] for one in told.lines if one["name"] == part)
    assert f"wrong: {part}" in told.err
    assert "hunter2" not in told.out + told.err


@pytest.fixture
def forgetful(redis_client: Redis) -> Iterator[None]:
    """A Redis that throws away what it has no room for."""
    redis_client.config_set("maxmemory-policy", "allkeys-lru")
    yield
    redis_client.config_set("maxmemory-policy", "noeviction")


@pytest.mark.usefixtures("forgetful")
def test_a_redis_that_may_throw_turns_away_is_wrong(cli: Cli) -> None:
    told = cli("check", "--json")

    assert told.status == 1
    assert states(told)["redis"] == "wrong"
    assert "allkeys-lru" in told.out


@pytest.fixture
def nearly_full(redis_client: Redis) -> Iterator[None]:
    """A Redis that soon takes no more turns."""
    redis_client.config_set("maxmemory", round(redis_client.info("memory")["used_memory"] * 1.05))
    yield
    redis_client.config_set("maxmemory", 0)


@pytest.mark.usefixtures("nearly_full")
def test_a_redis_that_is_nearly_full_is_warned_of(cli: Cli) -> None:
    told = cli("check", "--json")

    assert told.status == 0
    (warning,) = [finding for finding in told.lines if finding["state"] == "warning"]
    assert warning["name"] == "redis"
    assert "maxmemory" in warning["detail"]
    assert "slowwave drain --all" in warning["remedy"]


@pytest.mark.parametrize("command", ["check", "status", "drain"])
def test_a_wrong_number_of_partitions_gives_no_wrong_figures(
    cli: Cli, redis_client: Redis, command: str
) -> None:
    Inbox(redis_client, partitions=2).configure(Limits())

    told = cli(command, "--json", SLOWWAVE_REDIS_PARTITIONS="3")

    assert told.status == 1
    assert "in 2 partitions, but SLOWWAVE_REDIS_PARTITIONS is 3" in told.out + told.err
    assert "pending_turns" not in told.out


@pytest.mark.parametrize("named", [True, False])
def test_doorbells_beside_the_turns_are_warned_of(cli: Cli, redis_url: str, named: bool) -> None:
    told = cli("check", "--json", SLOWWAVE_BROKER_URL=redis_url if named else "")

    (warning,) = [finding for finding in told.lines if finding["state"] == "warning"]
    assert told.status == 0
    assert warning["name"] == "broker"
    assert "SLOWWAVE_BROKER_URL" in warning["remedy"]


@pytest.mark.parametrize("setting", ["SLOWWAVE_REDIS_URL", "SLOWWAVE_BROKER_URL"])
def test_a_cluster_is_no_place_for_doorbells(cli: Cli, setting: str) -> None:
    cluster = {"SLOWWAVE_BROKER_URL": "", setting: "redis+cluster://:hunter2@127.0.0.1:1"}
    told = cli("check", "--json", **cluster)

    assert states(told)["broker"] == "wrong"
    assert f"{setting} is a Redis Cluster" in told.out
    assert "hunter2" not in told.out + told.err


def test_a_redis_that_does_not_let_us_look_is_warned_of(
    cli: Cli, redis_client: Redis, redis_url: str
) -> None:
    redis_client.acl_setuser(
        "guest",
        enabled=True,
        passwords=["+pw"],
        keys=["*"],
        categories=["+@all"],
        commands=["-info"],
    )
    try:
        url = redis_url.replace("redis://", "redis://guest:pw@")
        told = cli("check", "--json", SLOWWAVE_REDIS_URL=url)
    finally:
        redis_client.acl_deluser("guest")

    (warning,) = [finding for finding in told.lines if finding["state"] == "warning"]
    assert "INFO" in warning["detail"]
    assert "noeviction" in warning["remedy"]


@pytest.fixture
def fleeting(redis_client: Redis) -> Iterator[None]:
    """A Redis that keeps nothing over a restart."""
    redis_client.config_set("appendonly", "no")
    yield
    redis_client.config_set("appendonly", "yes")


@pytest.mark.usefixtures("fleeting")
def test_a_redis_without_a_file_is_warned_of(cli: Cli) -> None:
    told = cli("check", "--json")

    assert told.status == 0
    (warning,) = [finding for finding in told.lines if finding["state"] == "warning"]
    assert warning["name"] == "redis"
    assert "appendonly" in warning["remedy"]


def test_a_model_is_asked_once(cli: Cli) -> None:
    with endpoint(lambda _job, _document: {"facts": []}) as model:
        told = cli("check", "--json", SLOWWAVE_MODEL="m", SLOWWAVE_MODEL_URL=model.url)

    assert told.status == 0
    assert states(told)["model"] == "ok"
    assert model.calls == {"extraction": 1}


def test_a_model_that_answers_beside_the_point_is_warned_of(cli: Cli) -> None:
    with endpoint(lambda _job, _document: {"nonsense": 1}) as model:
        told = cli("check", "--json", SLOWWAVE_MODEL="m", SLOWWAVE_MODEL_URL=model.url)

    assert states(told)["model"] == "warning"


def test_what_an_operator_says_to_a_model_is_told(cli: Cli) -> None:
    prompts = cli.folder / "prompts"
    prompts.mkdir()
    (prompts / "extraction.md").write_text("Find facts. Answer in JSON.")
    with endpoint(lambda _job, _document: {"facts": []}) as model:
        told = cli(
            *("check", "--json"),
            SLOWWAVE_MODEL="m",
            SLOWWAVE_MODEL_URL=model.url,
            SLOWWAVE_PROMPTS_DIR=str(prompts),
            SLOWWAVE_DAILY_CALLS="1500",
            SLOWWAVE_TOKENIZER="cl100k",
        )

    found = {finding["name"]: finding["detail"] for finding in told.lines}
    assert f"extraction by the instructions in {prompts}" in found["model"]
    assert "1,500 calls a day" in found["budget"]
    assert "cl100k" in found["tokenizer"]


@pytest.mark.parametrize(
    ("setting", "value", "told_of"),
    [
        ("SLOWWAVE_PROMPTS_DIR", "/nowhere", "SLOWWAVE_PROMPTS_DIR /nowhere cannot be read"),
        ("SLOWWAVE_MODEL_EXTRA_BODY", '{"judge": {}}', "SLOWWAVE_MODEL_EXTRA_BODY has judge"),
    ],
)
def test_what_would_reach_no_job_is_wrong(cli: Cli, setting: str, value: str, told_of: str) -> None:
    told = cli("check", "--json", **{"SLOWWAVE_MODEL": "m", setting: value})

    assert states(told)["model"] == "wrong"
    assert told_of in told.out


def test_the_words_of_a_block_are_looked_at(cli: Cli) -> None:
    path = cli.folder / "mine.toml"
    path.write_text('item = "$txt"')
    settings = {"SLOWWAVE_RECALL_TEMPLATE": str(path)}

    told = cli("check", "--json", **settings)
    assert states(told)["block"] == "wrong"
    assert "`corrected` is missing" in told.out
    path.write_text(files("worker.prompts").joinpath("block.toml").read_text())
    assert states(cli("check", "--json", **settings))["block"] == "ok"


def test_a_budget_of_tokens_that_nobody_counts_is_warned_of(cli: Cli) -> None:
    with endpoint(lambda _job, _document: {"facts": []}) as model:
        model.counts = False
        told = cli(
            *("check", "--json"),
            SLOWWAVE_MODEL="m",
            SLOWWAVE_MODEL_URL=model.url,
            SLOWWAVE_DAILY_TOKENS="9",
        )

    assert states(told)["budget"] == "warning"


def test_instructions_that_no_rule_reads_are_warned_of(cli: Cli) -> None:
    told = cli("check", "--json", SLOWWAVE_APP_INSTRUCTIONS='{"acme": "No prices."}')

    assert states(told)["instructions"] == "warning"


def test_a_setting_that_is_misspelt_is_found_with_the_one_that_is_meant(cli: Cli) -> None:
    told = cli("check", "--json", SLOWWAVE_SLEPP_AT="0 3 * * *", SLOWWAVE_Q="1")

    found = {one["detail"].split(" ")[0]: one for one in told.lines if one["name"] == "settings"}
    assert told.status == 1
    assert found["SLOWWAVE_SLEPP_AT"]["state"] == "wrong"
    assert "SLOWWAVE_SLEEP_AT" in found["SLOWWAVE_SLEPP_AT"]["remedy"]
    assert found["SLOWWAVE_Q"]["state"] == "warning"


def test_a_misspelt_setting_is_told_of_where_work_begins(cli: Cli) -> None:
    told = cli("drain", SLOWWAVE_SLEPP_AT="0 3 * * *")

    assert told.status == 0
    assert "SLOWWAVE_SLEPP_AT" in told.err
    assert "SLOWWAVE_SLEEP_AT" in told.err


def test_a_part_that_rests_is_warned_of(cli: Cli, redis_client: Redis) -> None:
    breaker = Breaker(redis_client)
    claim = Claim(scope_key="a", partition=0, fence=1, attempt=1, batch_turns=1)
    breaker.rest("store", breaker.failed("store", claim), 3_600)
    told = cli("check", "--json")

    warned = [one for one in told.lines if one["state"] == "warning"]
    assert told.status == 0
    assert [one["name"] for one in warned] == ["store"]
    assert "failed several scopes" in warned[0]["detail"]


def test_people_see_each_part_with_its_remedy(cli: Cli) -> None:
    told = cli("check", SLOWWAVE_EMBEDDER="nonsense")

    assert told.status == 1
    assert "wrong" in told.out
    assert "SLOWWAVE_EMBEDDER" in told.out
