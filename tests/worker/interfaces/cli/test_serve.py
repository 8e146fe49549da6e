import json
import signal
import socket

import httpx2
import pytest

from tests.worker.interfaces.cli.running import Cli
from tests.worker.interfaces.cli.test_worker import running


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_it_says_where_it_listens_serves_and_stops_when_told(cli: Cli, end: signal.Signals) -> None:
    with running(cli, "serve", "--port", "0", "--json") as server:
        assert server.stdout
        ready = json.loads(server.stdout.readline())
        with httpx2.Client(base_url=ready["url"]) as client:
            whose = {"app": "acme", "user": "ann"}
            turn = {"role": "user", "text": "I live in Oslo."}
            told = client.post("/v1/turns", params=whose, json=turn)
            lines = client.post(
                "/v1/turns",
                params=whose,
                content=(json.dumps({**turn, "id": str(n)}).encode() + b"\n" for n in range(300)),
                headers={"Content-Type": "application/x-ndjson"},
            )
        server.send_signal(end)
        _, err = server.communicate(timeout=60)

    assert (ready["state"], ready["needs_key"]) == ("ready", False)
    assert (told.status_code, lines.status_code) == (202, 202)
    assert len(lines.text.splitlines()) == 300
    assert server.returncode == 0, err
    assert "acme" not in err


def test_an_address_that_is_taken_is_named(cli: Cli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        told = cli("serve", "--port", port)

    assert told.status == 1
    assert f"127.0.0.1:{port}" in told.err
    assert "--port" in told.err


def test_other_machines_are_served_only_where_there_is_a_key(cli: Cli) -> None:
    told = cli("serve", "--host", "0.0.0.0", "--port", "0")  # noqa: S104 - it is refused

    assert told.status == 1
    assert "slowwave key add" in told.err
