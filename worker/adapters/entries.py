"""What stands in a scope's lists: pending turns, parked ones, and the last ones of its conversations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pydantic import TypeAdapter, ValidationError

from schemas.base import AwareDatetime, Stored
from schemas.ids import uuid_of
from schemas.line import taken
from schemas.masking import mask
from schemas.plan import Change
from schemas.turn import Turn
from worker.errors import Unprocessable

#: How much of a turn is kept as context for later ones, in characters.
RECENT_CHARACTERS = 2_000
#: Conversations of a scope whose last turns are kept.
RECENT_CONVERSATIONS = 32

RECENT: TypeAdapter[tuple[Turn, ...]] = TypeAdapter(tuple[Turn, ...])


class Unreadable(Unprocessable):
    """The first pending payload is no turn of its scope: park it, alone."""


class Parked(Stored):
    """A turn put aside, as it was queued."""

    payload: str
    reason: str
    attempts: int
    parked_at: AwareDatetime
    #: What would be done for a turn held for review, if a person accepts it.
    proposal: tuple[Change, ...] = ()

    @property
    def turn(self) -> Turn | None:
        """Null where the payload is not one."""
        try:
            return Turn.model_validate_json(self.payload)
        except ValidationError:
            return None


@dataclass(frozen=True)
class Entry:
    """An element of the list of pending turns."""

    #: As it was queued, unless that held a secret or a time to come.
    payload: bytes
    turn: Turn | None
    #: Why there is no turn; empty where there is one.
    fault: str = ""

    @classmethod
    def read(cls, element: bytes, scope_key: str) -> "Entry":
        """`<ms of arrival> <JSON>`, of this scope and no other.

        Anyone may call the script that publishes, so nothing here trusts that the payload was held to
        what a line is held to.
        """
        stamp, _, payload = element.partition(b" ")
        try:
            turn = Turn.model_validate_json(payload)
        except ValidationError as error:
            fields = {str(detail["loc"][0]) for detail in error.errors() if detail["loc"]}
            fault = f"is no turn ({', '.join(sorted(fields)) or 'no JSON'})"
            return cls(_without_secrets(payload or element), None, fault)
        arrived = _moment(stamp)
        if arrived is None:
            return cls(_without_secrets(element), None, "does not say when it arrived")
        held = taken(turn, arrived)
        if held != turn:
            payload = held.model_dump_json().encode()
        if held.scope.key != scope_key:
            return cls(payload, None, "names another scope as its own")
        return cls(payload, held)

    @property
    def id(self) -> str:
        return str(self.turn.id) if self.turn else ""

    @property
    def parked_id(self) -> str:
        """The turn's; of what is none, by what was queued."""
        return self.id or str(uuid_of("payload", self._text))

    @property
    def _text(self) -> str:
        return self.payload.decode(errors="backslashreplace")

    def aside(
        self, reason: str, attempts: int, now: datetime, proposal: tuple[Change, ...] = ()
    ) -> str:
        """As it goes to the parked turns."""
        parked = Parked(
            payload=self._text, reason=reason, attempts=attempts, parked_at=now, proposal=proposal
        )
        return parked.model_dump_json()


def _moment(stamp: bytes) -> datetime | None:
    """Of milliseconds since 1970, where it is one."""
    try:
        return datetime.fromtimestamp(int(stamp) / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _without_secrets(junk: bytes) -> bytes:
    return mask(junk.decode(errors="backslashreplace")).encode()


def recent_after(
    before: Mapping[str, Sequence[Turn]], settled: Sequence[Turn], keep: int
) -> dict[str, str]:
    """Conversation → JSON of its last turns, once these are settled too."""
    short = [
        turn.model_copy(update={"text": turn.text[:RECENT_CHARACTERS], "metadata": {}})
        for turn in settled
    ]
    after = {
        name: (*turns, *(turn for turn in short if turn.conversation == name))
        for name, turns in before.items()
    }
    return {name: RECENT.dump_json(turns[-keep:]).decode() for name, turns in after.items()}


def outdated(kept: Mapping[str, Sequence[Turn]], renewed: Mapping[str, object]) -> list[str]:
    """Conversations to forget so that at most 32 are kept, the longest silent first."""
    others = sorted(kept.keys() - renewed.keys(), key=lambda name: kept[name][-1].received_at)
    return others[: max(0, len(others) + len(renewed) - RECENT_CONVERSATIONS)]
