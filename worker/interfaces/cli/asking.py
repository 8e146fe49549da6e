"""How people say what is to be recalled: options in, an `Ask` out."""

import json
from datetime import UTC, date, datetime, time
from enum import StrEnum
from typing import Annotated, NamedTuple
from uuid import UUID

import typer
from pydantic import JsonValue

from worker.core.recalling.ask import MOST_ANSWERS, Fusion
from worker.interfaces.cli.moments import moment


class Field(NamedTuple):
    """A field of the metadata and its value."""

    name: str
    value: JsonValue


class Speaker(StrEnum):
    """Who is behind a statement."""

    user = "user"
    assistant = "assistant"
    tool = "tool"


class Shown(NamedTuple):
    """A memory and its version."""

    id: UUID
    version: int


def field(text: str) -> Field:
    """`NAME=VALUE`, where the value is JSON, or else text. Anything else is wrong usage."""
    name, sign, value = text.partition("=")
    if not name or not sign:
        raise typer.BadParameter(f"{text!r} is no field: write NAME=VALUE")
    try:
        return Field(name, json.loads(value))
    except ValueError:
        return Field(name, value)


def beginning(text: str) -> datetime:
    """The first moment of a date, or a time. Anything else is wrong usage."""
    try:
        return datetime.combine(date.fromisoformat(text), time.min, UTC)
    except ValueError:
        return moment(text)


def version(text: str) -> Shown:
    """`ID=VERSION`. Anything else is wrong usage."""
    id, _, number = text.partition("=")
    try:
        return Shown(UUID(id), int(number))
    except ValueError as error:
        raise typer.BadParameter(
            f"{text!r} is no version of a memory: write ID=VERSION with the whole id"
        ) from error


Queries = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="QUERY",
        help="What is asked, in plain words; several are answered together.",
        show_default=False,
    ),
]
Limit = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=MOST_ANSWERS,
        metavar="N",
        help=f"Memories at most, up to {MOST_ANSWERS}.",
        show_default=False,
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(min=0, metavar="N", help="Tokens of all texts, at most.", show_default=False),
]
MaxCharacters = Annotated[
    int | None,
    typer.Option(min=0, metavar="N", help="Characters of all texts, at most.", show_default=False),
]
Floor = Annotated[
    float | None,
    typer.Option(
        min=-1,
        max=1,
        metavar="COSINE",
        help="Leave out what is less near to the question, and has no code of it.",
        show_default=False,
    ),
]
FusionName = Annotated[
    Fusion | None,
    typer.Option("--fusion", help="How meaning, words and codes become one.", show_default=False),
]
Mmr = Annotated[
    float | None,
    typer.Option(
        "--mmr",
        min=0,
        max=1,
        metavar="LAMBDA",
        help="1 looks at relevance alone; lower values prefer what differs from better answers.",
        show_default=False,
    ),
]
GroupBy = Annotated[
    str | None,
    typer.Option(
        "--group-by",
        metavar="NAME",
        help="Best of each group first: turn, subject, slot, kind, run, or a field of the metadata.",
        show_default=False,
    ),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="NAME", help="Only this kind; repeatable.", show_default=False),
]
Tags = Annotated[
    list[str] | None,
    typer.Option(
        "--tag", metavar="NAME", help="Only what has this tag; repeatable.", show_default=False
    ),
]
Subjects = Annotated[
    list[str] | None,
    typer.Option(
        "--about", metavar="NAME", help="Only about this subject; repeatable.", show_default=False
    ),
]
Fields = Annotated[
    list[Field] | None,
    typer.Option(
        "--field",
        metavar="NAME=VALUE",
        parser=field,
        help="Only what has this in its metadata; repeatable.",
        show_default=False,
    ),
]
SaidBy = Annotated[
    list[Speaker] | None,
    typer.Option("--said-by", help="Only what these said; repeatable.", show_default=False),
]
SaidFrom = Annotated[
    datetime | None,
    typer.Option(
        "--said-from",
        metavar="TIME",
        parser=beginning,
        help="Only what was last said from then on; a date means its beginning in UTC.",
        show_default=False,
    ),
]
SaidBefore = Annotated[
    datetime | None,
    typer.Option(
        "--said-before",
        metavar="TIME",
        parser=beginning,
        help="Only what was last said before then.",
        show_default=False,
    ),
]
WithHistory = Annotated[
    bool,
    typer.Option("--with-history", help="Earlier versions too, marked.", show_default=False),
]
FollowLinks = Annotated[
    bool,
    typer.Option("--links", help="Also what the found ones are linked to.", show_default=False),
]
ShownVersions = Annotated[
    list[Shown] | None,
    typer.Option(
        "--shown",
        metavar="ID=VERSION",
        parser=version,
        help="Was shown already: tell it only if it has changed; repeatable.",
        show_default=False,
    ),
]
AsBlock = Annotated[
    bool,
    typer.Option(
        "--block",
        help="Print it as the block of text for a prompt; the bounds are the whole block's.",
        show_default=False,
    ),
]
Explain = Annotated[
    bool,
    typer.Option(
        "--explain",
        help="Show what each score is made of, and what was left out and why.",
        show_default=False,
    ),
]
