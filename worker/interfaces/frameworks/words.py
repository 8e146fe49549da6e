"""The words in messages, as OpenAI and LangChain have them."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from producers.producer import Message

#: Whoever instructs a model says nothing about the user.
INSTRUCTING = frozenset({"system", "developer"})


def plain(message: Message) -> dict[str, Any]:
    if isinstance(message, BaseModel):
        return message.model_dump(exclude_none=True)
    return dict(message)


def question(messages: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What the user said last; nothing, and then the profile is recalled, where it has no words."""
    last = next((one for one in reversed(messages) if one.get("role") == "user"), None)
    text = text_of(last.get("content")) if last else ""
    return (text,) if text else ()


def text_of(content: object) -> str:
    """The words of a content that is a text, or a list of parts as OpenAI and LangChain have it."""
    if isinstance(content, str):
        return content.strip()
    if not isinstance(content, list):
        return ""
    parts = (
        one if isinstance(one, str) else one.get("text")
        for one in content
        if isinstance(one, str | dict)
    )
    return " ".join(part for part in parts if isinstance(part, str)).strip()
