from datetime import UTC, datetime, timedelta, timezone

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


def element(payload: str, arrived: datetime = NOW) -> bytes:
    """As the script that publishes stores it, whoever called it."""
    return f"{round(arrived.timestamp() * 1000)} {payload}".encode()


def raw(**fields: object) -> str:
    """A payload that went through nothing of ours."""
    return turn("tea").model_copy(update=fields).model_dump_json()


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


KEY = "sk-abcdefghij1234567890"


@pytest.mark.parametrize(
    "fields",
    [
        {"text": f"My key is {KEY}"},
        {"speaker": KEY},
        {"metadata": {"deep": [{"api_key": KEY}]}},
    ],
)
def test_a_secret_of_a_payload_that_came_by_another_way_reaches_nothing(
    fields: dict[str, object],
) -> None:
    entry = Entry.read(element(raw(**fields)), turn("tea").scope.key)

    assert entry.turn is not None
    assert KEY not in entry.turn.model_dump_json()
    assert KEY not in entry.aside("x", 1, NOW)


@pytest.mark.parametrize(
    "payload",
    [
        f"{{my key is {KEY}",
        raw(text=f"My key is {KEY}", role="nobody"),
        raw(text=f"My key is {KEY}", scope=turn("x", user="bob").scope),
    ],
)
def test_a_secret_of_what_is_no_turn_of_the_scope_is_not_parked(payload: str) -> None:
    entry = Entry.read(element(payload), turn("tea").scope.key)

    assert entry.turn is None
    assert KEY not in entry.aside("x", 1, NOW)


@pytest.mark.parametrize(
    ("said_at", "taken_at", "approximate"),
    [
        (datetime(2099, 1, 1, tzinfo=UTC), NOW, True),
        (NOW + timedelta(minutes=5, seconds=1), NOW, True),
        (NOW + timedelta(minutes=5), NOW + timedelta(minutes=5), False),
        (NOW - timedelta(days=900), NOW - timedelta(days=900), False),
        (datetime.max.replace(tzinfo=timezone(timedelta(hours=-12))), NOW, True),
        (datetime.min.replace(tzinfo=timezone(timedelta(hours=12))), NOW, True),
    ],
)
def test_nothing_was_said_after_it_arrived(
    said_at: datetime, taken_at: datetime, approximate: bool
) -> None:
    payload = raw(said_at=said_at, received_at=said_at, approximate_time=False)
    entry = Entry.read(element(payload), turn("tea").scope.key)

    assert entry.turn is not None
    assert (entry.turn.said_at, entry.turn.approximate_time) == (taken_at, approximate)
    assert entry.turn.received_at <= NOW + timedelta(minutes=5)
    parked = Parked.model_validate_json(entry.aside("x", 1, NOW)).turn
    assert parked == entry.turn


@pytest.mark.parametrize("stamp", ["", "soon", "1e9", "9" * 40])
def test_a_payload_that_does_not_say_when_it_arrived_is_no_turn(stamp: str) -> None:
    payload = f"{stamp} {raw(said_at=datetime(2099, 1, 1, tzinfo=UTC))}"
    entry = Entry.read(payload.encode(), turn("tea").scope.key)

    assert (entry.turn, entry.fault) == (None, "does not say when it arrived")


def test_a_payload_that_hides_nothing_stays_as_it_was_queued() -> None:
    payload = '{"a field of a later version":1,' + raw()[1:]

    assert Entry.read(element(payload), turn("tea").scope.key).payload == payload.encode()


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
