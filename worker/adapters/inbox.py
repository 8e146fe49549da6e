"""The turns that wait, and whose turn it is: Redis through small scripts, each atomic and in one slot.

Redis's own `TIME` is the only clock. A scope with pending turns is either in `due` or in `busy`; a claim
moves it over and gives out a fencing token, without which nothing in the scope changes.
"""

import time
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from uuid import UUID

from redis import Redis
from redis.exceptions import ResponseError

from schemas.keys import PARTITIONS, PartitionKeys, ScopeKeys, partition_of
from schemas.limits import Limits
from schemas.plan import Change, Held
from schemas.tokens import estimate
from schemas.turn import Turn
from worker.adapters.breaker import Breaker
from worker.adapters.claim import Claim
from worker.adapters.clearing import Clearing, Queued
from worker.adapters.entries import Entry, Parked, Unreadable
from worker.adapters.figures import Status, read_status
from worker.adapters.parking import Parking
from worker.adapters.partitions import by_age
from worker.adapters.pending import pending_entries
from worker.adapters.recent import Recent
from worker.adapters.redis_risks import risks
from worker.adapters.redis_server import reachable
from worker.adapters.scripts import Scripts
from worker.adapters.served import ServedLog
from worker.adapters.sleepers import Sleepers, times
from worker.adapters.stored_limits import due_figures, from_stored, to_stored
from worker.core.sleeping.again import NEVER, Bedtime
from worker.errors import Misconfigured

__all__ = ["Claim", "Inbox", "Seized"]

#: How long the last turns of a conversation are kept as context.
RECENT_SECONDS = 7 * 86_400

#: How much of an error is kept for `status`.
_REASON_CHARACTERS = 500

#: How long a server of our own may write its file anew, and what it says meanwhile.
_REWRITE_SECONDS = 30.0
_REWRITING = ("aof_rewrite_in_progress", "aof_rewrite_scheduled")

#: Scopes that one script call of `flush` looks at.
_FLUSH_PORTION = 500


