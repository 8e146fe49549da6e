"""AutoMemoryBench as streams: work talk with updates, near misses, secrets and a request to delete.

The data set is wuyuVerse/AutoMemoryBench on GitHub (Apache-2.0): a file a domain. Each case is a scope. A turn's time
is that of the event that names it, else its session's; all are moved back by whole weeks, as some lie in the future.

What is `deleted` counts as forgotten where somebody asked for it; else (secrets, what has run out), as `forbidden`,
it may not be live. A unit that repeats another one's words is the same thing said again.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from bench.quality.stream import Said, Slot, Stream, Thing, Truth
from bench.quality.words import tokens

LAST_AT = datetime(2025, 6, 1, tzinfo=UTC)
WEEK = timedelta(days=7)
REQUEST = "deletion_request"


def streams(folder: Path, limit: int | None = None) -> list[Stream]:
    """At most so many cases of all files, in order of their names."""
    files = sorted(folder.glob("*.json"))
    cases = (case for file in files for case in json.loads(file.read_text("utf-8"))["cases"])
    return [stream(case) for case in islice(cases, limit)]


def stream(case: dict[str, Any]) -> Stream:
    when = {
        turn: datetime.fromisoformat(event["timestamp"])
        for event in case["events"]
        for turn in event["source_turn_ids"]
    }
    sessions = [list(_said(one, when)) for one in case["sessions"]]
    last = max(turn.said_at for session in sessions for turn in session)
    back = max(-(-(last - LAST_AT) // WEEK), 0) * WEEK
    moved = tuple(
        tuple(
            Said(one.conversation, one.speaker, one.text, one.said_at - back, one.role)
            for one in it
        )
        for it in sessions
    )
    return Stream(case["case_id"], moved, truth(case), last - back + WEEK)


def _said(session: dict[str, Any], when: dict[str, datetime]) -> Iterator[Said]:
    """No turn is said before the one that it follows."""
    at = datetime.fromisoformat(session["timestamp"])
    for turn in session["turns"]:
        at = max(at + timedelta(seconds=1), when.get(turn["turn_id"], at))
        yield Said(
            session["session_id"],
            "Maintainer" if turn["role"] == "user" else "Assistant",
            turn["content"],
            at,
            turn["role"],
        )


def truth(case: dict[str, Any]) -> Truth:
    units = {one["memory_id"]: one for one in case["gold_memory_units"]}
    events = {one["event_id"]: one for one in case["events"]}
    updates = [one for one in units.values() if one["update_of"]]
    asked = {
        _object(one)
        for one in units.values()
        if any(events[it]["event_type"] == REQUEST for it in one["source_event_ids"])
    }
    in_slots = {_object(one) for one in updates} | {
        _object(units[one["update_of"]]) for one in updates
    }
    active = [_object(one) for one in units.values() if one["status"] == "active"]
    gone = [_object(one) for one in units.values() if one["status"] in {"forbidden", "deleted"}]
    return Truth(
        slots=tuple(
            Slot(
                one["memory_id"],
                (),
                _need(_object(one)),
                (_need(_object(units[one["update_of"]])),),
            )
            for one in updates
        ),
        things=tuple(Thing(text, (_need(text),)) for text in _once(active) if text not in in_slots),
        forbidden=tuple((_need(text),) for text in dict.fromkeys(gone) if text not in asked),
        forgotten=tuple((_need(text),) for text in sorted(asked)),
    )


def _object(unit: dict[str, Any]) -> str:
    return str(unit["canonical_form"]["object"])


def _need(text: str) -> str:
    return f"~{text}"


def _once(texts: Iterable[str]) -> list[str]:
    """Without those that hold another one word for word."""
    texts = list(dict.fromkeys(texts))
    return [one for one in texts if not any(other != one and _holds(one, other) for other in texts)]


def _holds(longer: str, shorter: str) -> bool:
    whole, part = tokens(longer), tokens(shorter)
    return any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))
