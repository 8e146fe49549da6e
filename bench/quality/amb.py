"""AutoMemoryBench as streams: work talk with updates, near misses, secrets and a request to delete.

The data set is wuyuVerse/AutoMemoryBench on GitHub (Apache-2.0): a file a domain. Each case is a scope. A turn's time
is that of the event that names it, else its session's; all are moved back by whole weeks, as some lie in the future.
Contracts say what holds at three moments: after an update, after a request to delete or to retain, and in the end.

What is `deleted` counts as forgotten where somebody asked for it; else (secrets, what has run out), as `forbidden`,
it may not be live. A unit that repeats another one's words is the same thing said again.
"""

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from bench.quality.stream import Moment, Question, Said, Slot, Stream, Thing, Truth
from bench.quality.words import tokens

LAST_AT = datetime(2025, 6, 1, tzinfo=UTC)
WEEK = timedelta(days=7)
MOMENT = timedelta(seconds=1)
REQUEST = "deletion_request"


def streams(folder: Path, limit: int | None = None) -> list[Stream]:
    """At most so many cases of all files, in order of their names."""
    files = sorted(folder.glob("*.json"))
    cases = (case for file in files for case in json.loads(file.read_text("utf-8"))["cases"])
    return [stream(case) for case in islice(cases, limit)]


def stream(case: dict[str, Any]) -> Stream:
    """A session is cut where a contract says what holds then, so that no later turn is in the same batch."""
    when = {
        turn: datetime.fromisoformat(event["timestamp"])
        for event in case["events"]
        for turn in event["source_turn_ids"]
    }
    *before, final = sorted(case["state_contracts"], key=lambda one: str(one["timestamp"]))
    times = [datetime.fromisoformat(one["timestamp"]) for one in before]
    whole = [list(_said(one, when)) for one in case["sessions"]]
    sessions = [piece for session in whole for piece in _pieces(session, times)]
    last = max(turn.said_at for session in sessions for turn in session)
    back = max(-(-(last - LAST_AT) // WEEK), 0) * WEEK
    return Stream(
        case["case_id"],
        tuple(
            tuple(replace(one, said_at=one.said_at - back) for one in session)
            for session in sessions
        ),
        truth(case, final),
        last - back + WEEK,
        tuple(
            Moment(
                _name(contract),
                sum(session[0].said_at <= at for session in sessions),
                at - back + MOMENT,
                truth(case, contract),
            )
            for contract, at in zip(before, times, strict=True)
        ),
        tuple(map(_question, case["queries"])),
    )


def _pieces(session: Sequence[Said], times: Sequence[datetime]) -> Iterator[tuple[Said, ...]]:
    """What was said until each of the times, and after the last."""
    for _, piece in groupby(session, lambda one: bisect_left(times, one.said_at)):
        yield tuple(piece)


def _name(contract: dict[str, Any]) -> str:
    """`case_x:state_after_update` → `after update`."""
    whole = str(contract["state_contract_id"])
    return whole.partition(":state_")[2].replace("_", " ")


def _question(query: dict[str, Any]) -> Question:
    """What no memory answers (sums, refusals in a reader's own words) only has things that may not be told."""
    wanted = query["expected_behavior"]
    is_told = query["requires_memory"] and not wanted["should_refuse"]
    must = tuple((one,) for one in wanted["must_include"]) if is_told else ()
    return Question(query["prompt"], must, tuple(wanted["must_not_include"]))


def _said(session: dict[str, Any], when: dict[str, datetime]) -> Iterator[Said]:
    """No turn is said before the one that it follows."""
    at = datetime.fromisoformat(session["timestamp"])
    for turn in session["turns"]:
        at = max(at + MOMENT, when.get(turn["turn_id"], at))
        yield Said(
            session["session_id"],
            "Maintainer" if turn["role"] == "user" else "Assistant",
            turn["content"],
            at,
            turn["role"],
        )


def truth(case: dict[str, Any], contract: dict[str, Any]) -> Truth:
    """What a contract says. What is restricted is active and forbidden at once: it may live, and need not."""
    units = {one["memory_id"]: one for one in case["gold_memory_units"]}
    events = {one["event_id"]: one for one in case["events"]}
    restricted = set(contract["restricted_memory_ids"])

    def named(*states: str) -> list[dict[str, Any]]:
        ids = [id for state in states for id in contract[f"{state}_memory_ids"]]
        return [units[id] for id in dict.fromkeys(ids) if id not in restricted]

    gone = named("forbidden", "deleted")
    asked = {
        _object(one)
        for one in gone
        if any(events[it]["event_type"] == REQUEST for it in one["source_event_ids"])
    }
    active = named("active")
    slots = {
        one["memory_id"]: (_object(one), _object(units[one["update_of"]]))
        for one in active
        if one["update_of"]
    }
    in_slots = {text for both in slots.values() for text in both}
    return Truth(
        slots=tuple(Slot(id, (), _need(now), (_need(old),)) for id, (now, old) in slots.items()),
        things=tuple(
            Thing(text, (_need(text),))
            for text in _once(map(_object, active))
            if text not in in_slots
        ),
        forbidden=tuple(
            (_need(text),) for text in dict.fromkeys(map(_object, gone)) if text not in asked
        ),
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
