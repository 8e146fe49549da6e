"""What goes to Redis for a turn and what its replies mean, without any I/O.

An exchange is a generator: it yields commands, is sent their replies, and returns what they mean. So the
blocking and the asyncio producer share all of it.
"""

from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha1
from importlib.resources import files
from typing import TypeVar

from redis.exceptions import NoScriptError

from producers.answer import Answer, Settled, Status
from producers.ticket import Ticket
from schemas.keys import PARTITIONS, PartitionKeys, ScopeKeys, partition_of
from schemas.limits import Limits
from schemas.line import Refused
from schemas.tokens import estimate
from schemas.turn import Turn

Command = tuple[str | bytes | int, ...]
T = TypeVar("T")
#: Commands out, one reply or error for each in.
Exchange = Generator[list[Command], Sequence[object], T]


@dataclass(frozen=True)
class Script:
    """A Lua script beside this file."""

    text: str

    @classmethod
    def named(cls, name: str) -> "Script":
        return cls(files("producers").joinpath(f"{name}.lua").read_text())

    @cached_property
    def sha(self) -> str:
        return sha1(self.text.encode(), usedforsecurity=False).hexdigest()


PUBLISH, TICKET = Script.named("publish"), Script.named("ticket")

#: Most turns and bytes of one round trip.
PARCEL_TURNS, PARCEL_BYTES = 500, 1_000_000


def _fallback(limits: Limits) -> tuple[int, ...]:
    return (
        limits.batch_turns,
        limits.batch_tokens,
        round(limits.quiet_seconds * 1000),
        round(limits.max_wait_seconds * 1000),
        limits.max_pending,
        limits.seen_seconds * 1000,
    )


_FALLBACK = _fallback(Limits())


@dataclass(frozen=True)
class Letter:
    """A turn, ready to go."""

    turn: Turn
    payload: bytes
    tokens: int

    @classmethod
    def of(cls, turn: Turn) -> "Letter":
        return cls(turn, turn.model_dump_json().encode(), estimate(turn.text))

    def arguments(self, partitions: int) -> Command:
        """Keys and arguments of the publish script."""
        scope = self.turn.scope.key
        shared = PartitionKeys(partition_of(scope, partitions))
        own = ScopeKeys(shared.partition, scope)
        keys = (own.turns, own.meta, own.seen, shared.due, shared.busy, shared.config)
        return (
            len(keys) + 1,
            *keys,
            shared.counters,
            scope,
            str(self.turn.id),
            self.payload,
            self.tokens,
            *_FALLBACK,
        )


def parcels(turns: Iterable[Turn | Refused]) -> Iterator[list[Letter | Refused]]:
    """Portions that fit into one round trip."""
    parcel: list[Letter | Refused] = []
    size = 0
    for turn in turns:
        item = turn if isinstance(turn, Refused) else Letter.of(turn)
        parcel.append(item)
        size += len(item.payload) if isinstance(item, Letter) else 0
        if len(parcel) >= PARCEL_TURNS or size >= PARCEL_BYTES:
            yield parcel
            parcel, size = [], 0
    if parcel:
        yield parcel


class Post:
    """Knows the number of partitions once Redis has said it."""

    def __init__(self) -> None:
        self._partitions: int | None = None

    def deliver(self, parcel: Sequence[Letter | Refused]) -> Exchange[list[Answer]]:
        """One answer for each, in order."""
        letters = [item for item in parcel if isinstance(item, Letter)]
        replies = iter((yield from self._letters(letters)) if letters else [])
        return [
            _refusal(item) if isinstance(item, Refused) else _answer(item, next(replies))
            for item in parcel
        ]

    def look(self, ticket: Ticket) -> Exchange[Settled]:
        """What has become of a turn by now."""
        error = yield from self._learn_partitions()
        if error is not None:
            return _settled(ticket, error)
        (reply,) = yield from _called(TICKET, [ticket.arguments(self._partitions or 1)])
        return _settled(ticket, reply)

    def _letters(self, letters: Sequence[Letter]) -> Exchange[list[object]]:
        error = yield from self._learn_partitions()
        if error is not None:
            return [error] * len(letters)
        partitions = self._partitions or 1
        return (yield from _called(PUBLISH, [one.arguments(partitions) for one in letters]))

    def _learn_partitions(self) -> Exchange[Exception | None]:
        """The stored number holds; the first to come stores 1, which another setting then refuses."""
        if self._partitions is not None:
            return None
        (stored,) = yield [("GET", PARTITIONS)]
        if stored is None:
            _, stored = yield [("SET", PARTITIONS, 1, "NX"), ("GET", PARTITIONS)]
        if isinstance(stored, Exception):
            return stored
        self._partitions = int(stored) if isinstance(stored, bytes | str) else 1
        return None


def _called(script: Script, calls: Sequence[Command]) -> Exchange[list[object]]:
    replies = list((yield [("EVALSHA", script.sha, *call) for call in calls]))
    # A call that found no script did nothing. Sent again with the script itself, in the same order.
    unknown = [at for at, reply in enumerate(replies) if isinstance(reply, NoScriptError)]
    if unknown:
        again = yield [("EVAL", script.text, *calls[at]) for at in unknown]
        for at, reply in zip(unknown, again, strict=True):
            replies[at] = reply
    return replies


def _refusal(refused: Refused) -> Answer:
    return Answer(status="refused", message=str(refused))


_STATUSES: dict[str, Status] = {"accepted": "accepted", "duplicate": "duplicate", "full": "full"}


def _answer(letter: Letter, reply: object) -> Answer:
    turn_id = letter.turn.id
    if not isinstance(reply, list):
        return Answer(status="unavailable", turn_id=turn_id, message=_trouble(reply))
    word, pending, since, place = reply
    status = _STATUSES[_text(word)]
    ticket = Ticket(letter.turn.scope.key, turn_id, since, place)
    return Answer(
        status=status,
        turn_id=turn_id,
        pending=pending,
        message=_MESSAGES[status].format(pending) or None,
        ticket=None if status == "full" else str(ticket),
    )


def _settled(ticket: Ticket, reply: object) -> Settled:
    if not isinstance(reply, list):
        told = f"Redis did not say what became of the turn ({type(reply).__name__}: {reply}): wait for it again"
        return Settled(status="unavailable", turn_id=ticket.turn_id, message=told)
    match [_text(part) for part in reply]:
        case ["parked", reason]:
            told = f"it was put aside: {reason}"
            return Settled(status="parked", turn_id=ticket.turn_id, message=told)
        case ["waiting"]:
            told = "it is still in the inbox: wait longer, and see that a worker runs"
            return Settled(status="waiting", turn_id=ticket.turn_id, message=told)
        case ["consolidated"]:
            return Settled(status="consolidated", turn_id=ticket.turn_id)
        case _:
            return Settled(status="unknown", turn_id=ticket.turn_id, message=_FORGOTTEN)


_FORGOTTEN = (
    "Redis does not remember it: it was accepted long ago, or dropped or erased, or Redis has lost its newest data."
    " If you still have it, publish it again: a turn that was consolidated counts once"
)


def _text(word: object) -> str:
    return word.decode(errors="replace") if isinstance(word, bytes) else str(word)


_MESSAGES: dict[Status, str] = {
    "accepted": "",
    "duplicate": "this turn was published before: nothing to do",
    "full": "{} turns of this user wait already: publish it again later, and see that a worker runs",
}


def _trouble(reply: object) -> str:
    return (
        f"Redis did not take the turn ({type(reply).__name__}: {reply}):"
        " publish it again later; a turn that has had an `id` of yours from the first try on counts once"
    )
