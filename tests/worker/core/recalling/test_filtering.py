"""What the asker wants nothing else than."""

from typing import Any

import pytest

from tests.build import at
from tests.worker.core.recalling.values import after, entry, reasons
from worker.core.recalling.ask import Filters
from worker.core.recalling.filtering import filtered

TEA = entry(
    "tea",
    kind="preference",
    tags=("drinks", "hot"),
    subject="Ann",
    authority="assistant",
    said_at=at(-10),
    metadata={"page": 1, "checked": True, "from": {"document": "a"}},
)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"kinds": {"preference", "fact"}},
        {"tags": {"drinks"}},
        {"tags": {"hot", "drinks"}},
        {"subjects": {"ANN"}},
        {"authorities": {"assistant"}},
        {"said_from": at(-10)},
        {"said_before": at(-9)},
        {"metadata": {"page": 1, "checked": True}},
        {"metadata": {"from": {"document": "a"}}},
    ],
)
def test_what_is_wanted_stays(fields: dict[str, Any]) -> None:
    assert after(filtered(Filters(**fields)), TEA) == ["tea"]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"kinds": {"fact"}}, "kind is preference"),
        ({"tags": {"drinks", "cold"}}, "no tag cold"),
        ({"subjects": {"Anna"}}, "about Ann"),
        ({"authorities": {"user", "tool"}}, "the assistant said it"),
        ({"said_from": at(-9)}, "said at"),
        ({"said_before": at(-10)}, "said at"),
        ({"metadata": {"page": 2}}, "field page"),
        ({"metadata": {"page": True}}, "field page"),
        ({"metadata": {"checked": 1}}, "field checked"),
        ({"metadata": {"author": None}}, "no field author"),
        ({"kinds": {"preference"}, "tags": {"cold"}}, "no tag cold"),
    ],
)
def test_what_is_not_wanted_goes_and_the_reason_is_told(fields: dict[str, Any], why: str) -> None:
    assert why in reasons(filtered(Filters(**fields)), TEA)["tea"]
