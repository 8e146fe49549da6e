"""The turns that wait, and whose turn it is: Redis through small scripts, each atomic and in one slot.

Redis's own `TIME` is the only clock. A scope with pending turns is either in `due` or in `busy`; a claim
moves it over and gives out a fencing token, without which nothing in the scope changes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import takewhile
from typing import Any

from redis import Redis

from schemas.base import FORMAT, Frozen
from schemas.keys import PARTITIONS, PartitionKeys, ScopeKeys, partition_of
from schemas.limits import Limits
from schemas.plan import Held
from schemas.tokens import estimate
from schemas.turn import Turn
from worker.adapters.entries import (
    RECENT,
    RECENT_CONVERSATIONS,
    Entry,
    Parked,
    Unreadable,
    outdated,
    recent_after,
)
from worker.adapters.redis_server import reachable, risks
from worker.adapters.scripts import Scripts
from worker.errors import LeaseLost, Misconfigured

#: How long the last turns of a conversation are kept as context.
RECENT_SECONDS = 7 * 86_400

#: Scopes that one script call of `flush` looks at.
_FLUSH_PORTION = 500


class Claim(Frozen):
    """A leased scope. The names behind the key stand in its turns."""

    scope_key: str
    partition: int
    #: Fencing token: grows with every claim.
    fence: int
    #: Claims since the scope's last commit, this one included; a crash counts.
    attempt: int
    #: Turns to take; halved with each failure, doubled with each commit.
    batch_turns: int


class Status(Frozen):
    """Figures of all partitions."""

    pending_turns: int
    #: Scopes with turns that wait or are being worked on.
    pending_scopes: int
    #: How long the scope that has been due longest waits already; 0 where none is due.
    oldest_ready_seconds: float
    busy: int
    parked: int
    #: Scopes that a claim could take now.
    ready: int


class Inbox:
    """Needs a client that answers in bytes (`connect`). Every call may raise `Unavailable`."""

    def __init__(
        self,
        client: Redis,
        partitions: int = 1,
        lease_seconds: float = 60.0,
        context_turns: int = 6,
    ) -> None:
        self._redis = client
        self._partitions = [PartitionKeys(at) for at in range(partitions)]
        self.lease_seconds = lease_seconds
        self._context_turns = context_turns
        self._limits = Limits()
        self._scripts = Scripts(client)

    def configure(self, limits: Limits, *, replace: bool = True) -> None:
        """Store the limits for every publisher; without `replace` only where none are stored.

        Raises `Misconfigured` for another number of partitions. A full Redis takes it as well.
        """
        stored = self._scripts.run("partitions", [PARTITIONS], [len(self._partitions)])
        self._refuse_another(stored)
        arguments = [int(replace), *(text for pair in _stored(limits).items() for text in pair)]
        for keys in self._partitions:
            self._scripts.run("configure", [keys.config], arguments)
        self._limits = limits

    def stored_limits(self) -> Limits | None:
        """What publishers go by; nothing where no worker has stored all of it yet."""
        with reachable():
            stored = self._redis.hmget(self._partitions[0].config, list(_stored(self._limits)))
        return None if None in stored else _limits([int(_bytes(value)) for value in stored])

    def check(self) -> list[str]:
        """Warnings. Raises `Misconfigured` as `risks`, and for another number of partitions than is stored."""
        warnings = risks(self._redis)
        self._refuse_other_partitions()
        return warnings

    def claim(self) -> Claim | None:
        """The scope that has been due longest; nothing if none is due.

        Scopes whose worker fell silent go back to the line first.
        """
        for keys in self._by_age():
            found = self._scripts.run(
                "claim",
                [
                    keys.due,
                    keys.busy,
                    keys.lease,
                    keys.fence,
                    keys.attempts,
                    keys.config,
                    keys.counters,
                ],
                [keys.scopes, self._lease_ms, self._limits.batch_turns],
            )
            if found:
                scope, fence, attempt, batch_turns = found
                return Claim(
                    scope_key=scope.decode(),
                    partition=keys.partition,
                    fence=fence,
                    attempt=attempt,
                    batch_turns=batch_turns,
                )
        return None

    def turns(self, claim: Claim) -> list[Turn]:
        """The first `batch_turns` pending turns, up to one that cannot be read.

        Raises `Unreadable` if that one is the first: `park(claim, 1, …)` puts it aside.
        """
        entries = self._entries(_own(claim), claim.batch_turns)
        if entries and entries[0].turn is None:
            raise Unreadable(
                f"the first pending payload of scope {claim.scope_key} {entries[0].fault}:"
                " no producer of this version published it"
            )
        return [entry.turn for entry in takewhile(lambda entry: entry.turn, entries) if entry.turn]

    def held(self, claim: Claim) -> int:
        """Turns that stand or fall together: those of `turns`, or one that cannot be read."""
        try:
            return len(self.turns(claim))
        except Unreadable:
            return 1

    def context(self, claim: Claim, conversations: Iterable[str]) -> tuple[Turn, ...]:
        """The last turns of these conversations that were committed, oldest first, texts cut to 2,000."""
        recent = self._recent(_own(claim), list(dict.fromkeys(conversations)))
        return tuple(turn for turns in recent.values() for turn in turns)

    def kept_plan(self, claim: Claim) -> str | None:
        """What a predecessor decided and may have begun to apply."""
        with reachable():
            kept = _bytes(self._redis.get(_own(claim).plan))
        return kept.decode() if kept else None

    def keep_plan(self, claim: Claim, payload: str) -> None:
        """Raises `LeaseLost` if the scope is another's by now."""
        keys = [_shared(claim).lease, _own(claim).plan]
        self._fenced(
            claim, self._scripts.run("save_plan", keys, [claim.scope_key, claim.fence, payload])
        )

    def renew(self, claim: Claim) -> None:
        """Raises `LeaseLost` if the scope is another's by now."""
        keys = [_shared(claim).lease, _shared(claim).busy]
        self._fenced(
            claim, self._scripts.run("renew", keys, [claim.scope_key, claim.fence, self._lease_ms])
        )

    def commit(self, claim: Claim, count: int, tokens: int, parked: Sequence[Held] = ()) -> None:
        """The first `count` turns (of `tokens` estimated tokens) leave the inbox; the lease ends.

        Raises `LeaseLost` if the scope is another's by now; then nothing has changed.
        """
        reasons = {str(held.turn_id): held.reason for held in parked}
        entries = self._entries(_own(claim), count)
        aside = [(entry, reasons[entry.id]) for entry in entries if entry.id in reasons]
        settled = [entry.turn for entry in entries if entry.turn and entry.id not in reasons]
        self._settle(claim, _Outgoing(count, tokens, aside, settled))

    def park(self, claim: Claim, count: int, reason: str) -> None:
        """Put the first `count` turns aside; the lease ends, the rest goes on. Raises `LeaseLost`."""
        entries = self._entries(_own(claim), count)
        tokens = sum(estimate(entry.turn.text) for entry in entries if entry.turn)
        self._settle(claim, _Outgoing(count, tokens, [(entry, reason) for entry in entries], []))

    def fail(self, claim: Claim, backoff_seconds: float, *, burn: bool) -> None:
        """End the lease without a commit. Without `burn` the attempt is given back. Raises `LeaseLost`."""
        own, shared = _own(claim), _shared(claim)
        keys = [own.turns, own.meta, own.plan, shared.lease, shared.busy, shared.due]
        keys += [shared.attempts, shared.config, shared.counters]
        backoff_ms = round(backoff_seconds * 1000)
        done = self._scripts.run(
            "fail",
            keys,
            [claim.scope_key, claim.fence, backoff_ms, int(burn), self._limits.batch_turns],
        )
        self._fenced(claim, done)

    def ring(self, bells: Sequence[str], ttl_seconds: float, max_out: int) -> int:
        """How many of these doorbells to send: as many as there is work that none is out for."""
        first, *others = self._partitions
        elsewhere = sum(self._scripts.run("ready", [keys.due, keys.busy], []) for keys in others)
        arguments = [elsewhere, round(ttl_seconds * 1000), max_out, *bells]
        return int(self._scripts.run("ring", [first.due, first.busy, first.bells], arguments))

    def answered(self, bell: str) -> None:
        """The doorbell arrived: another may ring."""
        with reachable():
            self._redis.zrem(self._partitions[0].bells, bell)

    def flush(self, scope_key: str | None = None) -> None:
        """Make a scope due now, or every one that waits for quiet, with all turns that it has by now."""
        if scope_key is None:
            for keys in self._partitions:
                self._flush_all(keys)
        else:
            own = self._keys(scope_key)
            shared = PartitionKeys(own.partition)
            self._scripts.run("flush", [own.turns, own.meta, shared.due, shared.busy], [scope_key])

    def pending(self, scope_key: str) -> list[Turn]:
        """All turns that wait, in order of arrival; a payload that cannot be read is left out."""
        entries = self._entries(self._keys(scope_key), None)
        return [entry.turn for entry in entries if entry.turn]

    def parked(self, scope_key: str) -> list[Parked]:
        """What was put aside, oldest first."""
        with reachable():
            items = self._redis.lrange(self._keys(scope_key).parked, 0, -1)
        return [Parked.model_validate_json(item) for item in items]

    def status(self) -> Status:
        """Each partition's figures are of one moment. Raises `Misconfigured` for another number of partitions."""
        self._refuse_other_partitions()
        figures = [
            self._scripts.run("status", [keys.due, keys.busy, keys.counters], [])
            for keys in self._partitions
        ]
        pending, parked, waiting, busy, ready, _ = map(sum, zip(*figures, strict=True))
        return Status(
            pending_turns=pending,
            pending_scopes=waiting + busy,
            oldest_ready_seconds=max(row[-1] for row in figures) / 1000,
            busy=busy,
            parked=parked,
            ready=ready,
        )

    def idle(self) -> bool:
        """Nothing is due, waiting or being worked on."""
        return self.status().pending_scopes == 0

    @property
    def _lease_ms(self) -> int:
        return round(self.lease_seconds * 1000)

    def _keys(self, scope_key: str) -> ScopeKeys:
        return ScopeKeys(partition_of(scope_key, len(self._partitions)), scope_key)

    def _refuse_other_partitions(self) -> None:
        with reachable():
            self._refuse_another(self._redis.get(PARTITIONS))

    def _refuse_another(self, stored: object) -> None:
        wanted = len(self._partitions)
        if stored is None or int(_bytes(stored)) == wanted:
            return
        number = _bytes(stored).decode()
        raise Misconfigured(
            f"Redis holds turns in {number} partitions, but SLOWWAVE_REDIS_PARTITIONS is {wanted}:"
            f" set it to {number}; to have {wanted}, stop the publishers, work off everything"
            f" (slowwave drain --all) and delete the key {PARTITIONS}"
        )

    def _fenced(self, claim: Claim, done: Any) -> None:
        if not done:
            raise LeaseLost(
                f"the lease on scope {claim.scope_key} (fence {claim.fence}) ran out:"
                " its work goes on elsewhere"
            )

    def _by_age(self) -> list[PartitionKeys]:
        """Partitions that have anything, the one that has been due longest first."""
        if len(self._partitions) == 1:
            return self._partitions
        with reachable():
            pipeline = self._redis.pipeline(transaction=False)
            for keys in self._partitions:
                pipeline.zrange(keys.due, 0, 0, withscores=True)
                pipeline.zrange(keys.busy, 0, 0, withscores=True)
            heads = pipeline.execute()
        ages = [
            (min(score for _, score in [*due, *busy]), keys.partition)
            for keys, due, busy in zip(self._partitions, heads[::2], heads[1::2], strict=True)
            if due or busy
        ]
        return [self._partitions[at] for _, at in sorted(ages)]

    def _entries(self, keys: ScopeKeys, count: int | None) -> list[Entry]:
        """The first pending elements, or all."""
        if count == 0:
            return []
        with reachable():
            found = self._redis.lrange(keys.turns, 0, -1 if count is None else count - 1)
        return [Entry.read(_bytes(element), keys.scope_key) for element in found]

    def _recent(self, keys: ScopeKeys, conversations: list[str]) -> dict[str, tuple[Turn, ...]]:
        if not conversations:
            return {}
        with reachable():
            kept = self._redis.hmget(keys.recent, conversations)
        return {
            conversation: RECENT.validate_json(turns) if turns else ()
            for conversation, turns in zip(conversations, kept, strict=True)
        }

    def _settle(self, claim: Claim, outgoing: "_Outgoing") -> None:
        own, shared = _own(claim), _shared(claim)
        now = datetime.now(UTC)
        aside = [entry.aside(reason, claim.attempt, now) for entry, reason in outgoing.aside]
        recent = self._recent_after(own, outgoing.settled)
        pairs = [text for pair in recent.items() for text in pair]
        keys = [own.turns, own.meta, own.plan, own.recent, own.parked, shared.lease, shared.busy]
        keys += [shared.due, shared.attempts, shared.config, shared.counters]
        arguments: list[str | int] = [claim.scope_key, claim.fence, outgoing.count, outgoing.tokens]
        arguments += [*_defaults(self._limits), RECENT_SECONDS * 1000]
        for texts in (aside, pairs, self._outdated(own, recent)):
            arguments += [len(texts), *texts]
        self._fenced(claim, self._scripts.run("commit", keys, arguments))

    def _recent_after(self, keys: ScopeKeys, settled: list[Turn]) -> dict[str, str]:
        if not self._context_turns:
            return {}
        heard = [turn for turn in settled if not turn.automated]
        before = self._recent(keys, list(dict.fromkeys(turn.conversation for turn in heard)))
        return recent_after(before, heard, self._context_turns)

    def _outdated(self, keys: ScopeKeys, renewed: Mapping[str, str]) -> list[str]:
        with reachable():
            if self._redis.hlen(keys.recent) + len(renewed) <= RECENT_CONVERSATIONS:
                return []
            kept = self._redis.hgetall(keys.recent)
        return outdated(
            {_bytes(name).decode(): RECENT.validate_json(turns) for name, turns in kept.items()},
            renewed,
        )

    def _flush_all(self, keys: PartitionKeys) -> None:
        stayed = 0
        while True:
            looked_at, stay = self._scripts.run(
                "flush_all", [keys.due, keys.busy], [keys.scopes, stayed, _FLUSH_PORTION]
            )
            stayed += stay
            if looked_at < _FLUSH_PORTION:
                return


