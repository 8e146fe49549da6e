"""What a person changes of one memory: its words, its fields, its tags, its pin."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Self
from uuid import UUID

from pydantic import Field, JsonValue, ValidationError, field_validator, model_validator

from schemas.base import Frozen, Text
from schemas.explaining import Form, explained
from schemas.memory import Memory, MemoryRecord
from schemas.plan import Plan, Revise
from worker.core.current import current
from worker.core.groups import merging
from worker.core.groups.setting import Setting
from worker.core.writing.stated import Date, Fields, Kind, Masked, Saying, Slot, Tags, Time
from worker.core.writing.superseding import with_changes
from worker.errors import Unprocessable

LONGEST_REASON = 2_000
EDITED = "edited by a person"


class Amendment(Frozen):
    """What is not given stays; null clears `attribute`, `happened_at` and `until`, and a field of `metadata`."""

    text: Saying | None = None
    attribute: Slot | None = None
    kind: Kind | None = None
    happened_at: Date | None = None
    until: Time | None = None
    #: Name by name, in the manner of JSON Merge Patch (RFC 7396), one level deep.
    metadata: Fields = Field(default_factory=dict)
    add_tags: Tags = ()
    remove_tags: Tags = ()
    pinned: bool | None = None
    #: Kept as the reason of the change.
    reason: Annotated[Text, Field(max_length=LONGEST_REASON), Masked] = ""
    #: The version that the memory has to be at.
    if_version: Annotated[int, Field(ge=1)] | None = None

    @field_validator("text", "kind", "pinned", mode="before")
    @classmethod
    def _is_given(cls, value: object) -> object:
        if value is None:
            raise ValueError("cannot be cleared: leave it out or give another")
        return value

    @model_validator(mode="after")
    def _says_one_thing_of_a_tag(self) -> Self:
        if both := set(self.add_tags) & set(self.remove_tags):
            raise ValueError(f"both adds and removes the tag {min(both)!r}")
        return self

    def has(self, field: str) -> bool:
        return field in self.model_fields_set


_FORM = Form(
    noun="change",
    whole="an object with the fields to change",
    fields=tuple(Amendment.model_fields),
    missing={},
    choices={},
    shorter={"text": "a memory is one statement"},
)


def amendment(fields: Mapping[str, object]) -> Amendment:
    """Raises `Unprocessable` with what is wrong, field by field."""
    try:
        return Amendment.model_validate(fields)
    except ValidationError as error:
        raise Unprocessable(explained(error, _FORM)) from error


def amended(memory: Memory, wanted: Amendment, turn: UUID, now: datetime) -> Memory | None:
    """As it stands afterwards, under the version that it has; nothing where that is as it stands now.

    Raises `Unprocessable` for what has ended and is given no other end.
    """
    shown = current(memory, now) or (memory if wanted.has("until") else None)
    if shown is None:
        raise Unprocessable(
            f"memory {memory.id} has ended on {memory.until:%Y-%m-%d}: nothing was written; give it another end, or"
            " none, and it stands again"
        )
    said = _said_now(shown, wanted, turn, now)
    after = shown.model_copy(update={**said, **_fields(shown, wanted)})
    return None if after == shown else after


def _said_now(memory: Memory, wanted: Amendment, turn: UUID, now: datetime) -> dict[str, Any]:
    """New words are said by a person now: what was said before and arrives late does not win over them."""
    text = memory.text if wanted.text is None else wanted.text
    if text == memory.text:
        return {}
    worded = merging.worded(memory, text)
    return {
        "text": text,
        "identifiers": worded.identifiers,
        "said_at": now,
        "since": now,
        "last_confirmed_at": now,
        "turn_ids": (*memory.turn_ids, turn),
        "authority": "user",
        "said_by": memory.said_by if memory.authority == "user" else "user",
        "flagged": None,
        "derived": {},
    }


def _fields(memory: Memory, wanted: Amendment) -> dict[str, Any]:
    plain = ("attribute", "kind", "happened_at", "pinned")
    found: dict[str, Any] = {name: getattr(wanted, name) for name in plain if wanted.has(name)}
    if wanted.has("until"):
        found |= {"until": wanted.until, "until_assumed": False}
        found |= {} if wanted.until else {"after": None}
    if wanted.metadata:
        found["metadata"] = _patched(memory.metadata, wanted.metadata)
    if wanted.add_tags or wanted.remove_tags:
        tags = merging.union(memory.tags, wanted.add_tags)
        found["tags"] = tuple(tag for tag in tags if tag not in wanted.remove_tags)
    return found


def _patched(
    metadata: Mapping[str, JsonValue], patch: Mapping[str, JsonValue]
) -> dict[str, JsonValue]:
    whole = {**metadata, **patch}
    return {name: value for name, value in whole.items() if patch.get(name, ...) is not None}


def amending(setting: Setting, turn: UUID, old: MemoryRecord, new: MemoryRecord, why: str) -> Plan:
    """The plan of one revision, the version before in the archive; `new` is what `amended` gave, with its vector."""
    why = why or EDITED
    grown = {
        "version": old.memory.version + 1,
        "updated_at": setting.now,
        "last_run": setting.run,
    }
    revise = Revise(
        record=new.model_copy(update={"memory": new.memory.model_copy(update=grown)}),
        archive=merging.outdated(old, why=why, run=setting.run, now=setting.now),
        relation="update",
        why=why,
        turn_ids=(turn,),
    )
    blank = Plan(
        run=setting.run,
        kind=setting.kind,
        scope=setting.scope,
        turn_ids=(turn,),
        base={},
        changes=(),
        planned_at=setting.now,
    )
    return with_changes(blank, [revise])
