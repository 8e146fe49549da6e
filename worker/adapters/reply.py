"""Reading what a model wrote: the JSON in it, and the JSON schema it was asked for."""

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from worker.core.step import BadReply, Prompt

THOUGHTS = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
DECODER = json.JSONDecoder()
#: Where JSON may begin; what starts otherwise cannot be decoded and need not be tried.
START = re.compile(r'\{\s*["}{\[]|\[\s*(?:["{\[\]0-9-]|true|false|null|NaN|Infinity)')
BEGINNING = re.compile(r'[{\[]\s*["{\[]')
#: Characters that may be read in vain in one reply. Each failure reads it all once, to count its lines.
IN_VAIN = 50_000_000


def parsed(content: str, prompt: Prompt) -> BaseModel:
    """The reply as its type. Raises `BadReply` that says what was wrong with it."""
    try:
        return prompt.reply.model_validate(document(content))
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, e['loc'])) or 'the reply'}: {e['msg']}" for e in error.errors()[:5]
        )
        raise BadReply(
            f"The JSON does not have the agreed shape: {wrong}.",
            plainly="the reply has not the agreed shape",
        ) from None
    except UnicodeEncodeError:
        raise BadReply(
            "A name in the JSON holds half a surrogate pair: write plain names.",
            plainly="the reply is no valid Unicode",
        ) from None


def as_far_as_it_goes(content: str, prompt: Prompt) -> BaseModel | None:
    """What was complete before a reply broke off; nothing where that says nothing."""
    answer = THOUGHTS.sub("", content).rstrip()
    start = START.search(answer)
    if start is None:
        return None
    try:
        value = from_json(answer[start.start() :], allow_partial=True)
        if not answer.endswith(("}", "},")):
            _drop_the_last(value)
        return prompt.reply.model_validate(value)
    except (ValueError, RecursionError):
        return None


def _drop_the_last(value: Any) -> None:
    """The element in whose middle it broke off."""
    items = list(value.values())[-1] if isinstance(value, dict) and value else value
    if isinstance(items, list) and items:
        items.pop()


def document(content: str) -> Any:
    """The last JSON object that is not part of another or of a draft, else the last list.

    Fences and prose around it do not matter; a bracket in prose is not the answer where there is an object.
    """
    answer = THOUGHTS.sub("", content)
    found = list(_values(answer))
    if not found:
        raise BadReply(
            "There was no complete JSON in the reply. Reply with the JSON document alone.",
            plainly="there is no complete JSON in the reply",
        )
    return ([value for value in found if isinstance(value, dict)] or found)[-1]


def _values(text: str) -> Iterator[Any]:
    """JSON objects and lists, outermost only. An object that breaks off hides what is inside it.

    A text made to fail again and again is given up; one of 100,000 characters after 500 failures.
    """
    at, left = 0, IN_VAIN
    while left > 0 and (start := START.search(text, at)):
        try:
            value, at = DECODER.raw_decode(text, start.start())
        # Numbers of thousands of digits and endless nesting are refused in other ways than bad syntax.
        except (ValueError, RecursionError):
            if _breaks_off(text, start.start()):
                return
            at, left = start.start() + 1, left - len(text)
        else:
            yield value


def _breaks_off(text: str, start: int) -> bool:
    """Whether what begins here looks like JSON that was cut, not like a bracket in prose."""
    return BEGINNING.match(text, start) is not None


def schema_of(prompt: Prompt) -> dict[str, Any]:
    """The reply's JSON schema in the form that strict endpoints take: every field required, none added.

    See https://platform.openai.com/docs/guides/structured-outputs
    """
    schema: dict[str, Any] = _strict(prompt.reply.model_json_schema())
    if prompt.max_members is not None:
        _limit_members(schema, prompt.max_members)
    return schema


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {
        name: _strict(value) for name, value in node.items() if name not in {"title", "default"}
    }
    if "properties" in node:
        kept["properties"] = {name: _strict(value) for name, value in node["properties"].items()}
        kept |= {"required": list(node["properties"]), "additionalProperties": False}
    return kept


def _limit_members(node: Any, most: int) -> None:
    if isinstance(node, list):
        for item in node:
            _limit_members(item, most)
    elif isinstance(node, dict):
        for name, value in node.items():
            if name == "members" and isinstance(value, dict) and value.get("type") == "array":
                value["maxItems"] = most
            else:
                _limit_members(value, most)
