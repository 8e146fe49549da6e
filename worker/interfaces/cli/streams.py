"""The standard streams as a shell may give them: closed, full, or of an encoding that lacks a letter."""

import io
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO

from worker.interfaces.cli.ending import Failed

#: Stdin, stdout and stderr.
DESCRIPTORS = 3


class _Answers(io.FileIO):
    """Stdout. What it cannot take is said once, as an error of ours, whoever was writing."""

    _failed = False

    def write(self, data: Any, /) -> int:
        if self._failed:
            return len(data)
        try:
            return super().write(data)
        except BrokenPipeError:
            # Whoever read has read enough: click ends that without a word.
            self._failed = True
            raise
        except OSError as error:
            self._failed = True
            raise Failed(
                f"stdout does not take the answer ({error.strerror}): send it where there is room"
            ) from error


class _Notes(io.FileIO):
    """Stderr. What it cannot take is nowhere else to be said."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def mend() -> None:
    """Make the streams of this process safe to write to; a closed stdin stays `None`."""
    _fill_gaps()
    sys.stdout = _safe(sys.stdout, _Answers)
    sys.stderr = _safe(sys.stderr, _Notes)
    # Celery writes to the originals.
    sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr  # type: ignore[misc, assignment]


def _fill_gaps() -> None:
    """No file opened later may get the number of a closed stream and be written to in its place."""
    while (lowest := os.open(os.devnull, os.O_RDWR)) < DESCRIPTORS:
        os.set_inheritable(lowest, True)
    os.close(lowest)


def _safe(stream: TextIO | None, kind: Callable[..., io.FileIO]) -> TextIO:
    """The same place behind writes of this kind; memories are in any language, terminals are not."""
    if stream is None:
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123 - for the whole process
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    raw = kind(stream.fileno(), "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=stream.line_buffering,
    )
