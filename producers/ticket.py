"""What a publisher keeps of a turn to ask later what became of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from schemas.keys import ScopeKeys, partition_of

#: First and longest pause between two looks, in seconds.
FIRST_SECONDS, LONGEST_SECONDS = 0.02, 0.25


@dataclass(frozen=True)
class Ticket:
    """A turn's place among those of its scope: turns leave the inbox in order, so one number tells."""

    scope_key: str
    turn_id: UUID
    #: Names the stretch in which the scope always had turns waiting; in it turns are counted from 1.
    since: int
    place: int

    def __str__(self) -> str:
        return f"{self.scope_key}.{self.turn_id}.{self.since}.{self.place}"

    @classmethod
    def read(cls, text: str) -> "Ticket":
        """Raises `ValueError` for what is no ticket."""
        try:
            scope_key, turn_id, since, place = text.split(".")
            return cls(str(UUID(scope_key)), UUID(turn_id), int(since), int(place))
        except (ValueError, AttributeError) as error:
            raise ValueError(
                f"{text!r} is no ticket: give the one that `publish` answered with"
            ) from error

    def arguments(self, partitions: int) -> tuple[str | int, ...]:
        """Keys and arguments of the ticket script."""
        own = ScopeKeys(partition_of(self.scope_key, partitions), self.scope_key)
        keys = (own.meta, own.seen, own.parked)
        return (len(keys), *keys, str(self.turn_id), self.since, self.place)


def pauses() -> Iterator[float]:
    """Seconds between looks, longer and longer: what takes its time is not asked about all the time."""
    seconds = FIRST_SECONDS
    while True:
        yield seconds
        seconds = min(LONGEST_SECONDS, seconds * 1.5)
