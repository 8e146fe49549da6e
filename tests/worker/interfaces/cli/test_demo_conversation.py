"""The bundled conversation as data: what `slowwave publish` would take."""

import json
from datetime import UTC, datetime
from pathlib import Path

DEMO = Path(__file__).parents[4] / "worker/interfaces/cli/demo.jsonl"
LINES = [json.loads(line) for line in DEMO.read_text(encoding="utf-8").splitlines()]
FIELDS = {"app", "user", "conversation", "role", "text", "said_at", "id"}


def said_at(line: dict[str, str]) -> datetime:
    return datetime.fromisoformat(line["said_at"])


def test_every_line_is_a_turn_of_one_scope() -> None:
    assert all(set(line) == FIELDS for line in LINES)
    assert {(line["app"], line["user"]) for line in LINES} == {("demo", "sam")}
    assert {line["role"] for line in LINES} == {"user", "assistant"}
    assert len({line["id"] for line in LINES}) == len(LINES)
    assert 35 <= len(LINES) <= 50


def test_all_of_it_was_said_long_ago_with_an_offset_in_its_own_session() -> None:
    assert all(said_at(line).utcoffset() is not None for line in LINES)
    assert max(map(said_at, LINES)) < datetime(2026, 11, 1, tzinfo=UTC)
    assert all(line["said_at"].startswith(line["conversation"]) for line in LINES)


def test_only_the_last_line_arrives_late() -> None:
    times = [said_at(line) for line in LINES]

    assert times[:-1] == sorted(times[:-1])
    assert times[-1] < times[-2]
