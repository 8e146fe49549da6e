"""Parked turns as they are shown, with what is proposed for them."""

from collections.abc import Sequence

from rich.table import Table

from worker.adapters.parking import Letter
from worker.interfaces.cli.output import short, table, when
from worker.interfaces.letters import proposed

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


def _row(letter: Letter) -> tuple[object, ...]:
    parked = letter.parked
    shown = "\n".join(f"{one.kind}: {_begun(one.text)}" for one in proposed(parked.proposal))
    return (
        *(short(letter.id), short(letter.scope_key), what(letter), parked.reason),
        *(parked.attempts, when(parked.parked_at), shown or "–"),
    )
