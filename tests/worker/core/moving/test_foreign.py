"""Statements in the shapes of others."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from pydantic import JsonValue

from worker.core.moving.foreign import items_of, of_mem0, shape_of, statement
from worker.errors import Unprocessable

ENTRY: dict[str, JsonValue] = {
    "id": "7c0f",
    "memory": "Keeps two hens",
    "user_id": "ines",
    "agent_id": "farmhand",
    "hash": "0a1b",
    "metadata": {"ticket": "K-17"},
    "categories": ["animals"],
    "created_at": "2025-03-01T08:00:00",
    "updated_at": "2025-04-01T08:00:00.123456-07:00",
    "expiration_date": "2026-01-31",
}


def test_an_entry_of_mem0s_keeps_what_its_owner_gave() -> None:
    found = of_mem0(ENTRY)

    assert found.user == "ines"
    assert found.fields == {
        "text": "Keeps two hens",
        "said_at": datetime(2025, 4, 1, 8, 0, 0, 123456, tzinfo=timezone(timedelta(hours=-7))),
        "until": datetime(2026, 1, 31, 23, 59, 59, 999999, tzinfo=UTC),
        "tags": ["animals"],
        "metadata": {"agent_id": "farmhand", "ticket": "K-17"},
        "external_ref": "mem0 7c0f",
    }


def test_a_time_without_an_offset_is_utc() -> None:
    entry = {name: value for name, value in ENTRY.items() if name != "updated_at"}
    assert of_mem0(entry).fields["said_at"] == datetime(2025, 3, 1, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("entry", "owner"),
    [
        ({"user_id": "a", "agent_id": "b"}, "a"),
        ({"user_id": None, "agent_id": "b"}, "b"),
        ({"run_id": "r"}, "r"),
        ({}, None),
    ],
)
def test_it_belongs_to_the_first_that_it_names(entry: dict[str, Any], owner: str | None) -> None:
    assert of_mem0({"memory": "Sings", **entry}).user == owner


@pytest.mark.parametrize("bad", ["Sings", 3, None, [], {"text": "Sings"}, {"memory": 4}])
def test_what_is_no_entry_of_mem0s_is_refused(bad: JsonValue) -> None:
    with pytest.raises(Unprocessable, match=r"no memory of mem0's"):
        of_mem0(bad)


def test_a_time_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(Unprocessable, match="'yesterday'"):
        of_mem0({"memory": "Sings", "created_at": "yesterday"})


def test_a_statement_is_text_alone_or_an_object() -> None:
    assert statement("Sings").fields == {"text": "Sings"}
    both = statement({"text": "Sings", "user": "ines", "tags": ["a"]})
    assert (both.user, both.fields) == ("ines", {"text": "Sings", "tags": ["a"]})


@pytest.mark.parametrize("bad", [3, None, ["Sings"], True])
def test_what_is_no_statement_is_refused(bad: JsonValue) -> None:
    with pytest.raises(Unprocessable, match="no statement"):
        statement(bad)


def test_the_same_entry_has_the_same_key_and_another_has_another() -> None:
    assert (
        statement({"text": "Sings", "tags": []}).key == statement({"tags": [], "text": "Sings"}).key
    )
    assert statement("Sings").key != statement("Swims").key


@pytest.mark.parametrize(
    ("document", "entries"),
    [
        ([1, 2], [1, 2]),
        ({"results": [1, 2]}, [1, 2]),
        ({"count": 2, "memories": [1]}, [1]),
        ({"text": "Sings"}, [{"text": "Sings"}]),
        ({"results": "Sings"}, [{"results": "Sings"}]),
        ("Sings", ["Sings"]),
    ],
)
def test_entries_are_found_where_a_document_keeps_them(
    document: JsonValue, entries: list[JsonValue]
) -> None:
    assert list(items_of(document)) == entries


def test_mem0_is_told_by_its_name_for_the_text() -> None:
    assert shape_of(ENTRY) == "mem0"
    assert shape_of({"text": "Sings"}) == shape_of("Sings") == "statements"
