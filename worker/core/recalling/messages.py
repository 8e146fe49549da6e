"""A block among the messages of a chat: one, in the place of those before."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from worker.core.hearing.marks import MARKS, Marks

Message = Mapping[str, Any]
#: At the end of the system message; or as a message of its own before the user's last one, so that all of the chat
#: before it stays as a provider has cached it.
Place = Literal["system", "last"]

INSTRUCTING = frozenset({"system", "developer"})
#: Between what a message says and the block.
SPACE = "\n\n"
#: What a message has that was made for a block.
OWN_FIELDS = frozenset({"role", "content"})


def with_block(
    messages: Sequence[Message], block: str, marks: Marks = MARKS, place: Place = "system"
) -> list[dict[str, Any]]:
    """The messages without any earlier block, and with this one; an empty one only takes away.

    What stands between both marks is a block, in whichever message. All else stays as it is, of texts every byte.
    Content is a text, or a list of parts as OpenAI takes them. Raises `ValueError` for a block of other marks.
    """
    if block and not (block.startswith(marks.begin) and block.endswith(marks.end)):
        raise ValueError(
            f"the block does not stand between {marks.begin} and {marks.end}: give the marks that it was made with"
        )
    left = [cleared for one in messages if (cleared := _cleared(one, marks)) is not None]
    if block and place == "system":
        return _in_system(left, block)
    return _before_the_last(left, block) if block else left


def without_blocks(text: str, marks: Marks = MARKS) -> str:
    """Without what stands between both marks. A mark whose other half is missing stays."""
    begin, end = marks.begin, marks.end
    at = low = 0
    while (closed := text.find(end, at)) >= 0:
        opened = text.rfind(begin, low, closed)
        if opened < 0:
            at = low = closed + len(end)
            continue
        before, behind = text[:opened], text[closed + len(end) :]
        text = before.removesuffix(SPACE) if not behind else before + behind
        # What is left on both sides may make a mark together.
        at = max(low, opened - len(end) + 1)
    return text


def _cleared(message: Message, marks: Marks) -> dict[str, Any] | None:
    """The message without blocks; nothing where it was only there for one."""
    content = message.get("content")
    if isinstance(content, str):
        left: Any = without_blocks(content, marks)
        is_left = left or not content.startswith(marks.begin)
    elif isinstance(content, list):
        left = [part for one in content if (part := _part(one, marks)) is not None]
        is_left = left or not content
    else:
        return dict(message)
    if is_left or message.keys() - OWN_FIELDS:
        return {**message, "content": left}
    return None


def _part(part: Any, marks: Marks) -> Any:
    if not (isinstance(part, Mapping) and isinstance(part.get("text"), str)):
        return part
    left = without_blocks(part["text"], marks)
    if not left and part["text"].startswith(marks.begin):
        return None
    return {**part, "text": left}


def _in_system(messages: list[dict[str, Any]], block: str) -> list[dict[str, Any]]:
    for at, one in enumerate(messages):
        content = one.get("content")
        if one.get("role") in INSTRUCTING and (isinstance(content, str) or content):
            return [*messages[:at], {**one, "content": _added(content, block)}, *messages[at + 1 :]]
    return [_own(block), *messages]


def _added(content: Any, block: str) -> Any:
    if isinstance(content, str):
        return f"{content}{SPACE}{block}"
    return [*content, {"type": "text", "text": block}]


def _before_the_last(messages: list[dict[str, Any]], block: str) -> list[dict[str, Any]]:
    users = [at for at, one in enumerate(messages) if one.get("role") == "user"]
    at = users[-1] if users else len(messages)
    return [*messages[:at], _own(block), *messages[at:]]


def _own(block: str) -> dict[str, Any]:
    return {"role": "system", "content": block}
