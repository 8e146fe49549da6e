"""From a message in OpenAI's chat format to who said what: nothing is lost, nothing unknown is an error."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

#: Types of content part that hold no text, and what stands in their place.
_PLACEHOLDERS = {"image_url": "image", "input_image": "image", "input_audio": "audio"}


@dataclass(frozen=True)
class Said:
    """What one message says, as text."""

    role: str
    #: The given name; for a tool's answer the tool.
    speaker: str | None
    text: str


def said(message: Mapping[str, object], tools: Mapping[str, str]) -> Said:
    """`tools` are the names by call id of the calls made so far (`tools_of`)."""
    pieces = [
        *_pieces(message.get("content")),
        *_pieces(message.get("refusal")),
        *_pieces(_field(message.get("audio"), "transcript")),
        *(_call_text(call) for call in _calls(message)),
    ]
    return Said(
        role=str(message.get("role", "")),
        speaker=_speaker(message, tools),
        text="\n".join(piece for piece in pieces if piece.strip()),
    )


def tools_of(message: Mapping[str, object]) -> dict[str, str]:
    """Call id → tool's name, for the calls that this message makes."""
    return {
        str(call["id"]): name
        for call in _calls(message)
        if (name := _called(call)) and "id" in call
    }


def _speaker(message: Mapping[str, object], tools: Mapping[str, str]) -> str | None:
    if name := message.get("name"):
        return str(name)
    return tools.get(str(message.get("tool_call_id")))


def _pieces(content: object) -> list[str]:
    if content is None:
        return []
    if isinstance(content, Sequence) and not isinstance(content, str):
        return [_part_text(part) for part in content]
    return [_part_text(content)]


def _part_text(part: object) -> str:
    """The words of a part, or what it is in brackets: binary data never goes further."""
    if not isinstance(part, Mapping):
        return part if isinstance(part, str) else _as_text(part)
    for key in ("text", "refusal", "transcript"):
        if isinstance(words := part.get(key), str):
            return words
    kind = str(part.get("type") or "part")
    name = _field(part.get("file"), "filename") or part.get("filename")
    return (
        f"[{_PLACEHOLDERS.get(kind, kind)} {name}]"
        if name
        else f"[{_PLACEHOLDERS.get(kind, kind)}]"
    )


def _calls(message: Mapping[str, object]) -> list[Mapping[str, object]]:
    calls = message.get("tool_calls")
    listed = calls if isinstance(calls, Sequence) and not isinstance(calls, str) else [calls]
    legacy = message.get("function_call")
    known = [call for call in listed if isinstance(call, Mapping)]
    return [*known, {"function": legacy}] if isinstance(legacy, Mapping) else known


def _called(call: Mapping[str, object]) -> str:
    return str(_field(call.get("function"), "name") or _field(call.get("custom"), "name") or "")


def _call_text(call: Mapping[str, object]) -> str:
    """Arguments are text from a model and may be invalid JSON, so they stay as they are."""
    given = _field(call.get("function"), "arguments") or _field(call.get("custom"), "input")
    return (
        f"[calls {_called(call) or 'a tool'}: {_as_text(given)}]"
        if given
        else (f"[calls {_called(call) or 'a tool'}]")
    )


def _field(value: object, key: str) -> object:
    return value.get(key) if isinstance(value, Mapping) else None


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
