"""A plan lists changes as finished records: applying it reads no clock, model or embedder."""

from collections.abc import Mapping
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import AwareDatetime, Stored
from schemas.memory import ArchiveRecord, Counters, MemoryRecord, Reason
from schemas.scope import Scope

Relation = Literal["new", "same", "update", "contradict", "forget"]


class Reasoned(Stored):
    """Why a change is made, for people: the verdict and the judge's words."""

    relation: Relation
    why: str = ""
    #: Turns behind the facts that led to it.
    turn_ids: tuple[UUID, ...] = ()
    #: Other words of what was called the same: no record has them.
    said: tuple[str, ...] = ()


class Add(Reasoned):
    """A new memory, version 1; or one that is brought back, in its next version."""

    kind: Literal["add"] = "add"
    record: MemoryRecord
    #: Of what is imported: the run that had written it where it comes from.
    written_by: UUID | None = None


class Confirm(Reasoned):
    """Said again, for no shorter: counts, turns and times grow; no new version, no archive."""

    kind: Literal["confirm"] = "confirm"
    record: MemoryRecord
    prior: Counters


class Revise(Reasoned):
    """The same memory with new words, one version up; `archive` is the version before."""

    kind: Literal["revise"] = "revise"
    record: MemoryRecord
    archive: ArchiveRecord


class Retire(Reasoned):
    """A memory leaves the live store; `archive` says what replaced it."""

    kind: Literal["retire"] = "retire"
    archive: ArchiveRecord


class File(Reasoned):
    """History at birth: what was already outdated when it arrived."""

    kind: Literal["file"] = "file"
    archive: ArchiveRecord


Change = Annotated[Add | Confirm | Revise | Retire | File, Field(discriminator="kind")]


class Tokens(Stored):
    """As the endpoint counts them."""

    prompt: int = 0
    completion: int = 0
    #: Those of `prompt` that the provider had read before.
    cached: int = 0

    def __add__(self, other: "Tokens") -> "Tokens":
        return Tokens(
            prompt=self.prompt + other.prompt,
            completion=self.completion + other.completion,
            cached=self.cached + other.cached,
        )


class Usage(Stored):
    """What a run asked of models, by job and in all."""

    calls: dict[str, int] = Field(default_factory=dict)
    #: Empty in runs of versions that only knew the sums.
    tokens: dict[str, Tokens] = Field(default_factory=dict)
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0

    @classmethod
    def by_job(cls, calls: Mapping[str, int], tokens: Mapping[str, Tokens]) -> "Usage":
        """The sums are stored too: versions that only know those run side by side."""
        total = sum(tokens.values(), Tokens())
        return cls(
            calls=dict(calls),
            tokens=dict(tokens),
            prompt_tokens=total.prompt,
            completion_tokens=total.completion,
            cached_tokens=total.cached,
        )

    @property
    def total_calls(self) -> int:
        return sum(self.calls.values())

    @property
    def total_tokens(self) -> int:
        """Read and written; what is cached was read."""
        return self.prompt_tokens + self.completion_tokens


class Held(Stored):
    """A turn that goes aside for a person to look at, with the reason and what would be done for it."""

    turn_id: UUID
    reason: str
    #: The changes that a person may accept; decided on the versions in them.
    proposal: tuple[Change, ...] = ()


class Lost(Stored):
    """A question that would no longer find a memory, nor what took its place."""

    #: Empty once something of its scope was forgotten: it is words that a person said.
    query: str
    memory_id: UUID


class Withheld(Stored):
    """Why sleep only proposes a plan."""

    #: Whether it would take the night over its share.
    beyond_share: bool = False
    lost: tuple[Lost, ...] = ()
    #: Memories that would go though nothing that stands says what they say.
    unsaid: tuple[UUID, ...] = ()


RunKind = Literal["batch", "sleep", "write", "undo", "restore"]


class Plan(Stored):
    """Everything one run will do. Survives JSON; applying it twice equals applying it once."""

    run: UUID
    kind: RunKind
    scope: Scope
    #: Turns that it settles; those held for review are not among them.
    turn_ids: tuple[UUID, ...]
    #: Memory id → the version it was decided on.
    base: dict[UUID, int]
    #: Memory id → the run that had written it last: a confirmation raises no version.
    base_runs: dict[UUID, UUID] = Field(default_factory=dict)
    changes: tuple[Change, ...]
    held: tuple[Held, ...] = ()
    planned_at: AwareDatetime
    #: Facts that extraction found.
    facts: int = 0
    #: Why facts were left out → how many.
    dropped: dict[str, int] = Field(default_factory=dict)
    #: `rules`, or the model's name.
    model: str = ""
    #: Prompt's job → SHA-256 of its text.
    prompts: dict[str, str] = Field(default_factory=dict)
    usage: Usage = Field(default_factory=Usage)
    #: The run that it takes back.
    undoes: UUID | None = None
    #: Fingerprint of the embedder that made its vectors; empty in plans of versions that did not say.
    embedder: str = ""
    #: Of what sleep only proposes.
    withheld: Withheld | None = None


class Changed(Stored):
    """What remains of a change in its run once applied; all texts but `said` are in records and archives."""

    kind: Literal["add", "confirm", "revise", "retire", "file"]
    memory_id: UUID
    #: The version after the change; for retire and file the archived one.
    version: int
    replaced_by: UUID | None = None
    #: Of the snapshot that it wrote; null where it wrote none, and in runs of versions that did not keep it.
    reason: Reason | None = None
    relation: Relation
    why: str
    turn_ids: tuple[UUID, ...] = ()
    said: tuple[str, ...] = ()
    #: What a confirm overwrote.
    prior: Counters | None = None
    #: Of what was imported: the run that had written it where it comes from.
    written_by: UUID | None = None


RunState = Literal["open", "applied", "parked", "undone"]


class Run(Stored):
    """One batch, one sleep slice or one direct write. Every change belongs to one."""

    id: UUID
    kind: RunKind
    scope: Scope
    state: RunState
    turn_ids: tuple[UUID, ...]
    started_at: AwareDatetime
    facts: int = 0
    dropped: dict[str, int] = Field(default_factory=dict)
    model: str = ""
    prompts: dict[str, str] = Field(default_factory=dict)
    usage: Usage = Field(default_factory=Usage)
    #: The run that it takes back.
    undoes: UUID | None = None
    #: The whole plan while the run is open.
    plan: Plan | None = None
    #: What was done, once it is applied.
    changes: tuple[Changed, ...] = ()
    #: Turns that were put aside, without their proposals once the run is applied.
    held: tuple[Held, ...] = ()
