from collections import Counter
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest

from schemas.ids import turn_id_of_caller, turn_id_of_moment, turn_id_of_place
from schemas.line import Refused, TurnLine, turn_of, turns_of
from schemas.masking import MARK
from schemas.scope import Scope
from schemas.turn import Turn

NOW = datetime(2026, 3, 3, 15, tzinfo=UTC)
SCOPE = Scope(app="acme", user="alice")
ROLES = "system, developer, user, assistant, tool, function"
WRITE = "write it with its offset, like 2026-03-03T15:00:00+01:00, or with Z for UTC"
LINE: dict[str, Any] = {"app": "acme", "user": "alice", "role": "user", "text": "I like tea."}


def taken(line: dict[str, Any], now: datetime = NOW) -> Turn:
    turn = turn_of(line, now)
    assert isinstance(turn, Turn), turn
    return turn


def all_taken(lines: list[dict[str, Any]], earlier: Counter[UUID] | None = None) -> list[Turn]:
    turns = [turn for turn in turns_of(lines, NOW, earlier) if isinstance(turn, Turn)]
    assert len(turns) == len(lines)
    return turns


def test_a_line_becomes_a_turn() -> None:
    said_at = datetime(2026, 3, 3, 15, 0, tzinfo=timezone(timedelta(hours=1)))
    turn = taken(
        {
            **LINE,
            "conversation": "c",
            "speaker": "Alice",
            "said_at": "2026-03-03T15:00:00+01:00",
            "metadata": {"channel": "web"},
            "automated": True,
        }
    )

    assert turn.scope == SCOPE
    assert (turn.role, turn.speaker, turn.text) == ("user", "Alice", "I like tea.")
    assert turn.said_at == said_at
    assert turn.said_at.utcoffset() == timedelta(hours=1)
    assert (turn.received_at, turn.approximate_time) == (NOW, False)
    assert (turn.conversation, turn.metadata, turn.automated) == ("c", {"channel": "web"}, True)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"user": ...}, "`user` is missing: say whose memory it is"),
        ({"app": ...}, "`app` is missing: name the application that the memory belongs to"),
        ({"role": ...}, f"`role` is missing: say who speaks, one of {ROLES}"),
        ({"user": " "}, "`user` is empty: say whose memory it is"),
        ({"user": "a\nb"}, "`user` holds a control character: use a plain name"),
        ({"user": "a" * 300}, "`user` has 300 characters, at most 256 are taken: shorten it"),
        ({"role": "bot"}, "`role` is none of system, developer, user, assistant, tool, function"),
        ({"usr": "x"}, "`usr` is not a field of a turn: did you mean `user`?"),
        ({"zzz": 1}, "`zzz` is not a field of a turn: leave it out or put it under `metadata`"),
        (
            {"text": "x" * 200_000},
            "`text` has 200,000 characters, at most 100,000 are taken: split it into several turns",
        ),
        ({"text": "a\0b"}, "`text` has a NUL character at position 1: remove it"),
        (
            {"text": "\ud800"},
            "`text` has half a surrogate pair at position 0: it is not valid Unicode",
        ),
        ({"text": ""}, "`text` is empty: leave such a turn out"),
        ({"text": " \n"}, "`text` is empty: leave such a turn out"),
        ({"text": None}, "`text` is empty: leave such a turn out"),
        ({"text": 5}, "`text` has to be text"),
        ({"content": "tea"}, "the turn has both `text` and `content`: give one of them"),
        ({"said_at": "2026-03-03T15:00:00"}, f"`said_at` has no time zone: {WRITE}"),
        ({"said_at": "last week"}, f"`said_at` is no date with a time: {WRITE}"),
        ({"said_at": "0001-01-01T00:00:00+14:00"}, "`said_at` is outside the years 1 to 9999"),
        ({"id": ""}, "`id` is empty: fill it in or leave the field out"),
        ({"automated": "perhaps"}, "`automated` has to be true or false"),
        ({"metadata": []}, "`metadata` has to be an object with named fields"),
        (
            {"metadata": {"a": {1, 2}}},
            "`metadata` holds something that is no JSON value: use text, numbers, lists and objects",
        ),
        ({"metadata": {"a": "\0"}}, "`metadata` holds a NUL character: remove it"),
        (
            {"metadata": {"a": [float("nan")]}},
            "`metadata` holds a number that JSON does not know (NaN, Infinity): remove it",
        ),
        (
            {"metadata": {"a": "x" * 30_000}},
            "`metadata` has 30,009 characters as JSON, at most 20,000 are taken",
        ),
        (
            {"conversation": "c" * 257},
            "`conversation` has 257 characters, at most 256 are taken: shorten it",
        ),
        (
            {"user": ..., "said_at": "now"},
            f"`user` is missing: say whose memory it is; `said_at` is no date with a time: {WRITE}",
        ),
    ],
)
def test_a_refusal_says_what_is_wrong_and_what_to_do(change: dict[str, Any], message: str) -> None:
    line = {name: value for name, value in {**LINE, **change}.items() if value is not ...}

    assert turn_of(line, NOW) == Refused(where="turn", message=message)