@dataclass(frozen=True)
class Seized:
    """A scope that was taken, whoever held it."""

    claim: Claim
    #: Whether another held it until then: a store call of its may still be under way.
    was_held: bool
    #: Turns that waited then.
    waiting: int


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
        self._recent = Recent(client, context_turns)
        self._limits = Limits()
        self._scripts = Scripts(client)
        self._clearing = Clearing(client, self._recent)
        self._breaker = Breaker(client)
        #: What was put aside.
        self.parking = Parking(client, partitions)
        #: What recall has served.
        self.served = ServedLog(client, partitions)
        #: Who is due for sleep.
        self.sleepers = Sleepers(client, partitions, lease_seconds)

    def configure(self, limits: Limits, *, replace: bool = True) -> None:
        """Store the limits for every publisher; without `replace` only where none are stored.

        Raises `Misconfigured` for another number of partitions. A full Redis takes it as well.
        """
        stored = self._scripts.run("partitions", [PARTITIONS], [len(self._partitions)])
        self._refuse_another(stored)
        arguments = [int(replace), *(text for pair in to_stored(limits).items() for text in pair)]
        for keys in self._partitions:
            self._scripts.run("configure", [keys.config], arguments)
        self._limits = limits

    def stored_limits(self) -> Limits | None:
        """What publishers go by; nothing where no worker has stored all of it yet."""
        with reachable():
            stored = self._redis.hmget(self._partitions[0].config, list(to_stored(self._limits)))
        return None if None in stored else from_stored([int(_bytes(value)) for value in stored])

    def check(self) -> list[str]:
        """Warnings. Raises `Misconfigured` as `risks`, and for another number of partitions than is stored."""
        warnings = risks(self._redis)
        self._refuse_other_partitions()
        return warnings

    def claim(self) -> Claim | None:
        """The scope that has been due longest; nothing if none is due.

        Scopes whose worker fell silent go back to the line first.
        """
        batch_turns, batch_tokens, _, max_wait_ms = due_figures(self._limits)
        for keys in by_age(self._redis, self._partitions, lambda keys: (keys.due, keys.busy)):
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
                [keys.scopes, self._lease_ms, batch_turns, batch_tokens, max_wait_ms],
            )
            if found:
                scope, fence, attempt, most, misses = found
                return Claim(
                    scope_key=scope.decode(),
                    partition=keys.partition,
                    fence=fence,
                    attempt=attempt,
                    batch_turns=most,
                    misses=misses,
                )
        return None

    def claim_scope(self, scope_key: str) -> Claim | None:
        """One scope, due or not, for a direct write; nothing while another holds it. `release` ends it."""
        shared = PartitionKeys(self._keys(scope_key).partition)
        keys = [shared.due, shared.busy, shared.lease, shared.fence, shared.attempts]
        found = self._scripts.run("claim_scope", keys, [scope_key, self._lease_ms])
        if not found:
            return None
        fence, attempt = found
        return Claim(
            scope_key=scope_key,
            partition=shared.partition,
            fence=fence,
            attempt=attempt,
            batch_turns=self._limits.batch_turns,
        )

    def seize(self, scope_key: str) -> Seized:
        """One scope, even from another's hands: whatever that one still does is refused. `release` ends it.

        Its turns stay, and use up no attempt because of this.
        """
        own = self._keys(scope_key)
        shared = PartitionKeys(own.partition)
        keys = [own.turns, shared.due, shared.busy, shared.lease, shared.fence, shared.attempts]
        fence, attempt, held, waiting = self._scripts.run(
            "seize", keys, [scope_key, self._lease_ms]
        )
        claim = Claim(
            scope_key=scope_key,
            partition=shared.partition,
            fence=fence,
            attempt=attempt,
            batch_turns=self._limits.batch_turns,
        )
        return Seized(claim, bool(held), waiting)

    def release(self, claim: Claim, settled: Sequence[str] = ()) -> None:
        """End a lease that took no turns; these parked ones are settled now. Raises `LeaseLost`."""
        own, shared = claim.own, claim.shared
        keys = [own.turns, own.meta, own.parked, shared.lease, shared.busy, shared.due]
        keys += [shared.attempts, shared.counters, shared.aside]
        claim.fenced(self._scripts.run("release", keys, [claim.scope_key, claim.fence, *settled]))

    def turns(self, claim: Claim) -> list[Turn]:
        """The first `batch_turns` pending turns, up to one that cannot be read.

        Raises `Unreadable` if that one is the first: `park(claim, 1, …)` puts it aside.
        """
        entries = pending_entries(self._redis, claim.own, claim.batch_turns)
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
        recent = self._recent.turns(claim.own, list(dict.fromkeys(conversations)))
        return tuple(turn for turns in recent.values() for turn in turns)

    def kept_plan(self, claim: Claim) -> str | None:
        """What a predecessor decided and may have begun to apply."""
        with reachable():
            kept = _bytes(self._redis.get(claim.own.plan))
        return kept.decode() if kept else None

    def keep_plan(self, claim: Claim, payload: str) -> None:
        """Raises `LeaseLost` if the scope is another's by now."""
        keys = [claim.shared.lease, claim.own.plan]
        claim.fenced(self._scripts.run("save_plan", keys, [claim.scope_key, claim.fence, payload]))

    def renew(self, claim: Claim) -> None:
        """Raises `LeaseLost` if the scope is another's by now."""
        keys = [claim.shared.lease, claim.shared.busy]
        claim.fenced(
            self._scripts.run("renew", keys, [claim.scope_key, claim.fence, self._lease_ms])
        )

    def commit(  # noqa: PLR0913 - what leaves, what becomes of it, and when the scope is to sleep
        self,
        claim: Claim,
        count: int,
        tokens: int,
        parked: Sequence[Held] = (),
        heard: Collection[UUID] | None = None,
        *,
        bedtime: Bedtime = NEVER,
    ) -> None:
        """The first `count` turns (of `tokens` estimated tokens) leave the inbox; the lease ends.

        Only those that were `heard` are kept as context of their conversations; null: all that are not parked. The
        scope is due for sleep at its `bedtime`, or earlier if it was. Raises `LeaseLost` if the scope is another's by
        now; then nothing has changed.
        """
        held = {str(one.turn_id): one for one in parked}
        entries = pending_entries(self._redis, claim.own, count)
        aside = [
            _Aside(entry, held[entry.id].reason, held[entry.id].proposal)
            for entry in entries
            if entry.id in held
        ]
        settled = [entry.turn for entry in entries if entry.turn and entry.id not in held]
        kept = [turn for turn in settled if heard is None or turn.id in heard]
        self._settle(claim, _Outgoing(count, tokens, aside, kept, bedtime))

    def park(self, claim: Claim, count: int, reason: str) -> None:
        """Put the first `count` turns aside; the lease ends, the rest goes on. Raises `LeaseLost`."""
        entries = pending_entries(self._redis, claim.own, count)
        tokens = sum(estimate(entry.turn.text) for entry in entries if entry.turn)
        self._settle(claim, _Outgoing(count, tokens, [_Aside(one, reason) for one in entries], []))

    def fail(
        self,
        claim: Claim,
        backoff_seconds: float,
        *,
        burn: bool,
        halve: bool = False,
        reason: str = "",
    ) -> None:
        """End the lease without a commit. Without `burn` the attempt is given back. Raises `LeaseLost`.

        What burns, and what is to `halve`, comes back in a batch half as large. A `reason` is the last error that
        `status` shows.
        """
        own, shared = claim.own, claim.shared
        keys = [own.turns, own.meta, own.plan, shared.lease, shared.busy, shared.due]
        keys += [shared.attempts, shared.config, shared.counters]
        backoff_ms = round(backoff_seconds * 1000)
        done = self._scripts.run(
            "fail",
            keys,
            [
                *(claim.scope_key, claim.fence, backoff_ms, int(burn), self._limits.batch_turns),
                *(reason[:_REASON_CHARACTERS], int(halve)),
            ],
        )
        claim.fenced(done)

    def unsee(self, scope_key: str, turn_ids: Collection[UUID]) -> None:
        """These turns may be published again."""
        self._clearing.unsee(self._keys(scope_key), turn_ids)

    def drop_turns(self, claim: Claim, ids: Collection[UUID]) -> int:
        """These leave the pending turns unread, and may not be published again; how many. Raises `LeaseLost`.

        A plan that was kept goes with them: call it once that is finished. Their tickets answer `unknown`.
        """
        return self._clearing.drop_turns(claim, frozenset(ids), self._seen_ms)

    def drop_recent(self, claim: Claim, ids: Collection[UUID]) -> int:
        """These leave what is kept as context of their conversations; how many. Raises `LeaseLost`."""
        return self._clearing.drop_recent(claim, frozenset(ids))

    def evict(self, claim: Claim, waiting: int, until: datetime) -> Queued:
        """Everything of the scope goes, but no lease: the first `waiting` turns, and what was said by then.

        What came in since and was said later stays. Raises `LeaseLost`; called again it finds what is left.
        """
        return self._clearing.evict(claim, waiting, until, self._seen_ms)

    def ring(self, bells: Sequence[str], ttl_seconds: float, max_out: int) -> int:
        """How many of these doorbells to send: as many as there is work that none is out for."""
        first, *others = self._partitions
        elsewhere = sum(self._scripts.run("ready", [keys.due, keys.busy], []) for keys in others)
        arguments = [elsewhere, round(ttl_seconds * 1000), max_out, *bells]
        return int(self._scripts.run("ring", [first.due, first.busy, first.bells], arguments))

    def ready(self, for_seconds: float = 0) -> int:
        """Scopes that a claim could take now, and could have taken for so long already."""
        wait = [round(for_seconds * 1000)]
        keys = ([one.due, one.busy] for one in self._partitions)
        return sum(self._scripts.run("ready", each, wait) for each in keys)

    def answered(self, bell: str) -> None:
        """The doorbell arrived: another may ring."""
        with reachable():
            self._redis.zrem(self._partitions[0].bells, bell)

    def flush(self, scope_key: str | None = None, *, backing_off: bool = False) -> None:
        """Make a scope due now, or every one that waits for quiet, with all turns that it has by now.

        Of all those that back off after a failure stay so, unless `backing_off`.
        """
        if scope_key is None:
            for keys in self._partitions:
                self._flush_all(keys, backing_off=backing_off)
        else:
            own = self._keys(scope_key)
            shared = PartitionKeys(own.partition)
            self._scripts.run("flush", [own.turns, own.meta, shared.due, shared.busy], [scope_key])

    def pending(self, scope_key: str) -> list[Turn]:
        """All turns that wait, in order of arrival; a payload that cannot be read is left out."""
        entries = pending_entries(self._redis, self._keys(scope_key))
        return [entry.turn for entry in entries if entry.turn]

    def waiting(self, scope_key: str) -> int:
        """Turns of the scope in the inbox, those of a batch that is being worked on among them."""
        with reachable():
            return int(self._redis.llen(self._keys(scope_key).turns))

    def queued(self, scope_key: str) -> Queued:
        """How much there is of the scope, each figure of its own moment."""
        return self._clearing.queued(self._keys(scope_key))

    def now(self) -> datetime:
        """By Redis's clock, which all share: a process whose own is wrong must not say until when things were said."""
        with reachable():
            seconds, micros = self._redis.time()
        return datetime.fromtimestamp(seconds, UTC) + timedelta(microseconds=micros)

    def rewrite_log(self) -> None:
        """Have Redis write its append-only file anew, without what was deleted, and wait for it: 30 s at most.

        For a server of our own, which may stop with this process and would give the rewriting up: one that others share
        is rewritten when whoever runs it says so.
        """
        until = time.monotonic() + _REWRITE_SECONDS
        with reachable(), suppress(ResponseError):
            # One that has begun may hold what was deleted since.
            self._wait_for_rewrite(until)
            self._redis.bgrewriteaof()
            self._wait_for_rewrite(until)

    def _wait_for_rewrite(self, until: float) -> None:
        while any(self._redis.info("persistence")[name] for name in _REWRITING):
            if time.monotonic() > until:
                return
            time.sleep(0.02)

    def recent_turns(self, scope_key: str) -> list[Turn]:
        """All that is kept as context, of every conversation, texts cut to 2,000."""
        kept = self._recent.all_of(self._keys(scope_key))
        return [turn for turns in kept.values() for turn in turns]

    def parked(self, scope_key: str) -> list[Parked]:
        """What was put aside, oldest first."""
        return [letter.parked for letter in self.parking.letters(scope_key)]

    def status(self) -> Status:
        """Each partition's figures are of one moment. Raises `Misconfigured` for another number of partitions."""
        self._refuse_other_partitions()
        return read_status(self._scripts, self._partitions, self._breaker.resting())

    def idle(self) -> bool:
        """Nothing is due, waiting or being worked on."""
        return self.status().pending_scopes == 0

    @property
    def _lease_ms(self) -> int:
        return round(self.lease_seconds * 1000)

    @property
    def _seen_ms(self) -> int:
        return self._limits.seen_seconds * 1000

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

    def _settle(self, claim: Claim, outgoing: "_Outgoing") -> None:
        own, shared = claim.own, claim.shared
        now = datetime.now(UTC)
        aside = [text for one in outgoing.aside for text in one.texts(claim.attempt, now)]
        recent = self._recent.after(own, outgoing.settled)
        pairs = [text for pair in recent.kept.items() for text in pair]
        keys = [own.turns, own.meta, own.plan, own.recent, own.parked, shared.lease, shared.busy]
        keys += [shared.due, shared.attempts, shared.config, shared.counters, shared.aside]
        keys += [shared.sleep]
        arguments: list[str | int] = [claim.scope_key, claim.fence, outgoing.count, outgoing.tokens]
        arguments += [*due_figures(self._limits), RECENT_SECONDS * 1000, *times(outgoing.bedtime)]
        for texts in (aside, pairs, recent.outdated):
            arguments += [len(texts), *texts]
        claim.fenced(self._scripts.run("commit", keys, arguments))

    def _flush_all(self, keys: PartitionKeys, *, backing_off: bool) -> None:
        stayed = 0
        while True:
            looked_at, stay = self._scripts.run(
                "flush_all",
                [keys.due, keys.busy],
                [keys.scopes, stayed, _FLUSH_PORTION, int(backing_off)],
            )
            stayed += stay
            if looked_at < _FLUSH_PORTION:
                return


@dataclass(frozen=True)
class _Aside:
    """An entry that is parked, and why."""

    entry: Entry
    reason: str
    proposal: tuple[Change, ...] = ()

    def texts(self, attempt: int, now: datetime) -> tuple[str, str]:
        """Its id, and itself as it is kept."""
        kept = self.entry.aside(self.reason, attempt, now, self.proposal)
        return self.entry.parked_id, kept


@dataclass(frozen=True)
class _Outgoing:
    """The first turns of a scope on their way out."""

    count: int
    tokens: int
    aside: list[_Aside]
    settled: list[Turn]
    bedtime: Bedtime = NEVER


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else b""
