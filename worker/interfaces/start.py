"""The console script: `pip install .` brings the producers alone, and the command with them."""

import sys

from worker.adapters.ondemand import on_demand


def run() -> None:
    """The program, or one line that says how to install it."""
    try:
        program = on_demand("worker.interfaces.cli.main", "run")
    except ModuleNotFoundError as missing:
        sys.exit(
            f"slowwave: {missing.name} is not installed: the command needs pip install 'slowwave[worker,local]';"
            " publishing from a backend does not need the command"
        )
    program()
