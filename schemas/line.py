"""A turn as people hand it in, and how it becomes a `Turn`, or a refusal in plain words."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Annotated, Self, get_args
from uuid import UUID

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    JsonValue,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from schemas.base import AwareDatetime, Frozen, Text
from schemas.explaining import Form, explained
from schemas.ids import turn_id_of_caller, turn_id_of_moment, turn_id_of_place
from schemas.masking import mask, mask_metadata
from schemas.messages import Said, said, tools_of
from schemas.scope import Name, Scope
from schemas.turn import Role, Turn

#: How far a clock may run ahead before its time is replaced by that of receipt.
CLOCK_SKEW = timedelta(minutes=5)
MAX_NAME = 256
#: Longest metadata of one turn, in characters of JSON.
MAX_METADATA = 20_000

_TEXT: TypeAdapter[str] = TypeAdapter(Text)


def _plain(value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    try:
        size = len(written := json.dumps(value, ensure_ascii=False, allow_nan=False))
    except ValueError:
        raise ValueError(
            "holds a number that JSON does not know (NaN, Infinity): remove it"
        ) from None
    if size > MAX_METADATA:
        raise ValueError(f"has {size:,} characters as JSON, at most {MAX_METADATA:,} are taken")
    if "\\u0000" in written:
        raise ValueError("holds a NUL character: remove it")
    _TEXT.validate_python(written)
    return value


def _in_range(value: datetime) -> datetime:
    try:
        value.astimezone(UTC)
    except OverflowError:
        raise ValueError("is outside the years 1 to 9999") from None
    return value


def _number_as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Short = Annotated[Text, Field(min_length=1, max_length=MAX_NAME)]
Label = Annotated[Text, Field(max_length=MAX_NAME)]
Moment = Annotated[AwareDatetime, AfterValidator(_in_range)]
#: A caller's own id of something.
Reference = Annotated[Short, BeforeValidator(_number_as_text)]
Metadata = Annotated[dict[str, JsonValue], AfterValidator(_plain)]


class TurnLine(Frozen):
    """One turn in the shape that people and chat backends have; unknown fields are refused."""

    app: Name
    user: Name
    role: Role
    text: Text | None = None
    #: OpenAI's shapes in place of `text`: a string or a list of parts.
    content: JsonValue = None
    conversation: Short = "default"
    speaker: Label | None = None
    said_at: Moment | None = None
    #: The caller's own id: the same one twice is one turn.
    id: Reference | None = None
    metadata: Metadata = Field(default_factory=dict)
    automated: bool = False
    name: Label | None = None
    tool_calls: JsonValue = None
    tool_call_id: str | None = None
    function_call: JsonValue = None
    refusal: JsonValue = None
    audio: JsonValue = None
    annotations: JsonValue = None

    @model_validator(mode="after")
    def _says_it_once(self) -> Self:
        if self.text is not None and self.content is not None:
            raise ValueError("has both `text` and `content`: give one of them")
        return self

    def said(self, tools: Mapping[str, str]) -> Said:
        """Who says what; `tools` are the names by call id of the calls before."""
        words = said(self._message(), tools)
        return Said(words.role, self.speaker or words.speaker, words.text)

    def tools(self) -> dict[str, str]:
        """Call id → tool's name, for the calls made here."""
        return tools_of(self._message())

    def _message(self) -> dict[str, object]:
        return {
            "role": self.role,
            "content": self.content if self.text is None else self.text,
            "name": self.name,
            "tool_calls": self.tool_calls,
            "tool_call_id": self.tool_call_id,
            "function_call": self.function_call,
            "refusal": self.refusal,
            "audio": self.audio,
        }


#: A turn on a line: as it was read, checked, or finished.
Line = Mapping[str, object] | TurnLine | Turn


