import os
import signal
import subprocess
import sys
from threading import Timer
from typing import Any

from redis import Redis

from tests.build import SCOPE
from tests.redis_service import RedisServer
from tests.worker.interfaces.cli.running import WHOSE, Cli
from worker.adapters.inbox import Inbox
from worker.adapters.redis_server import connect

SLOWWAVE = (sys.executable, "-P", "-m", "worker.interfaces.cli.main")
#: Script calls after which a drain that finds nothing to claim is surely waiting.
LOOKS = 12


def turn(text: str, **fields: Any) -> dict[str, Any]:
    return {"app": SCOPE.app, "user": SCOPE.user, "role": "user", "text": text} | fields


def test_everything_is_worked_off_and_counted(cli: Cli) -> None:
    cli("publish", cli.write(turn("I live in Oslo."), turn("I have a dog called Rex.", user="ben")))

    told = cli("drain", "--all", "--json")

    assert told.status == 0
    assert told.document["batches"] == 2
    assert told.document["turns"] == 2
    assert told.document["changes"] == {"add": 2}
    assert told.document["calls"] == {}
    assert "Oslo" in cli("memories", *WHOSE).out


def test_what_waits_for_quiet_is_left_and_said(cli: Cli) -> None:
    patient = {"SLOWWAVE_QUIET_SECONDS": "500", "SLOWWAVE_MAX_WAIT_SECONDS": "500"}
    cli("status", **patient)
    cli("publish", cli.write(turn("I live in Oslo.")), **patient)

    told = cli("drain", **patient)

    assert told.status == 0
    assert told.out == "batches 0, turns 0, calls 0, changes 0\n"
    assert "1 turns still wait" in told.err


def test_nothing_to_do_is_done_at_once(cli: Cli) -> None:
    assert cli("drain", "--json").document["batches"] == 0


def test_a_model_that_is_down_leaves_the_turns_and_ends(cli: Cli) -> None:
    down = {"SLOWWAVE_MODEL": "m", "SLOWWAVE_MODEL_URL": "http://127.0.0.1:1/v1"}
    cli("publish", cli.write(turn("I live in Oslo.")))

    told = cli("drain", "--all", "--json", **down)

    assert told.status == 1
    assert told.document["failed_turns"] == 1
    assert "used up: 1" in told.err
    assert cli("status", "--json").document["pending_turns"] == 1


def test_a_model_that_is_down_for_everyone_stops_it_and_the_next_tries_at_once(cli: Cli) -> None:
    down = {"SLOWWAVE_MODEL": "m", "SLOWWAVE_MODEL_URL": "http://127.0.0.1:1/v1"}
    cli("publish", cli.write(*(turn("I live in Oslo.", user=f"user{at}") for at in range(9))))

    told = cli("drain", "--all", "--json", **down)
    again = cli("drain", "--all", "--json", **down)
    mended = cli("drain", "--all", "--json")

    assert (told.status, again.status, mended.status) == (1, 1, 0)
    assert (told.document["failed_turns"], again.document["failed_turns"]) == (3, 1)
    assert "the model fails for everyone" in told.err
    assert "9 turns wait" in told.err
    assert mended.document["turns"] >= 5


def test_a_turn_that_is_parked_is_a_failure(cli: Cli, redis_client: Redis) -> None:
    cli("publish", cli.write(turn("I live in Oslo.")))
    (key,) = redis_client.keys("*:turns:*")
    redis_client.lset(key.decode(), 0, "1 {}")

    told = cli("drain", "--all", "--json")

    assert told.status == 1
    assert told.document["parked"] == 1
    assert "turns parked: 1" in told.err


def test_a_full_redis_is_worked_off(cli: Cli, redis_server: RedisServer) -> None:
    full = {"SLOWWAVE_REDIS_URL": redis_server.url}
    cli("publish", cli.write(*(turn(f"I live in Oslo {n}.") for n in range(30))), **full)
    with connect(redis_server.url) as client:
        client.config_set("maxmemory", client.info("memory")["used_memory"] // 2)
    refused = cli("publish", cli.write(turn("One more.")), **full)

    told = cli("drain", "--all", "--json", **full)

    assert refused.status == 1
    assert told.status == 0
    assert told.document["turns"] == 30


def script_calls(client: Redis) -> int:
    return int(client.info("commandstats").get("cmdstat_evalsha", {"calls": 0})["calls"])


def test_one_that_is_told_to_stop_says_so_and_loses_nothing(cli: Cli, redis_client: Redis) -> None:
    cli("publish", cli.write(turn("I live in Oslo.")))
    Inbox(redis_client).flush()
    assert Inbox(redis_client).claim()  # another's, so that there is something to wait for
    environment = {**os.environ, **cli.environment}
    redis_client.config_resetstat()
    with subprocess.Popen(
        [*SLOWWAVE, "drain"], env=environment, stderr=subprocess.PIPE, text=True
    ) as draining:
        while script_calls(redis_client) < LOOKS:
            assert draining.poll() is None
        draining.send_signal(signal.SIGTERM)
        _, err = draining.communicate(timeout=60)

    assert draining.returncode == 130
    assert err.startswith("slowwave: stopped by a signal")
    assert err.count("\n") == 1
    assert cli("status", "--json").document["pending_turns"] == 1


def test_a_scope_that_another_process_holds_is_waited_for(cli: Cli, redis_client: Redis) -> None:
    cli("publish", cli.write(turn("I live in Oslo.")))
    other = Inbox(redis_client)
    other.flush()
    claim = other.claim()
    assert claim
    letting_go = Timer(0.6, other.fail, (claim, 0), {"burn": False})
    letting_go.start()

    told = cli("drain", "--json")
    letting_go.join()

    assert told.status == 0
    assert told.document["turns"] == 1


def test_draining_all_tries_again_what_failed_before(cli: Cli) -> None:
    down = {"SLOWWAVE_MODEL": "m", "SLOWWAVE_MODEL_URL": "http://127.0.0.1:1/v1"}
    cli("publish", cli.write(turn("I live in Oslo.")))
    assert cli("drain", "--all", **down).status == 1
    assert cli("drain", "--all", **down).status == 1

    told = cli("drain", "--all", "--json")

    assert (told.status, told.document["turns"]) == (0, 1)