@pytest.mark.parametrize("junk", ["a string", 5, None, [1]])
def test_what_is_no_object_is_refused(junk: Any) -> None:
    assert turn_of(junk, NOW) == Refused(
        where="turn", message="the turn has to be an object with `app`, `user`, `role` and `text`"
    )


def test_a_refusal_does_not_repeat_what_was_given() -> None:
    refused = turn_of({**LINE, "role": "Kestrel99!", "said_at": "Kestrel99!"}, NOW)

    assert isinstance(refused, Refused)
    assert "Kestrel99!" not in str(refused)


def test_a_refused_line_is_named_and_the_others_are_taken() -> None:
    first, second, third = turns_of([LINE, {**LINE, "role": "bot"}, LINE], NOW, first=11)

    assert isinstance(first, Turn)
    assert isinstance(second, Refused)
    assert isinstance(third, Turn)
    assert str(second).startswith("line 12: `role` is none of")


def test_secrets_are_masked_wherever_they_stand() -> None:
    turn = taken(
        {
            **LINE,
            "text": "db postgres://svc:Kestrel99!@db/app",
            "speaker": "password=Kestrel99!",
            "metadata": {"password": "Kestrel99!"},
        }
    )

    assert "Kestrel99!" not in turn.model_dump_json()
    assert turn.text == f"db postgres://svc:{MARK}@db/app"


def test_secrets_in_a_finished_turn_are_masked_too() -> None:
    turn = taken(LINE).model_copy(update={"text": "password=Kestrel99!", "speaker": None})

    masked = turn_of(turn, NOW)

    assert isinstance(masked, Turn)
    assert (masked.id, masked.text) == (turn.id, f"password={MARK}")
    assert list(turns_of([turn], NOW)) == [masked]


def test_a_finished_turn_was_said_no_later_than_it_is_handed_in() -> None:
    late = NOW.replace(year=2099)
    turn = taken(LINE).model_copy(update={"said_at": late, "received_at": late})

    clamped = turn_of(turn, NOW)

    assert isinstance(clamped, Turn)
    assert (clamped.id, clamped.said_at, clamped.received_at) == (turn.id, NOW, NOW)
    assert clamped.approximate_time
    assert list(turns_of([turn], NOW)) == [clamped]


def test_the_caller_s_id_decides() -> None:
    turns = all_taken(
        [{**LINE, "id": "m1"}, {**LINE, "id": "m1", "text": "Other"}, {**LINE, "id": 1}]
    )

    assert turns[0].id == turns[1].id == turn_id_of_caller(SCOPE.key, "default", "m1")
    assert turns[2].id == turn_id_of_caller(SCOPE.key, "default", "1")