class Refused(Frozen):
    """A turn that was not taken: where it stands, and what is wrong with it."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


def turn_of(line: Line, received_at: datetime) -> Turn | Refused:
    """A turn on its own. With neither id nor `said_at`, the moment of receipt tells it from its equals."""
    if isinstance(line, Turn):
        return taken(line, received_at)
    try:
        return _Draft(_checked(line), received_at, {}).turn()
    except ValidationError as error:
        return Refused(where="turn", message=explained(error, _FORM))


def turns_of(
    lines: Iterable[Line],
    received_at: datetime,
    earlier: Counter[UUID] | None = None,
    first: int = 1,
) -> Iterator[Turn | Refused]:
    """The turns of one list or file, in order.

    One with neither id nor `said_at` is known by its text and by how many equal ones came before it, so
    that the same history handed in again is the same turns. Hand the same `earlier` to each part of a
    file that is read in parts; `first` is the number of the first line.
    """
    before: Counter[UUID] = Counter() if earlier is None else earlier
    tools: dict[tuple[str, str, str], dict[str, str]] = {}
    for number, line in enumerate(lines, start=first):
        if isinstance(line, Turn):
            yield taken(line, received_at)
            continue
        try:
            checked = _checked(line)
            known = tools.setdefault((checked.app, checked.user, checked.conversation), {})
            known.update(checked.tools())
            yield _Draft(checked, received_at, known).turn(before)
        except ValidationError as error:
            yield Refused(where=f"line {number}", message=explained(error, _FORM))


def taken(turn: Turn, arrived: datetime) -> Turn:
    """A finished turn held to what every line is held to: secrets masked, and said no later than it arrived."""
    held: dict[str, object] = {
        "text": mask(turn.text),
        "speaker": turn.speaker and mask(turn.speaker),
        "metadata": mask_metadata(turn.metadata),
    }
    if not _by(arrived, turn.said_at):
        held |= {"said_at": arrived, "approximate_time": True}
    if not _by(arrived, turn.received_at):
        held["received_at"] = arrived
    return turn.model_copy(update=held)


def _by(arrived: datetime, moment: datetime) -> bool:
    """Whether a moment lies before another, give or take what clocks differ by."""
    try:
        return moment.astimezone(UTC) <= arrived + CLOCK_SKEW
    except OverflowError:
        return False


class _Draft:
    """A line whose secrets are masked, on its way to a `Turn`."""

    def __init__(self, line: TurnLine, received_at: datetime, tools: Mapping[str, str]) -> None:
        words = line.said(tools)
        self.line = line
        self.received_at = received_at
        self.scope = _scope(line.app, line.user)
        self.text = mask(words.text)
        self.speaker = mask(words.speaker) if words.speaker else None

    def turn(self, before: Counter[UUID] | None = None) -> Turn:
        line = self.line
        in_future = line.said_at is not None and not _by(self.received_at, line.said_at)
        approximate = line.said_at is None or in_future
        return Turn(
            id=self._id(before),
            scope=self.scope,
            conversation=line.conversation,
            role=line.role,
            speaker=self.speaker,
            text=self.text if self.text.strip() else "",
            said_at=self.received_at if approximate or line.said_at is None else line.said_at,
            received_at=self.received_at,
            approximate_time=approximate,
            automated=line.automated,
            metadata=mask_metadata(line.metadata),
        )

    def _id(self, before: Counter[UUID] | None) -> UUID:
        """The moment is the one given, clamped or not, so that handing it in later gives the same id."""
        line, key = self.line, self.scope.key
        if line.id is not None:
            return turn_id_of_caller(key, line.conversation, line.id)
        if line.said_at is not None or before is None:
            said_at = line.said_at or self.received_at
            return turn_id_of_moment(
                key, line.conversation, line.role, self.speaker, self.text, said_at
            )
        first = self._id_of_place(0)
        before[first] += 1
        return first if before[first] == 1 else self._id_of_place(before[first] - 1)

    def _id_of_place(self, earlier_equal: int) -> UUID:
        line = self.line
        return turn_id_of_place(
            self.scope.key, line.conversation, line.role, self.speaker, self.text, earlier_equal
        )


@lru_cache(maxsize=4096)
def _scope(app: str, user: str) -> Scope:
    return Scope(app=app, user=user)


def _checked(line: Mapping[str, object] | TurnLine) -> TurnLine:
    return line if isinstance(line, TurnLine) else TurnLine.model_validate(line)


_FORM = Form(
    noun="turn",
    whole="an object with `app`, `user`, `role` and `text`",
    fields=tuple(TurnLine.model_fields),
    missing={
        "app": "name the application that the memory belongs to",
        "user": "say whose memory it is",
        "role": f"say who speaks, one of {', '.join(get_args(Role))}",
    },
    choices={"role": ", ".join(get_args(Role))},
    shorter={"text": "split it into several turns"},
)
