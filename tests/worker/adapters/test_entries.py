from datetime import UTC, datetime, timedelta

import pytest

from schemas.line import turn_of
from schemas.turn import Turn
from worker.adapters.entries import (
    RECENT,
    RECENT_CHARACTERS,
    RECENT_CONVERSATIONS,
    Entry,
    Parked,
    outdated,
    recent_after,
)

NOW = datetime(2026, 3, 3, 15, tzinfo=UTC)


def turn(text: str, conversation: str = "c", user: str = "alice", at: int = 0) -> Turn:
    line = {"app": "acme", "user": user, "role": "user", "text": text, "conversation": conversation}
    made = turn_of(line, NOW + timedelta(seconds=at))
    assert isinstance(made, Turn)
    return made


def element(payload: str) -> bytes:
    return f"1764482000000 {payload}".encode()


def test_an_element_gives_back_its_turn() -> None:
    tea = turn("tea in Kraków")
    entry = Entry.read(element(tea.model_dump_json()), tea.scope.key)

    assert (entry.turn, entry.fault, entry.id) == (tea, "", str(tea.id))


@pytest.mark.parametrize(
    ("payload", "fault"),
    [
        ("{", "is no turn (no JSON)"),
        ("", "is no turn (no JSON)"),
        ('{"id": 5}', "is no turn (conversation, id, received_at, role, said_at, scope, text)"),
        (turn("x", user="bob").model_dump_json(), "names another scope as its own"),
    ],
)
def test_what_is_no_turn_of_the_scope_says_why(payload: str, fault: str) -> None:
    entry = Entry.read(element(payload), turn("x").scope.key)

    assert (entry.turn, entry.fault, entry.id) == (None, fault, "")


def test_a_parked_turn_can_be_read_again() -> None:
    tea = turn("tea")
    entry = Entry.read(element(tea.model_dump_json()), tea.scope.key)
    parked = Parked.model_validate_json(entry.aside("too sweet", 5, NOW))

    assert (parked.turn, parked.reason, parked.attempts, parked.parked_at) == (
        tea,
        "too sweet",
        5,
        NOW,
    )


@pytest.mark.parametrize(
    ("junk", "payload"),
    [(b"no-frame", "no-frame"), (b"\xff\xfe", "\\xff\\xfe"), (b"5 \xff{", "\\xff{"), (b"", "")],
)
def test_what_nobody_can_read_is_parked_as_it_is(junk: bytes, payload: str) -> None:
    parked = Parked.model_validate_json(Entry.read(junk, "s").aside("unreadable", 1, NOW))

    assert parked.turn is None
    assert parked.payload == payload


def test_each_conversation_keeps_its_last_turns_in_order() -> None:
    before = {"c": [turn("1"), turn("2")], "d": []}
    settled = [turn("3"), turn("other", "d"), turn("4")]
    after = {
        name: RECENT.validate_json(kept) for name, kept in recent_after(before, settled, 3).items()
    }

    assert [kept.text for kept in after["c"]] == ["2", "3", "4"]
    assert [kept.text for kept in after["d"]] == ["other"]


def test_context_is_cut_short() -> None:
    after = recent_after({"c": []}, [turn("x" * 50_000)], 3)

    assert len(RECENT.validate_json(after["c"])[0].text) == RECENT_CHARACTERS


@pytest.mark.parametrize(
    ("others", "renewed", "gone"), [(31, 1, 0), (32, 1, 1), (40, 2, 10), (0, 40, 0)]
)
def test_the_longest_silent_conversations_are_forgotten(
    others: int, renewed: int, gone: int
) -> None:
    kept = {f"c{at}": [turn("x", at=at)] for at in range(others)}
    left = outdated(kept, {f"new{at}": "" for at in range(renewed)})

    assert left == [f"c{at}" for at in range(gone)]
    assert others - len(left) + renewed <= max(RECENT_CONVERSATIONS, renewed)