@dataclass(frozen=True)
class _Outgoing:
    """The first turns of a scope on their way out."""

    count: int
    tokens: int
    aside: list[tuple[Entry, str]]
    settled: list[Turn]


def _own(claim: Claim) -> ScopeKeys:
    return ScopeKeys(claim.partition, claim.scope_key)


def _shared(claim: Claim) -> PartitionKeys:
    return PartitionKeys(claim.partition)


def _defaults(limits: Limits) -> list[int]:
    return [
        limits.batch_turns,
        limits.batch_tokens,
        round(limits.quiet_seconds * 1000),
        round(limits.max_wait_seconds * 1000),
    ]


def _stored(limits: Limits) -> Mapping[Any, int]:
    batch_turns, batch_tokens, quiet_ms, max_wait_ms = _defaults(limits)
    return {
        "v": FORMAT,
        "batch_turns": batch_turns,
        "batch_tokens": batch_tokens,
        "quiet_ms": quiet_ms,
        "max_wait_ms": max_wait_ms,
        "max_pending": limits.max_pending,
        "seen_ms": limits.seen_seconds * 1000,
    }


def _limits(stored: Sequence[int]) -> Limits:
    """The values of `_stored`, in its order."""
    _, batch_turns, batch_tokens, quiet_ms, max_wait_ms, max_pending, seen_ms = stored
    return Limits(
        batch_turns=batch_turns,
        batch_tokens=batch_tokens,
        quiet_seconds=quiet_ms / 1000,
        max_wait_seconds=max_wait_ms / 1000,
        max_pending=max_pending,
        seen_seconds=round(seen_ms / 1000),
    )


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else b""
