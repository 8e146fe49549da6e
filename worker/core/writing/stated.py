"""A ready statement as people hand it in, and as it is stored: checked, its secrets masked, its time clamped."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Self, get_args
from uuid import UUID

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator

from schemas.base import Frozen, Text
from schemas.explaining import Form, explained
from schemas.ids import write_turn_id
from schemas.line import CLOCK_SKEW, Label, Metadata, Moment, Reference
from schemas.masking import mask, mask_metadata
from schemas.memory import Authority, Fact, PartialDate
from schemas.scope import Name, Scope
from schemas.turn import Role, Turn
from worker.core.hearing.extract import LONGEST_SLOT, slot_name
from worker.core.texts.identifiers import identifiers
from worker.core.texts.lengths import LONGEST_NAME, LONGEST_TEXT
from worker.core.texts.words import is_blank
from worker.errors import Unprocessable

MAX_TAGS, LONGEST_TAG = 50, 100
FORGET = "forget"


def _saying(text: str) -> str:
    if is_blank(text):
        raise ValueError("says nothing: it has no letter, number or symbol")
    return text.strip()


def _kind(given: str) -> str:
    kind = " ".join(given.casefold().split())
    if kind == FORGET:
        raise ValueError("cannot be `forget`: nothing of that kind is ever stored")
    return kind


def _stripped(value: object) -> object:
    return value.strip() if isinstance(value, str) else value


def _dated(value: object) -> object:
    """A year alone would be read as seconds since 1970."""
    if isinstance(value, str) and value.strip().isdigit():
        raise ValueError("is no date with a time: write it with its offset, or with Z for UTC")
    return value


def _real(date: str) -> str:
    """There is such a day, and such a time of it."""
    try:
        datetime.fromisoformat(date if len(date) > len("2024-01") else f"{date}-01-01"[:10])
    except ValueError:
        raise ValueError("is no date of the calendar") from None
    return date


Date = Annotated[PartialDate, AfterValidator(_real)]
Time = Annotated[Moment, BeforeValidator(_dated)]
#: Secrets are masked before anything else is done with a text.
Masked = AfterValidator(mask)
Saying = Annotated[Text, Field(max_length=LONGEST_TEXT), Masked, AfterValidator(_saying)]
Slot = Annotated[
    Text, Field(min_length=1, max_length=LONGEST_SLOT), Masked, AfterValidator(slot_name)
]
Kind = Annotated[Text, Field(min_length=1, max_length=LONGEST_SLOT), Masked, AfterValidator(_kind)]
Tag = Annotated[
    Text,
    Field(min_length=1, max_length=LONGEST_TAG),
    BeforeValidator(_stripped),
    Masked,
]
Tags = Annotated[tuple[Tag, ...], Field(max_length=MAX_TAGS)]
Fields = Annotated[Metadata, AfterValidator(mask_metadata)]


class StatementLine(Frozen):
    """One statement in the shape that people and programs have; unknown fields are refused.

    What of `subject`, `attribute`, `kind`, `volatile` and `happened_at` is not given is that of the memory that it
    supersedes.
    """

    text: Saying
    #: Default: `user`.
    subject: Annotated[Name, Field(max_length=LONGEST_NAME), Masked] | None = None
    attribute: Slot | None = None
    #: Default: `fact`.
    kind: Kind | None = None
    #: Default: now.
    said_at: Time | None = None
    happened_at: Date | None = None
    until: Time | None = None
    #: The text that stands again once `until` has passed.
    after: Saying | None = None
    volatile: bool | None = None
    tags: Tags = ()
    metadata: Fields = Field(default_factory=dict)
    pinned: bool = False
    #: Memories in whose place it stands; the first one lives on as its next version.
    supersedes: tuple[UUID, ...] = ()
    #: The caller's own id: the same one twice is one statement.
    external_ref: Reference | None = None
    #: The version that the superseded memory has to be at.
    if_version: Annotated[int, Field(ge=1)] | None = None
    #: Default: the word for `authority`.
    said_by: Annotated[Label, Masked] | None = None
    authority: Authority = "user"

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.after is not None and self.until is None:
            raise ValueError("has `after` and no `until`: say when that comes to stand again")
        if self.if_version is not None and len(set(self.supersedes)) != 1:
            raise ValueError("has `if_version`, which goes with exactly one id in `supersedes`")
        return self


@dataclass(frozen=True)
class Stated:
    """A statement ready to be stored, under the id of the turn that stands for it."""

    #: The same one twice is one statement.
    key: str
    fact: Fact
    #: What a batch's turn would be: the cap and the callers' fields go by turns.
    turn: Turn
    tags: tuple[str, ...]
    pinned: bool
    supersedes: tuple[UUID, ...]
    if_version: int | None
    #: Fields that nobody named.
    unsaid: frozenset[str]


INHERITED = ("subject", "attribute", "kind", "volatile", "happened_at")
ROLES: dict[Authority, Role] = {"user": "user", "assistant": "assistant", "tool": "tool"}

_FORM = Form(
    noun="statement",
    whole="an object with a `text`",
    fields=tuple(StatementLine.model_fields),
    missing={"text": "say what is to be remembered"},
    choices={"authority": ", ".join(get_args(Authority))},
    shorter={"text": "a memory is one statement, so make several of it"},
)


def checked(line: Mapping[str, object]) -> StatementLine:
    """Raises `Unprocessable` with what is wrong, field by field."""
    try:
        return StatementLine.model_validate(line)
    except ValidationError as error:
        raise Unprocessable(explained(error, _FORM)) from error


def stated(line: StatementLine, scope: Scope, key: str, now: datetime) -> Stated:
    """`key` is made once by whoever writes, before the first try; an `external_ref` stands in its place."""
    key = line.external_ref or key
    fact = _fact(line, write_turn_id(scope.key, key), now)
    return Stated(
        key=key,
        fact=fact,
        turn=_turn(line, fact, scope, now),
        tags=tuple(dict.fromkeys(line.tags)),
        pinned=line.pinned,
        supersedes=tuple(dict.fromkeys(line.supersedes)),
        if_version=line.if_version,
        unsaid=frozenset(name for name in INHERITED if getattr(line, name) is None),
    )


def _fact(line: StatementLine, turn: UUID, now: datetime) -> Fact:
    in_future = line.said_at is not None and line.said_at > now + CLOCK_SKEW
    return Fact(
        text=line.text,
        subject=line.subject or "user",
        attribute=line.attribute,
        kind=line.kind or "fact",
        volatile=bool(line.volatile),
        said_by=line.said_by or line.authority,
        authority=line.authority,
        turn_ids=(turn,),
        said_at=now if in_future or line.said_at is None else line.said_at,
        happened_at=line.happened_at,
        until=line.until,
        after=line.after,
        identifiers=identifiers(line.text),
    )


def _turn(line: StatementLine, fact: Fact, scope: Scope, now: datetime) -> Turn:
    return Turn(
        id=fact.turn_ids[0],
        scope=scope,
        conversation="",
        role=ROLES[line.authority],
        text=fact.text,
        said_at=fact.said_at,
        received_at=now,
        metadata=line.metadata,
    )
