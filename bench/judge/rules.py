"""Items by rule: each rule turns the sayings about one thing into one item.

Beside what it is about, an item knows one thing more in the same language, which has nothing to do with it and has to
stay as it is.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.judge.items import Item, checked, lines
from bench.judge.sayings import Sayings

#: When what is known was said, what is new, and what is said of a time before both.
KNOWN_AT = datetime(2026, 2, 3, 9, 30, tzinfo=UTC)
NOW_AT = datetime(2026, 5, 11, 18, 0, tzinfo=UTC)
LONG_AGO = datetime(2024, 6, 21, 12, 0, tzinfo=UTC)
A_MOMENT = timedelta(minutes=1)
FOR_A_WHILE = timedelta(days=21)
#: What English statements call somebody without a name, and somebody else.
NAMELESS, STRANGER = "User", "Mira"


@dataclass(frozen=True)
class Rule:
    """How one kind of item is made: the parts of the item that are not the same for all."""

    kind: str
    made: Callable[[Sayings], dict[str, Any]]


def read_sayings(path: Path) -> list[Item]:
    """The items of all lines. Raises `BadItems`."""
    return list(items([checked(Sayings, path, number, found) for number, found in lines(path)]))


def items(sayings: Sequence[Sayings]) -> Iterator[Item]:
    for one in sayings:
        beside = next(other for other in sayings if other.language == one.language and other != one)
        for rule in RULES:
            made = rule.made(one)
            decoy = _then(beside.known, attribute=beside.attribute)
            known = [*made.pop("known", [_known(one)]), decoy]
            says = [*made.pop("says"), (beside.marks.value,)]
            yield Item.model_validate(
                {
                    "id": f"{one.language}-{one.topic}-{rule.kind}".replace(" ", "-"),
                    "kind": rule.kind,
                    "language": one.language,
                    "known": known,
                    "says": says,
                    **made,
                }
            )


def _then(text: str, **fields: Any) -> dict[str, Any]:
    return {"text": text, "said_at": KNOWN_AT, **fields}


def _now(text: str, **fields: Any) -> dict[str, Any]:
    return {"text": text, "said_at": NOW_AT, **fields}


def _known(one: Sayings) -> dict[str, Any]:
    return _then(one.known, attribute=one.attribute)


def _group(relation: str, *members: str) -> list[dict[str, Any]]:
    return [{"members": members, "relation": relation}]


def _restatement(one: Sayings) -> dict[str, Any]:
    return {
        "facts": [_now(one.again, attribute=one.attribute)],
        "groups": _group("same", "f1", "c1"),
        "says": [(one.marks.value,)],
    }


def _superset(one: Sayings) -> dict[str, Any]:
    return {
        "facts": [_now(one.richer, attribute=one.attribute)],
        "groups": [{**_group("update", "f1", "c1")[0], "only_adds": True}],
        "says": [(one.marks.value, one.marks.detail)],
    }


def _subset(one: Sayings) -> dict[str, Any]:
    return {
        "known": [_then(one.richer, attribute=one.attribute)],
        "facts": [_now(one.known, attribute=one.attribute)],
        "groups": _group("same", "f1", "c1"),
        "says": [(one.marks.value, one.marks.detail)],
    }


def _changed(one: Sayings) -> dict[str, Any]:
    return {
        "facts": [_now(one.changed, attribute=one.attribute)],
        "groups": _group("contradict", "f1", "c1"),
        "says": [(one.marks.new,)],
        "never": [(one.marks.value, f"!{one.marks.new}")],
    }


def _several(one: Sayings) -> dict[str, Any]:
    return {
        "known": [_known(one), _then(one.falls)],
        "facts": [_now(one.changed, attribute=one.attribute)],
        "groups": _group("contradict", "f1", "c1", "c2"),
        "says": [(one.marks.new,)],
    }


def _additional(one: Sayings) -> dict[str, Any]:
    return {"facts": [_now(one.beside)], "says": [(one.marks.value,)]}


def _look_alike(one: Sayings) -> dict[str, Any]:
    return {
        "known": [_then(one.one)],
        "facts": [_now(one.alike)],
        "says": [(one.marks.one,), (one.marks.alike,)],
    }


def _negation(one: Sayings) -> dict[str, Any]:
    return {
        "facts": [_now(one.ended, attribute=one.attribute)],
        "groups": _group("contradict", "f1", "c1"),
        "says": [(one.marks.not_,)],
        "never": [(one.marks.value, f"!{one.marks.not_}")],
    }


def _late(one: Sayings) -> dict[str, Any]:
    return {
        "facts": [{**_now(one.earlier, attribute=one.attribute), "said_at": LONG_AGO}],
        "groups": _group("contradict", "f1", "c1"),
        "says": [(one.marks.value,)],
        "never": [(one.marks.earlier,)],
    }


def _meanwhile(one: Sayings) -> dict[str, Any]:
    return {
        "facts": [_now(one.meanwhile, attribute=one.attribute, until=NOW_AT + FOR_A_WHILE)],
        "groups": _group("update", "f1", "c1"),
        "says": [(one.marks.meanwhile,), (one.marks.value,)],
    }


def _third_party(one: Sayings) -> dict[str, Any]:
    return {
        "facts": [_now(one.theirs)],
        "says": [(one.marks.value,), (one.marks.theirs,)],
    }


def _other_subject(one: Sayings) -> dict[str, Any]:
    text = one.known.replace(NAMELESS, STRANGER)
    return {
        "facts": [_now(text, subject=STRANGER, attribute=one.attribute)],
        "says": [(one.marks.value,)],
    }


def _forget(one: Sayings) -> dict[str, Any]:
    return {
        "facts": [_now(one.request, kind="forget")],
        "groups": _group("forget", "f1", "c1"),
        "says": [],
        "never": [(one.marks.value,)],
    }


def _twins(one: Sayings) -> dict[str, Any]:
    return {
        "known": [],
        "facts": [
            _now(one.known, attribute=one.attribute),
            _now(one.again, attribute=one.attribute),
        ],
        "groups": _group("same", "f1", "f2"),
        "says": [(one.marks.value,)],
    }


def _correction(one: Sayings) -> dict[str, Any]:
    first = _now(one.known, attribute=one.attribute)
    later = {**_now(one.changed, attribute=one.attribute), "said_at": NOW_AT + A_MOMENT}
    return {
        "known": [],
        "facts": [first, later],
        "groups": _group("contradict", "f1", "f2"),
        "says": [(one.marks.new,)],
        "never": [(one.marks.value, f"!{one.marks.new}")],
    }


def _hypothetical(one: Sayings) -> dict[str, Any]:
    return {"facts": [_now(one.wish)], "says": [(one.marks.value,), (one.marks.wish,)]}


RULES = (
    Rule("restatement", _restatement),
    Rule("superset", _superset),
    Rule("subset", _subset),
    Rule("changed value", _changed),
    Rule("several overturned", _several),
    Rule("additional", _additional),
    Rule("look-alike", _look_alike),
    Rule("negation", _negation),
    Rule("late", _late),
    Rule("for a while", _meanwhile),
    Rule("third party", _third_party),
    Rule("other subject", _other_subject),
    Rule("forget", _forget),
    Rule("twins", _twins),
    Rule("correction", _correction),
    Rule("hypothetical", _hypothetical),
)
