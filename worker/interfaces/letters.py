"""Parked turns as they are exported, with what is proposed for them."""

from collections.abc import Sequence

from schemas.base import AwareDatetime, Frozen
from schemas.plan import Add, Change, Confirm, File, Retire, Revise
from worker.adapters.parking import Letter


class Proposed(Frozen):
    """A change that waits for a person's word."""

    kind: str
    memory: str
    #: What the memory gets, or what goes.
    text: str
    why: str


class ParkedTurn(Frozen):
    """All of it but vectors."""

    #: The turn's; of what is none, by what was queued.
    id: str
    #: The scope's key.
    scope: str
    #: Null, as the next two, for what is no turn of its scope.
    app: str | None
    user: str | None
    text: str | None
    reason: str
    attempts: int
    since: AwareDatetime
    proposal: tuple[Proposed, ...]
    #: What was queued.
    payload: str


def exported(letter: Letter) -> ParkedTurn:
    turn, parked = letter.turn, letter.parked
    return ParkedTurn(
        id=letter.id,
        scope=letter.scope_key,
        app=turn.scope.app if turn else None,
        user=turn.scope.user if turn else None,
        text=turn.text if turn else None,
        reason=parked.reason,
        attempts=parked.attempts,
        since=parked.parked_at,
        proposal=proposed(parked.proposal),
        payload=parked.payload,
    )


def proposed(changes: Sequence[Change]) -> tuple[Proposed, ...]:
    return tuple(_proposed(change) for change in changes)


def _proposed(change: Change) -> Proposed:
    match change:
        case Add() | Confirm() | Revise():
            memory = change.record.memory
        case Retire() | File():
            memory = change.archive.archive.memory
    return Proposed(kind=change.kind, memory=str(memory.id), text=memory.text, why=change.why)
