"""How a command ends: 0 if it did what it says, 2 on wrong usage, 130 if a signal ended it, 1 otherwise."""

import signal
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from worker.errors import SlowwaveError
from worker.interfaces.cli.output import note
from worker.interfaces.where import without_passwords


class Failed(SlowwaveError):
    """The command could not do all that it says; the message says what is left and what to do."""


class Commands(TyperGroup):
    """Ends an error of ours as one line on stderr and status 1. Any other is a bug and keeps its traceback."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        # Help is printed before any command is invoked, and may not find room either.
        try:
            return super().main(*arguments, **options)
        except SlowwaveError as error:
            _say(error)
            sys.exit(1)

    def invoke(self, ctx: Any) -> Any:
        # What was started is stopped on the way out, so being told to stop is like Ctrl-C.
        before = signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            result = super().invoke(ctx)
            # What a closed pipe refuses is noticed here and not by the interpreter on its way out.
            sys.stdout.flush()
        except SlowwaveError as error:
            _say(error)
            raise typer.Exit(1) from error
        except KeyboardInterrupt:
            note("slowwave: stopped by a signal before the end; run it again for the rest")
            raise
        finally:
            signal.signal(signal.SIGTERM, before)
        return result


def _say(error: SlowwaveError) -> None:
    note(f"slowwave: {without_passwords(str(error))}")
