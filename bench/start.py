"""How long `slowwave demo` takes until it says something useful: `python -m bench start`.

The installed command runs as a process of its own, with no setting but the usual ones, into a pipe. Useful is the
first line that tells what was learned; the first line of all is told beside. A run is ended there.
"""

import argparse
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Figure, at_most, percentile, show

SECONDS = 5.0
#: A session has been learned from.
USEFUL = re.compile(r"^run [0-9a-f]+: facts found")
END_SECONDS = 20.0


@dataclass(frozen=True)
class Start:
    """Seconds until the first line, and until the first useful one."""

    first: float
    useful: float


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench start", description=__doc__)
    parser.add_argument("--runs", type=int, default=5, help="one after the other (5)")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of a table")
    options = parser.parse_args(arguments)
    command = Path(sys.executable).with_name("slowwave")
    if not command.exists():
        print(f"{command} is not there: `pip install -e .` installs it", file=sys.stderr)
        return 2
    starts = [started([str(command), "demo"]) for _ in range(options.runs)]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    if None in starts:
        print("a run ended without a useful line: try `slowwave demo`", file=sys.stderr)
        return 1
    processor = (used.ru_utime + used.ru_stime) / options.runs
    found = [
        *_figures(starts),
        Figure("processor of its processes, their end included", processor, "s"),
    ]
    show(f"slowwave demo, {options.runs} runs", found, as_json=options.json)
    return 0


def _figures(starts: Sequence[Start | None]) -> Iterator[Figure]:
    done = [one for one in starts if one]
    useful = [one.useful for one in done]
    yield Figure("until its first line, p50", percentile([one.first for one in done], 0.5), "s")
    yield at_most("until its first useful line, p50", percentile(useful, 0.5), SECONDS, "s")
    yield Figure("the longest of them", max(useful), "s")


def started(command: Sequence[str]) -> Start | None:
    """Nothing where it ended before it said anything useful. It is ended as by Ctrl-C then."""
    first, began = None, time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=_plain()) as process:  # noqa: S603 - our own command
        try:
            for line in process.stdout or ():
                seconds = time.perf_counter() - began
                first = first or seconds
                if USEFUL.match(line):
                    return Start(first, seconds)
            return None
        finally:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=END_SECONDS)


def _plain() -> dict[str, str]:
    """Without settings of ours, so that all is as usual."""
    return {name: value for name, value in os.environ.items() if not name.startswith("SLOWWAVE_")}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
