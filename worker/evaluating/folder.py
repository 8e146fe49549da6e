"""The folder of an evaluation: what is done in it, and under which conditions, so that they never change half-way."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import JsonValue, ValidationError

from schemas.base import Stored
from worker.core.evaluating.sums import Result
from worker.errors import Misconfigured
from worker.evaluating.journal import Journal
from worker.evaluating.learning import Learned

CONDITIONS, LEARNED, ANSWERED = "conditions.json", "learned.jsonl", "answered.jsonl"


class Conditions(Stored):
    """Under which figures may stand side by side."""

    #: SHA-256 of the data set's file.
    data: str
    answer_model: str
    grade_model: str
    #: SHA-256 by job.
    prompts: dict[str, str]
    #: By name, secrets masked, without those that change no figure.
    settings: dict[str, JsonValue]
    #: Slowwave's own.
    version: str


class Folder:
    """Of one evaluation at a time."""

    def __init__(self, path: Path) -> None:
        """Raises `Misconfigured` where its files are none of ours."""
        self.path = path
        self.learned = Journal(path / LEARNED, Learned)
        self.answered = Journal(path / ANSWERED, Result)

    def has_learned(self, conversation: str) -> bool:
        return any(one.conversation == conversation for one in self.learned.entries)


@contextmanager
def entered(path: Path, conditions: Conditions) -> Iterator[Folder]:
    """A new folder, or one of the same conditions, held until it is left.

    Raises `Misconfigured` for any other, and where another process is in it; `OSError` where nothing can be written.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDONLY)
    except OSError as error:
        raise Misconfigured(
            f"{path} cannot be used: {error.strerror}: name another folder"
        ) from error
    try:
        _lock(handle, path)
        _agree(path, conditions)
        yield Folder(path)
    finally:
        os.close(handle)


def _lock(handle: int, path: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as held:
        raise Misconfigured(
            f"another evaluation is at work in {path}: wait for it, or name another folder"
        ) from held


def _agree(path: Path, conditions: Conditions) -> None:
    file = path / CONDITIONS
    if not file.exists():
        if any(one != _unfinished(file) for one in path.iterdir()):
            raise Misconfigured(
                f"{path} is not empty and holds no evaluation: name an empty folder"
            )
        _write(file, conditions.model_dump_json(indent=2))
        return
    try:
        before = Conditions.model_validate_json(file.read_bytes())
    except ValidationError as error:
        raise Misconfigured(
            f"{file} was not written by this version of slowwave: use another folder"
        ) from error
    if others := [*differing(before, conditions)]:
        raise Misconfigured(
            f"{path} holds an evaluation under other conditions ({'; '.join(others)}): set them as they were, or name"
            " another folder"
        )


def differing(before: Conditions, now: Conditions) -> Iterator[str]:
    """What is not as it was, each with both values."""
    old, new = (_flat(one.model_dump(mode="json")) for one in (before, now))
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            yield f"{name}: {old.get(name)!r} then, {new.get(name)!r} now"


def _flat(document: dict[str, JsonValue]) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    for name, value in document.items():
        if isinstance(value, dict):
            found |= {f"{name}.{inner}": one for inner, one in value.items()}
        else:
            found[name] = value
    return found


def _unfinished(file: Path) -> Path:
    """What is left of it where a process died, or the disk was full, before it was whole."""
    return file.with_suffix(".new")


def _write(file: Path, text: str) -> None:
    """Whole or not at all. Raises `OSError`."""
    made = _unfinished(file)
    with made.open("w", encoding="utf-8") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())
    made.replace(file)
