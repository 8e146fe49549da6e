"""All Redis key names. `{n}` is a hash tag: the keys of a partition share one slot of a Redis Cluster."""

from dataclasses import dataclass
from zlib import crc32

#: The stored number of partitions; whoever comes first writes it, another number refuses to start.
PARTITIONS = "slowwave:partitions"
#: HASH, id of an API key → what is kept of it.
API_KEYS = "slowwave:api_keys"


def partition_of(scope_key: str, partitions: int) -> int:
    return crc32(scope_key.encode()) % partitions


@dataclass(frozen=True)
class PartitionKeys:
    """Keys that all scopes of a partition share. Scopes appear in them by their key, never by name."""

    partition: int

    def _named(self, name: str) -> str:
        return f"slowwave:{{{self.partition}}}:{name}"

    @property
    def due(self) -> str:
        """ZSET, scope → ms at which it may be claimed: quiet, back-off and waiting line in one."""
        return self._named("due")

    @property
    def busy(self) -> str:
        """ZSET, scope → ms at which its lease runs out."""
        return self._named("busy")

    @property
    def lease(self) -> str:
        """HASH, scope → fencing token of the owner."""
        return self._named("lease")

    @property
    def fence(self) -> str:
        """The last fencing token given out: above the one before, and not below Redis's time in microseconds."""
        return self._named("fence")

    @property
    def attempts(self) -> str:
        """HASH, scope → claims since its last commit."""
        return self._named("attempts")

    @property
    def bells(self) -> str:
        """ZSET, doorbell → ms at which it counts as lost. Kept in partition 0 only."""
        return self._named("bells")

    @property
    def breaker(self) -> str:
        """HASH, what failed where since it last worked. Kept in partition 0 only; expires."""
        return self._named("breaker")

    @property
    def config(self) -> str:
        """HASH, what the workers set: limits and the format number."""
        return self._named("config")

    @property
    def counters(self) -> str:
        """HASH, name → figure for status; `error`, `error_at` (ms) and `error_scope` are of the last failure."""
        return self._named("counters")

    @property
    def aside(self) -> str:
        """ZSET, scope that has parked turns → ms since when."""
        return self._named("aside")

    @property
    def unserved(self) -> str:
        """ZSET, scope → ms at which what recall had served it was dropped: what was asked before stays out; expires.

        As `erased:<scope>` the ms at which it was erased: what was shown before stays out too.
        """
        return self._named("unserved")

    @property
    def sleep(self) -> str:
        """ZSET, scope that changed → ms at which it is due for sleep."""
        return self._named("sleep")

    @property
    def asleep(self) -> str:
        """ZSET, scope → ms at which whoever put it to bed counts as lost."""
        return self._named("asleep")

    @property
    def cut_short(self) -> str:
        """HASH, scope → how many of its nights in a row were lost with whoever slept."""
        return self._named("cut_short")

    @property
    def sleep_bells(self) -> str:
        """As `bells`, for sleep. Kept in partition 0 only."""
        return self._named("sleep_bells")

    @property
    def called(self) -> str:
        """How many scopes of `sleep` are still to be made due, because the calendar called; absent for none."""
        return self._named("called")

    def slot(self, name: str) -> str:
        """There once a slot of the calendar was called; expires."""
        return self._named(f"slot:{name}")

    @property
    def scopes(self) -> str:
        """What the keys of the partition's scopes begin with."""
        return self._named("")


@dataclass(frozen=True)
class ScopeKeys:
    """Keys of one scope. Only `parked` and what expires by itself outlive its last pending turn."""

    partition: int
    scope_key: str

    def _named(self, name: str) -> str:
        return f"slowwave:{{{self.partition}}}:{name}:{self.scope_key}"

    @property
    def turns(self) -> str:
        """LIST of pending turns in order of arrival, each `<ms of arrival> <JSON>`."""
        return self._named("turns")

    @property
    def meta(self) -> str:
        """HASH: tokens, first (ms), limit (turns per batch), hold (ms), flush (turns).

        For tickets since (ms), out (turns), and as `again:<turn id>` the place of what was parked and put back, or
        moved up where others were taken out.
        """
        return self._named("meta")

    @property
    def plan(self) -> str:
        """STRING: what the batch in flight has decided on."""
        return self._named("plan")

    @property
    def seen(self) -> str:
        """ZSET, turn id → ms of arrival, and a half where it was taken out again unread; expires."""
        return self._named("seen")

    @property
    def recent(self) -> str:
        """HASH, conversation → JSON list of its last turns; expires."""
        return self._named("recent")

    @property
    def spent(self) -> str:
        """HASH: day (since 1970, UTC), calls and tokens asked of models on it; expires."""
        return self._named("spent")

    @property
    def parked(self) -> str:
        """HASH, turn id → turn put aside, with the reason. Never expires."""
        return self._named("aside")

    @property
    def used(self) -> str:
        """HASH, memory id → times that recall served it since sleep counted them; expires."""
        return self._named("used")

    @property
    def served(self) -> str:
        """LIST of the last questions that recall answered, each `<ms> <digest> <JSON>`, the latest last; expires."""
        return self._named("served")

    @property
    def judged(self) -> str:
        """HASH, `useful:<memory id>` and `wrong:<memory id>` → how often somebody said so; expires."""
        return self._named("judged")

    @property
    def shown(self) -> str:
        """ZSET, digest of a conversation → ms at which recall showed something in it last; expires."""
        return self._named("shown")

    def shown_in(self, digest: str) -> str:
        """HASH, memory id → `<version> <ms>` in which it was shown in this conversation, and when; expires."""
        return f"{self.shown}:{digest}"
