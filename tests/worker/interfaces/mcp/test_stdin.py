"""Lines of stdin, which nobody else reads."""

import subprocess
import sys
from pathlib import Path

#: A process that is started finds stdin at its end, rather than waiting beside us for what comes.
READ = """
import asyncio, subprocess, sys
from worker.interfaces.mcp.stdin import Lines

async def main():
    lines = Lines()
    child = "import select, sys; print([sys.stdin.read()] if select.select([0], [], [], 0)[0] else 'waits')"
    subprocess.run((sys.executable, "-c", child), check=True)
    print(ascii([line async for line in lines]))

asyncio.run(main())
"""


def test_each_line_comes_once_and_a_process_that_is_started_finds_none() -> None:
    with subprocess.Popen(
        (sys.executable, "-c", READ),
        cwd=Path(__file__).parents[4],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == b"['']\n"
        rest, _ = process.communicate(b"one\ntwo \xff\nlast", timeout=30)

    assert rest == rb"['one\n', 'two \ufffd\n', 'last']" + b"\n"
    assert process.returncode == 0
