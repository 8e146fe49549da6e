"""What the bench of judging asks, and what is right: small batches, each with what is known already.

A line of JSON is an `Item`. Facts are labelled `f1…` and what is known `c1…`, in their order. What belongs together
is in a group; whatever is in none is new, or stays as it is. Patterns of words are those of `bench.model.marks`.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from bench.model.marks import Cases, Pattern
from schemas.base import AwareDatetime
from schemas.memory import PartialDate
from worker.core.groups.judgment import GroupRelation, facts_in

#: What two statements may be to each other.
RELATIONS: tuple[str, ...] = ("new", *get_args(GroupRelation))
#: Patterns of items use no lists of words.
WORDS = Cases(words={}, cases=())

D = TypeVar("D", bound=BaseModel)


class Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Said(Data):
    """A fact, or a memory that is known already."""

    text: str = Field(min_length=1)
    said_at: AwareDatetime
    subject: str = "user"
    attribute: str | None = None
    kind: str = "fact"
    happened_at: PartialDate | None = None
    until: AwareDatetime | None = None
    after: str | None = None


class Together(Data):
    """Members that are about the same thing; the relation is that of the newest to the rest."""

    members: tuple[str, ...] = Field(min_length=2)
    relation: GroupRelation
    #: Of an update that only adds: the older members are true as well, so that missing it leaves nothing stale.
    only_adds: bool = False


class Item(Data):
    """One batch of facts and its right verdicts."""

    id: str
    kind: str
    #: ISO 639-1, or `mixed`.
    language: str
    facts: tuple[Said, ...] = Field(min_length=1)
    known: tuple[Said, ...] = ()
    groups: tuple[Together, ...] = ()
    #: Each has to fit what stands afterwards.
    says: tuple[Pattern, ...] = ()
    #: None may fit what stands afterwards.
    never: tuple[Pattern, ...] = ()

    @property
    def said(self) -> dict[str, Said]:
        """By label."""
        return {f"f{at}": one for at, one in enumerate(self.facts, 1)} | {
            f"c{at}": one for at, one in enumerate(self.known, 1)
        }

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if faults := list(self._faults()):
            raise ValueError(f"{self.id}: {'; '.join(faults)}")
        return self

    def _faults(self) -> Iterator[str]:
        said = self.said
        uses = Counter(label for group in self.groups for label in group.members)
        yield from (f"{label} is in {n} groups" for label, n in uses.items() if n > 1)
        if unknown := [label for label in uses if label not in said]:
            yield f"there is no {', '.join(unknown)}"
            return
        for group in self.groups:
            yield from self._group_faults(group)
        texts = [statement(one.text, one.after, one.happened_at) for one in said.values()]
        yield from _unfit(self.says, [" ".join(texts)], "nobody says")
        yield from _unfit(self.never, texts, "nobody could be heard to say")

    def _group_faults(self, group: Together) -> Iterator[str]:
        names, kinds = ", ".join(group.members), [self.said[one].kind for one in group.members]
        if not facts_in(group.members):
            yield f"the group of {names} has no fact"
        if ("forget" in kinds) != (group.relation == "forget"):
            yield f"the group of {names} is of another kind than its facts"
        if group.only_adds and group.relation != "update":
            yield f"the group of {names} only adds: its relation is update"


def _unfit(patterns: Iterable[Pattern], texts: Sequence[str], fault: str) -> Iterator[str]:
    """A pattern that no text can fit proves nothing."""
    for pattern in patterns:
        if not pattern or not any(WORDS.fits(pattern, text) for text in texts):
            yield f"{fault} {' + '.join(pattern)}"


def statement(text: str, after: str | None, happened_at: str | None) -> str:
    """What patterns are held against: what holds, what holds again later, and when it was."""
    return " ".join(part for part in (text, after, happened_at) if part)


class BadItems(Exception):
    """A file of items or pairs that cannot be read; the message names the file, the line and what is wrong."""


def lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Number (from 1) and object of each line that is not empty. Raises `BadItems`."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadItems(f"{path} cannot be read: {error}") from error
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except ValueError as error:
            raise BadItems(f"{path}, line {number}: not JSON: {error}") from error
        if not isinstance(found, dict):
            raise BadItems(f"{path}, line {number}: not an object")
        yield number, found


def read_items(path: Path) -> list[Item]:
    """Raises `BadItems`."""
    return [checked(Item, path, number, found) for number, found in lines(path)]


def checked(shape: type[D], path: Path, number: int, found: dict[str, Any]) -> D:
    """The object of a line in its shape. Raises `BadItems`."""
    try:
        return shape.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise BadItems(f"{path}, line {number}: {where}: {first['msg']}") from error
