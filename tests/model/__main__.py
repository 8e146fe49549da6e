"""`python -m tests.model get [NAME]` fetches one small model or all; `run NAME` serves one until Ctrl-C."""

import argparse
import signal
import sys
from contextlib import suppress

from tests.model.packages import NoModel
from tests.model.server import LONG_REPLY, started
from tests.model.weights import MODELS, Weights, get


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.model", description=__doc__)
    parser.add_argument("command", choices=("get", "run"))
    parser.add_argument("name", nargs="?", choices=list(MODELS))
    chosen = parser.parse_args(arguments)
    if chosen.command == "run" and chosen.name is None:
        parser.error(f"run needs a name: {', '.join(MODELS)}")
    wanted = [MODELS[chosen.name]] if chosen.name else list(MODELS.values())
    lacking = [weights for weights in wanted if not _got(weights)]
    if chosen.command == "run" and not lacking:
        _run(wanted[0])
    return 1 if lacking else 0


def _got(weights: Weights) -> bool:
    """One that is not to be had does not keep the others from being fetched."""
    try:
        get(weights, _say)
    except NoModel as error:
        _say(f"error: {error}")
        return False
    return True


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - a command prints


def _run(weights: Weights) -> None:
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.default_int_handler)
    log = weights.file.with_suffix(".log")
    with suppress(KeyboardInterrupt), started(weights, log, LONG_REPLY) as server:
        print(f"SLOWWAVE_MODEL={weights.name} SLOWWAVE_MODEL_URL={server.url}", flush=True)  # noqa: T201 - a command prints
        _say(f"log in {log}; stop with Ctrl-C")
        server.process.wait()


if __name__ == "__main__":
    sys.exit(main())