def test_without_an_id_the_moment_decides() -> None:
    yes = {**LINE, "text": "yes", "said_at": "2026-03-03T14:00:00Z"}
    again = {**yes, "said_at": "2026-03-03T14:05:00Z"}
    elsewhere = {**yes, "said_at": "2026-03-03T15:00:00+01:00"}
    turns = all_taken([yes, again, elsewhere])

    assert turns[0].id != turns[1].id
    assert turns[0].id == turns[2].id
    assert turns[0].id == turn_id_of_moment(
        SCOPE.key, "default", "user", None, "yes", datetime(2026, 3, 3, 14, tzinfo=UTC)
    )


def test_without_a_moment_the_place_among_equals_decides() -> None:
    yes, no = {**LINE, "text": "yes"}, {**LINE, "text": "no"}
    turns = all_taken([yes, no, yes, {**yes, "conversation": "other"}])

    assert turns[0].id == turn_id_of_place(SCOPE.key, "default", "user", None, "yes", 0)
    assert turns[2].id == turn_id_of_place(SCOPE.key, "default", "user", None, "yes", 1)
    assert len({turn.id for turn in turns}) == 4
    assert all(turn.approximate_time and turn.said_at == NOW for turn in turns)


def test_a_history_handed_in_again_is_the_same_turns_whatever_the_day() -> None:
    lines = [LINE, LINE, {**LINE, "said_at": "2027-01-01T00:00:00Z"}]
    first = [turn.id for turn in turns_of(lines, NOW) if isinstance(turn, Turn)]
    later = [turn.id for turn in turns_of(lines, NOW + timedelta(days=1)) if isinstance(turn, Turn)]

    assert first == later
    assert len(set(first)) == 3


def test_a_file_read_in_parts_is_one_list() -> None:
    lines = [LINE] * 4
    earlier: Counter[UUID] = Counter()
    parts = [*all_taken(lines[:1], earlier), *all_taken(lines[1:], earlier)]

    assert [turn.id for turn in parts] == [turn.id for turn in all_taken(lines)]


def test_on_its_own_a_turn_without_id_and_moment_is_known_by_its_receipt() -> None:
    first, second = taken(LINE), taken(LINE, NOW + timedelta(seconds=1))

    assert first.id != second.id
    assert (first.said_at, first.approximate_time) == (NOW, True)


@pytest.mark.parametrize(
    ("ahead_seconds", "clamped"), [(-1, False), (0, False), (300, False), (301, True)]
)
def test_a_clock_that_runs_ahead_is_clamped_to_receipt(ahead_seconds: int, clamped: bool) -> None:
    said_at = NOW + timedelta(seconds=ahead_seconds)
    turn = taken({**LINE, "said_at": said_at})

    assert turn.said_at == (NOW if clamped else said_at)
    assert turn.approximate_time is clamped


def test_openai_s_shapes_are_taken_as_they_are() -> None:
    call = {"id": "c1", "function": {"name": "weather", "arguments": "{"}}
    lines: list[dict[str, Any]] = [
        {"role": "user", "content": [{"type": "text", "text": "Hi"}], "name": "Bob"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [call],
            "refusal": None,
            "annotations": [],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "12 °C"},
    ]
    turns = all_taken([{"app": "acme", "user": "alice", **line} for line in lines])

    assert [(turn.speaker, turn.text) for turn in turns] == [
        ("Bob", "Hi"),
        (None, "[calls weather: {]"),
        ("weather", "12 °C"),
    ]


def test_a_call_is_not_joined_across_conversations() -> None:
    call = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c1", "function": {"name": "w"}}],
    }
    answer = {"role": "tool", "tool_call_id": "c1", "content": "12", "conversation": "other"}
    turns = all_taken([{"app": "acme", "user": "alice", **line} for line in (call, answer)])

    assert turns[1].speaker is None


def test_a_checked_line_is_taken_as_well() -> None:
    assert taken(LINE) == turn_of(TurnLine.model_validate(LINE), NOW)
