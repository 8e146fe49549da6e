"""Not all from one place."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import uid
from tests.worker.core.recalling.values import after, entry
from worker.core.recalling.grouping import grouped


def chunk(text: str, document: Any, **fields: Any) -> Any:
    return entry(text, metadata={"document": document}, **fields)


HANDBOOK = [chunk(f"h{n}", "handbook") for n in range(4)]
OTHERS = [chunk("o1", "other"), entry("alone"), entry("alone too")]


def test_chunks_of_one_document_do_not_fill_the_page() -> None:
    found = after(grouped("document", 1), *HANDBOOK, *OTHERS)

    assert found == ["h0", "o1", "alone", "alone too", "h1", "h2", "h3"]


def test_so_many_of_each_come_before_others_have_their_next() -> None:
    assert after(grouped("document", 2), *HANDBOOK, *OTHERS)[:3] == ["h0", "h1", "o1"]


def test_off_the_order_stays() -> None:
    assert after(grouped(None, 1), *HANDBOOK, *OTHERS)[:4] == ["h0", "h1", "h2", "h3"]


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("turn", {"turn_ids": (uid("early"), uid("t"))}),
        ("subject", {"subject": "ANN"}),
        ("slot", {"subject": "Ann", "attribute": "Home"}),
        ("kind", {"kind": "plan"}),
        ("run", {"last_run": uid("r")}),
        ("conversation", {"metadata": {"conversation": "c1"}}),
        ("page", {"metadata": {"page": {"a": 1, "b": [2]}}}),
    ],
)
def test_what_memories_can_be_grouped_by(name: str, fields: Any) -> None:
    same = [entry("a", **fields), entry("b", **fields)]

    assert after(grouped(name, 1), *same, entry("other", subject="Ben")) == ["a", "other", "b"]


@given(st.lists(st.sampled_from(["x", "y", "z", None]), max_size=9), st.integers(1, 3))
def test_nothing_is_lost_and_no_group_is_ahead_of_its_turn(
    documents: list[str | None], size: int
) -> None:
    entries = [chunk(f"{n} {name}", name) for n, name in enumerate(documents)]

    found = after(grouped("document", size), *entries)
    assert sorted(found) == sorted(one.memory.text for one in entries)
    first = len({name for name in documents if name}) + documents.count(None)
    names = Counter(text.split()[1] for text in found[:first] if not text.endswith("None"))
    assert all(count <= size for count in names.values())
