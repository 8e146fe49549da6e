"""`slowwave mcp` as a host starts it: a process that is spoken with over its stdin and stdout."""

import asyncio
import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from mcp import StdioServerParameters
from redis import Redis

from tests.build import SCOPE
from tests.worker.interfaces.mcp.calling import MODES, SLOWWAVE, Answer, environment, hosting

HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@pytest.fixture
def given(redis_client: Redis, redis_url: str, tmp_path: Path) -> dict[str, str]:
    redis_client.ping()
    return environment(tmp_path, redis_url)


def calling(tool: str, id: int = 1, **arguments: object) -> dict[str, object]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


@contextmanager
def started(
    given: dict[str, str], folder: Path, *arguments: str
) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        (*SLOWWAVE, "mcp", *arguments),
        cwd=folder,
        env=given,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            with suppress(BrokenPipeError):
                stream.close()


def say(process: subprocess.Popen[str], *messages: object) -> None:
    assert process.stdin
    for message in messages:
        process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()


def test_a_host_that_starts_it_talks_with_it(given: dict[str, str], tmp_path: Path) -> None:
    server = StdioServerParameters(
        command=SLOWWAVE[0],
        args=[*SLOWWAVE[1:], "mcp"],
        env={**given, "SLOWWAVE_MCP_APP": SCOPE.app},
        cwd=tmp_path,
    )

    async def talk(mode: str) -> list[Answer]:
        async with hosting(server, SCOPE, mode) as host:
            who = {"user": SCOPE.user}
            written = await host.client.call_tool("remember", {"text": "I swim.", **who})
            told = await host.client.call_tool("recall", {"query": "swim", **who})
            return [Answer(written), Answer(told)]

    for mode, fate in zip(MODES, ("added", "confirmed"), strict=True):
        written, told = asyncio.run(talk(mode))
        assert written.fields["fate"] == fate
        assert [one["text"] for one in told.fields["memories"]] == ["I swim."]


def test_stdout_has_the_protocol_and_nothing_else(given: dict[str, str], tmp_path: Path) -> None:
    with started(
        {**given, "SLOWWAVE_MODELL": "x"}, tmp_path, "--app", "a", "--user", "b"
    ) as process:
        say(process, HELLO, READY, {"no": "message"}, calling("status"), "\x00")
        assert process.stdout
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        out, err = process.communicate(timeout=30)

    assert [one["id"] for one in answers] == [0, 1]
    assert answers[1]["result"]["structuredContent"]["memories"] == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in out.splitlines())
    assert "unknown_setting" in err
    assert process.returncode == 0


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_well_when_it_is_told_to_while_its_host_is_there(
    given: dict[str, str], tmp_path: Path, how: signal.Signals
) -> None:
    with started(given, tmp_path) as process:
        say(process, HELLO)
        assert process.stdout
        process.stdout.readline()
        process.send_signal(how)
        assert process.wait(30) == 0
        assert process.stderr
        assert process.stderr.read() == ""


def test_a_host_that_is_gone_without_a_word_leaves_no_process_behind(
    given: dict[str, str], tmp_path: Path
) -> None:
    with started(given, tmp_path, "--app", "a", "--user", "b") as process:
        say(process, HELLO, READY)
        assert process.stdout
        assert process.stdin
        process.stdout.readline()
        process.stdout.close()
        say(process, *(calling("recall", at, query="x") for at in range(1, 20)))
        process.stdin.close()
        assert process.wait(30) == 0
        assert process.stderr
        assert "Traceback" not in process.stderr.read()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--user", " "), "is empty: say whose memory it is"),
        (("--port", "1"), "--host, --port and --json go with --http"),
    ],
)
def test_wrong_usage_is_said_before_anything_is_served(
    given: dict[str, str], tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    with started(given, tmp_path, *arguments) as process:
        out, err = process.communicate(timeout=30)

    assert (process.returncode, out) == (2, "")
    assert said in " ".join(err.replace("│", " ").split())
