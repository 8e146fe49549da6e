"""Parked turns as they are shown and exported, with what is proposed for them."""

from collections.abc import Iterator, Sequence

from pydantic import JsonValue
from rich.table import Table

from schemas.plan import Add, Change, Confirm, File, Retire, Revise
from worker.adapters.parking import Letter
from worker.interfaces.cli.output import short, table, when

COLUMNS = ("id", "scope", "what", "reason", "attempts", "when", "proposal")
#: Characters of a text that a table shows.
SHOWN = 60


def letters_table(letters: Sequence[Letter]) -> Table:
    return table(f"{len(letters)} parked", COLUMNS, [_row(letter) for letter in letters])


def what(letter: Letter) -> str:
    """The text, or its beginning."""
    turn = letter.turn
    if turn is None:
        return "(no turn of this scope)"
    return _begun(turn.text)


def _begun(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} …"


def exported(letter: Letter) -> dict[str, JsonValue]:
    """All of it but vectors; `payload` is what was queued."""
    turn, parked = letter.turn, letter.parked
    return {
        "id": letter.id,
        "scope": letter.scope_key,
        "app": turn.scope.app if turn else None,
        "user": turn.scope.user if turn else None,
        "text": turn.text if turn else None,
        "reason": parked.reason,
        "attempts": parked.attempts,
        "since": parked.parked_at.isoformat(),
        "proposal": list(_changes(letter)),
        "payload": parked.payload,
    }


def _row(letter: Letter) -> tuple[object, ...]:
    parked = letter.parked
    proposed = "\n".join(f"{one['kind']}: {_begun(str(one['text']))}" for one in _changes(letter))
    return (
        *(short(letter.id), short(letter.scope_key), what(letter), parked.reason),
        *(parked.attempts, when(parked.parked_at), proposed or "–"),
    )


def _changes(letter: Letter) -> Iterator[dict[str, JsonValue]]:
    for change in letter.parked.proposal:
        memory, text = _of(change)
        yield {"kind": change.kind, "memory": memory, "text": text, "why": change.why}


def _of(change: Change) -> tuple[str, str]:
    """The memory, and the text that it gets or that goes."""
    match change:
        case Add() | Confirm() | Revise():
            memory = change.record.memory
        case Retire() | File():
            memory = change.archive.archive.memory
    return str(memory.id), memory.text
