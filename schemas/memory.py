"""What is known: facts, the memories made of them, and earlier versions."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, JsonValue, StringConstraints

from schemas.base import AwareDatetime, Stored, Text, Vector
from schemas.ids import archive_id
from schemas.scope import Scope

#: An ISO 8601 date, as exact as it was said: `2024`, `2024-01`, `2024-01-29` or with a time.
PartialDate = Annotated[
    str, StringConstraints(pattern=r"^\d{4}(-\d{2}(-\d{2}(T[0-9:.]+(Z|[+-]\d{2}:\d{2})?)?)?)?$")
]

#: Who is behind a statement; a person outranks the assistant, the assistant a tool.
Authority = Literal["user", "assistant", "tool"]


class Statement(Stored):
    """What a fact and a memory have in common."""

    text: Text = Field(min_length=1)
    #: A person, a group or an organisation, never a thing; `user` where the user has no name.
    subject: str
    #: The slot within the subject, such as `home` or `coffee`; null where there is none.
    attribute: str | None = None
    kind: str = "fact"
    #: Fades with time: recall weighs its age.
    volatile: bool = False
    #: The last user among the cited turns: speaker, or role where nobody is named.
    said_by: str
    authority: Authority = "user"
    turn_ids: tuple[UUID, ...] = Field(min_length=1)
    #: The latest time behind it.
    said_at: AwareDatetime
    happened_at: PartialDate | None = None
    #: True only until then.
    until: AwareDatetime | None = None
    #: The end was not said; it is `said_at` plus the setting's days.
    until_assumed: bool = False
    #: Tokens that must match exactly: codes, versions, numbers, paths.
    identifiers: tuple[str, ...] = ()

    @property
    def slot(self) -> tuple[str, str] | None:
        return (self.subject, self.attribute) if self.attribute else None


class Fact(Statement):
    """What extraction found in a batch; not yet judged."""

    #: The text that stands again once `until` has passed.
    after: Text | None = None


class Memory(Statement):
    """A live record: one statement that is current. Its id is for life; text and version change."""

    id: UUID
    scope: Scope
    #: Grows by one with every change of the text, never falls.
    version: int = Field(ge=1)
    after: Text | None = None
    #: When what it says was first said; null in records of versions that did not keep it: `said_at`.
    since: AwareDatetime | None = None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    last_confirmed_at: AwareDatetime
    #: How often it was said, the first time included.
    confirmations: int = 1
    uses: int = 0
    tags: tuple[str, ...] = ()
    #: The caller's own fields: they survive every change.
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
    #: Changed only by direct writes and a person's `forget`.
    pinned: bool = False
    #: Memories that it stands beside, unresolved.
    links: tuple[UUID, ...] = ()
    #: Where nobody said it: the memories that it was derived from, and which version of each. Empty where it was said.
    derived: dict[UUID, int] = Field(default_factory=dict)
    #: Why sleep should look at it; null where nothing is open.
    flagged: str | None = None
    last_run: UUID


Reason = Literal["superseded", "merged", "expired", "forgotten", "late", "undone", "faded"]


class Archive(Stored):
    """A snapshot of an earlier version, with what replaced it, when, why and in which run."""

    memory: Memory
    replaced_by: UUID | None
    archived_at: AwareDatetime
    reason: Reason
    why: str
    run: UUID

    @property
    def id(self) -> UUID:
        return archive_id(self.memory.id, self.memory.version)


class Counters(Stored):
    """What a confirmation overwrites, kept so that it can be undone."""

    confirmations: int
    last_confirmed_at: AwareDatetime
    said_at: AwareDatetime
    turn_ids: tuple[UUID, ...]
    until: AwareDatetime | None
    until_assumed: bool
    #: Null where the memory had none, and in runs of versions that did not keep it.
    since: AwareDatetime | None = None
    #: The run that had written it last.
    last_run: UUID


class MemoryRecord(Stored):
    """A memory with its embedding: what a store keeps as live."""

    memory: Memory
    vector: Vector


class ArchiveRecord(Stored):
    """A snapshot with the embedding it had."""

    archive: Archive
    vector: Vector
