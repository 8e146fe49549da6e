"""What is wrong with what people hand in, in their words. Values are not repeated: they may hold secrets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from pydantic import ValidationError
from pydantic_core import ErrorDetails


@dataclass(frozen=True)
class Form:
    """What is handed in, as people name it."""

    noun: str
    #: What it has to be, with its main fields.
    whole: str
    fields: tuple[str, ...]
    #: Field that has to be there → what to do about it.
    missing: Mapping[str, str]
    #: Field → the words that it may be.
    choices: Mapping[str, str]
    #: Field → what to do where it is too long.
    shorter: Mapping[str, str] = field(default_factory=dict)


_TIME = "write it with its offset, like 2026-03-03T15:00:00+01:00, or with Z for UTC"
_DATE = "write it as exactly as it is known: 2024, 2024-01 or 2024-01-29"

#: Pydantic's type of error → what is wrong and what to do. Its own words stay where none are ours.
_FAULTS = {
    "missing": "is missing: {missing}",
    "extra_forbidden": "is not a field of a {noun}: {instead}",
    "literal_error": "is none of {choices}",
    "timezone_aware": f"has no time zone: {_TIME}",
    "string_too_short": "is empty: {empty}",
    "too_short": "is empty: {empty}",
    "string_too_long": "has {length:,} characters, at most {limit:,} are taken: {shorter}",
    "too_long": "has {length:,} characters, at most {limit:,} are taken: {shorter}",
    "string_type": "has to be text",
    "string_pattern_mismatch": f"is no date: {_DATE}",
    "dict_type": "has to be an object with named fields",
    "tuple_type": "has to be a list",
    "bool_type": "has to be true or false",
    "bool_parsing": "has to be true or false",
    "uuid_parsing": "is no whole id: `slowwave memories --json` lists them",
    "uuid_type": "is no whole id: `slowwave memories --json` lists them",
    "model_type": "has to be {whole}",
    "value_error": "{own}",
}


def explained(error: ValidationError, form: Form) -> str:
    """What is wrong and what to do, field by field."""
    found = (_explained(detail, form) for detail in error.errors(include_url=False))
    return "; ".join(dict.fromkeys(found))


def _explained(detail: ErrorDetails, form: Form) -> str:
    field = str(detail["loc"][0]) if detail["loc"] else ""
    fault = _fault(field, detail, form)
    return f"`{field[:40]}` {fault}" if field else f"the {form.noun} {fault}"


def _fault(field: str, detail: ErrorDetails, form: Form) -> str:
    if field == "metadata" and len(detail["loc"]) > 1:
        return "holds something that is no JSON value: use text, numbers, lists and objects"
    if detail["type"].startswith("date"):
        return f"is no date with a time: {_TIME}"
    context, given = detail.get("ctx", {}), detail["input"]
    if detail["type"] not in _FAULTS:
        return f"cannot be read: {detail['msg']}"
    return _FAULTS[detail["type"]].format(
        noun=form.noun,
        whole=form.whole,
        missing=form.missing.get(field, "add it"),
        instead=_instead(field, form),
        choices=form.choices.get(field, "its words"),
        empty=f"leave such a {form.noun} out"
        if field == "text"
        else "fill it in or leave the field out",
        length=len(given) if isinstance(given, str) else 0,
        limit=context.get("max_length", 0),
        shorter=form.shorter.get(field, "shorten it"),
        own=context.get("error", ""),
    )


def _instead(field: str, form: Form) -> str:
    close = get_close_matches(field, form.fields, n=1)
    return f"did you mean `{close[0]}`?" if close else "leave it out or put it under `metadata`"
