"""Who is due for sleep, and who sleeps: Redis through small scripts, its `TIME` the only clock.

A scope is in `sleep` from its first change until somebody puts it to bed, and in `asleep` from then on until the night
has ended. One that changes while it sleeps is in both, so that no change goes unnoticed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from redis import Redis

from schemas.keys import PartitionKeys, partition_of
from worker.adapters.partitions import by_age
from worker.adapters.redis_server import reachable
from worker.adapters.scripts import Scripts
from worker.core.sleeping.again import LONG_SECONDS, Bedtime

#: How long a slot of the calendar is remembered: longer than a message about it lives, or an hour is repeated.
SLOT_SECONDS = 3 * 3_600
#: Scopes that one script call makes due.
PORTION = 200

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Sleeper:
    """A scope that somebody puts to bed. The names behind the key stand in the store."""

    scope_key: str
    partition: int
    #: When it was claimed, in microseconds since 1970 by Redis's clock.
    fence: int
    #: When it counts as lost unless it is renewed, in ms: tells this claim from a later one.
    lost_at: int
    #: Null where none is remembered.
    last_turn_at: datetime | None
    #: Turns that are to be consolidated first.
    waiting: int

    @property
    def claimed_at(self) -> datetime:
        return _EPOCH + timedelta(microseconds=self.fence)


class Sleepers:
    """Needs a client that answers in bytes (`connect`). Every call may raise `Unavailable`."""

    def __init__(self, client: Redis, partitions: int = 1, lost_seconds: float = 60.0) -> None:
        self._redis = client
        self._partitions = [PartitionKeys(at) for at in range(partitions)]
        self._scripts = Scripts(client)
        #: Without a word of its sleeper.
        self.lost_seconds = lost_seconds

    def due(self, scope_key: str, bedtime: Bedtime) -> None:
        """It is due then, or earlier if it was."""
        keys = self._of(scope_key)
        self._scripts.run("sleep_due", [keys.sleep], [scope_key, *times(bedtime)])

    def claim(self) -> Sleeper | None:
        """The scope that has been due longest, of the partition where one has been; nothing if none is due."""
        for keys in by_age(self._redis, self._partitions, lambda keys: (keys.sleep, keys.asleep)):
            found = self._scripts.run(
                "sleep_claim",
                [keys.sleep, keys.asleep, keys.called, keys.cut_short],
                [keys.scopes, self._lost_ms, PORTION, round(LONG_SECONDS * 1000)],
            )
            if found:
                scope, fence, lost_at, last, waiting = found
                return Sleeper(
                    scope_key=scope.decode(),
                    partition=keys.partition,
                    fence=fence,
                    lost_at=lost_at,
                    last_turn_at=_EPOCH + timedelta(milliseconds=float(last)) if last else None,
                    waiting=waiting,
                )
        return None

    def renew(self, sleeper: Sleeper) -> Sleeper | None:
        """Nothing where it was taken for lost and is another's by now, or was erased."""
        keys = PartitionKeys(sleeper.partition)
        arguments: list[str | int] = [sleeper.scope_key, sleeper.lost_at, self._lost_ms]
        lost_at = self._scripts.run("sleep_renew", [keys.asleep], arguments)
        return replace(sleeper, lost_at=lost_at) if lost_at else None

    def end(self, sleeper: Sleeper, again: Bedtime) -> None:
        """It sleeps no more, and is due again then, or earlier where it changed meanwhile. Of another's: nothing."""
        keys = PartitionKeys(sleeper.partition)
        arguments = [sleeper.scope_key, sleeper.lost_at, *times(again)]
        self._scripts.run("sleep_end", [keys.sleep, keys.asleep, keys.cut_short], arguments)

    def call(self, slot: str) -> int | None:
        """Make all due that are to sleep later; how many they are. Null where this slot was called already.

        A call takes the same time however many they are: most become due bit by bit, as scopes are claimed.
        """
        counts = [
            self._scripts.run(
                "sleep_call",
                [keys.sleep, keys.called, keys.slot(slot)],
                [SLOT_SECONDS * 1000, PORTION],
            )
            for keys in self._partitions
        ]
        called = [count for count in counts if count is not None]
        return sum(called) if called else None

    def ring(self, bells: Sequence[str], ttl_seconds: float, max_out: int) -> int:
        """How many of these doorbells to send: as many as there are scopes that none is out for."""
        first, *others = self._partitions
        elsewhere = sum(self._scripts.run("ready", [one.sleep, one.asleep], [0]) for one in others)
        arguments: list[str | int] = [elsewhere, round(ttl_seconds * 1000), max_out, *bells]
        keys = [first.sleep, first.asleep, first.sleep_bells]
        return int(self._scripts.run("ring", keys, arguments))

    def answered(self, bell: str) -> None:
        """The doorbell arrived: another may ring."""
        with reachable():
            self._redis.zrem(self._partitions[0].sleep_bells, bell)

    def _of(self, scope_key: str) -> PartitionKeys:
        return self._partitions[partition_of(scope_key, len(self._partitions))]

    @property
    def _lost_ms(self) -> int:
        return round(self.lost_seconds * 1000)


def times(bedtime: Bedtime) -> tuple[int | str, int | str]:
    """As the scripts take them: ms from now on, and ms since 1970; empty for null."""
    after, at = bedtime.after_seconds, bedtime.at
    return (
        "" if after is None else round(after * 1000),
        "" if at is None else (at - _EPOCH) // timedelta(milliseconds=1) + 1,
    )
