"""Commands run as people run them, and records put straight into the store that they read."""

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog
from typer.main import get_command
from typer.testing import CliRunner

from schemas.memory import Archive, ArchiveRecord, Memory, MemoryRecord
from tests.build import SCOPE
from tests.hold import HELD
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.adapters.stores.sqlite import SqliteStore
from worker.interfaces.cli.main import app

#: Built once: Typer's own runner builds every command anew for each call, which takes longer than most calls.
COMMANDS = get_command(app)
WHOSE = ("--app", SCOPE.app, "--user", SCOPE.user)


@dataclass(frozen=True)
class Told:
    """What a command left behind."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        """One JSON object a line."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def document(self) -> dict[str, Any]:
        (only,) = self.lines
        return only


@dataclass(frozen=True)
class Cli:
    """Runs commands in this process, in an environment of its own."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)

    def __call__(
        self, *arguments: str, given: str | bytes | None = None, **environment: str
    ) -> Told:
        with CliRunner().isolation(given, self.environment | environment) as (out, err, _):
            try:
                COMMANDS.main(arguments, prog_name="slowwave")
            except SystemExit as end:
                status = end.code
            finally:
                structlog.reset_defaults()
            assert isinstance(status, int)
            sys.stdout.flush()
            sys.stderr.flush()
            return Told(status, out.getvalue().decode(), err.getvalue().decode())

    def write(self, *turns: dict[str, Any]) -> str:
        """A file of turns."""
        path = self.folder / "turns.jsonl"
        path.write_text("".join(json.dumps(turn) + "\n" for turn in turns))
        return str(path)


@dataclass(frozen=True)
class Shelf:
    """Puts records straight into the store that the commands read."""

    store: SqliteStore
    embedder: HashedEmbedder

    def put(self, *memories: Memory) -> None:
        vectors = self.embedder.embed([memory.text for memory in memories])
        records = [
            MemoryRecord(memory=memory, vector=vector)
            for memory, vector in zip(memories, vectors, strict=True)
        ]
        self.store.writer(memories[0].scope, HELD).put_memories(records)

    def file(self, *archives: Archive) -> None:
        vectors = self.embedder.embed([archive.memory.text for archive in archives])
        records = [
            ArchiveRecord(archive=archive, vector=vector)
            for archive, vector in zip(archives, vectors, strict=True)
        ]
        self.store.writer(archives[0].memory.scope, HELD).put_archives(records)
