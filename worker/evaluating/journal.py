"""What is done, one line each: an evaluation that was killed goes on behind the last whole one."""

import os
import threading
from io import RawIOBase
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from worker.errors import Misconfigured

T = TypeVar("T", bound=BaseModel)


class Journal(Generic[T]):
    """A file of JSON lines that only grows; safe from any thread of one process."""

    def __init__(self, path: Path, kind: type[T]) -> None:
        """A last line that broke off is taken off. Raises `Misconfigured` for any other that is none of ours."""
        self._path, self._kind = path, kind
        self._lock = threading.Lock()
        self.entries: list[T] = []
        if path.exists():
            self._read()

    def _read(self) -> None:
        whole = self._path.read_bytes()
        end = whole.rfind(b"\n") + 1
        for at, line in enumerate(whole[:end].splitlines(), start=1):
            try:
                self.entries.append(self._kind.model_validate_json(line))
            except ValidationError as error:
                raise Misconfigured(
                    f"{self._path}, line {at}, was not written by this version of slowwave: use another folder"
                ) from error
        if end < len(whole):
            os.truncate(self._path, end)

    def append(self, entry: T) -> None:
        """It is on the disk when this returns. Raises `OSError`; no part of it is left then for the next to follow."""
        line = entry.model_dump_json().encode() + b"\n"
        with self._lock, self._path.open("ab", buffering=0) as file:
            size = file.tell()
            try:
                _write(file, line)
            except OSError:
                file.truncate(size)
                raise
            self.entries.append(entry)


def _write(file: RawIOBase, line: bytes) -> None:
    """A disk that is filling up takes a part, and only then refuses."""
    left = memoryview(line)
    while left:
        left = left[file.write(left) or 0 :]
    os.fsync(file.fileno())
