"""The lines of an export: what a scope is made of, in a format with a number, one JSON object each."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from schemas.base import AwareDatetime, Stored, Vector
from schemas.memory import Archive, Memory
from schemas.plan import Run
from schemas.scope import Scope

#: Grows when older versions of slowwave could not read what is written.
EXPORT_FORMAT = 1


class Head(Stored):
    """The first line."""

    kind: Literal["slowwave export"] = "slowwave export"
    format: int = EXPORT_FORMAT
    exported_at: AwareDatetime


class MemoryLine(Stored):
    """A live memory. The vector is null where it is to be made anew."""

    kind: Literal["memory"] = "memory"
    memory: Memory
    #: Fingerprint of the embedder that made the vector.
    embedder: str | None = None
    vector: Vector | None = None

    @property
    def scope(self) -> Scope:
        return self.memory.scope


class ArchiveLine(Stored):
    """An earlier version."""

    kind: Literal["archive"] = "archive"
    archive: Archive
    embedder: str | None = None
    vector: Vector | None = None

    @property
    def scope(self) -> Scope:
        return self.archive.memory.scope


class RunLine(Stored):
    """What was done, and which turns it settled: they are not learned a second time."""

    kind: Literal["run"] = "run"
    run: Run

    @property
    def scope(self) -> Scope:
        return self.run.scope


class End(Stored):
    """The last line: without it the export was cut off."""

    kind: Literal["end"] = "end"
    scopes: int
    memories: int
    archives: int
    runs: int


Content = MemoryLine | ArchiveLine | RunLine
Line = Annotated[Head | MemoryLine | ArchiveLine | RunLine | End, Field(discriminator="kind")]

line_reader: TypeAdapter[Line] = TypeAdapter(Line)
