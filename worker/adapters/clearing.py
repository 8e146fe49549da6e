"""What leaves the queue without having been consolidated: what was forgotten, and erased scopes."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from redis import Redis

from schemas.keys import ScopeKeys
from schemas.tokens import estimate
from schemas.turn import Turn
from worker.adapters.claim import Claim
from worker.adapters.entries import RECENT, Entry
from worker.adapters.pending import pending_entries
from worker.adapters.recent import Recent
from worker.adapters.redis_server import reachable
from worker.adapters.scripts import Scripts


@dataclass(frozen=True)
class Queued:
    """How much the queue holds of a scope, or held."""

    #: Turns that wait.
    pending: int = 0
    #: Turns that were put aside.
    parked: int = 0
    #: Turn ids that are known, so that none is taken twice.
    seen: int = 0
    #: Turns that are kept as context.
    recent: int = 0
    #: Plans kept for a batch in flight.
    plans: int = 0
    #: Days for which it is counted what was asked of models.
    spent: int = 0


class Clearing:
    """What takes a claim is fenced: it raises `LeaseLost`; every call may raise `Unavailable`."""

    def __init__(self, client: Redis, recent: Recent) -> None:
        self._redis = client
        self._recent = recent
        self._scripts = Scripts(client)

    def queued(self, keys: ScopeKeys) -> Queued:
        recent = sum(map(len, self._recent.all_of(keys).values()))
        with reachable():
            return Queued(
                pending=int(self._redis.llen(keys.turns)),
                parked=int(self._redis.hlen(keys.parked)),
                seen=int(self._redis.zcard(keys.seen)),
                recent=recent,
                plans=int(self._redis.exists(keys.plan)),
                spent=int(self._redis.exists(keys.spent)),
            )

    def unsee(self, keys: ScopeKeys, turn_ids: Collection[UUID]) -> None:
        if turn_ids:
            with reachable():
                self._redis.zrem(keys.seen, *map(str, turn_ids))

    def drop_turns(self, claim: Claim, ids: Collection[UUID], seen_ms: int) -> int:
        entries = pending_entries(self._redis, claim.own)
        parting = [at for at, one in enumerate(entries) if one.turn and one.turn.id in ids]
        return self._drop(claim, entries, parting, seen_ms)

    def drop_recent(self, claim: Claim, ids: Collection[UUID]) -> int:
        kept = self._recent.all_of(claim.own)
        left = {name: _without(turns, ids) for name, turns in kept.items()}
        changed = {name: turns for name, turns in left.items() if len(turns) < len(kept[name])}
        pairs = [text for name, turns in changed.items() for text in (name, _kept(turns))]
        keys = [claim.own.recent, claim.shared.lease]
        claim.fenced(self._scripts.run("drop_recent", keys, [claim.scope_key, claim.fence, *pairs]))
        return sum(len(kept[name]) - len(turns) for name, turns in changed.items())

    def evict(self, claim: Claim, waiting: int, until: datetime, seen_ms: int) -> Queued:
        entries = pending_entries(self._redis, claim.own)
        stay = [at for at, one in enumerate(entries) if at >= waiting and _is_later(one, until)]
        parting = sorted({*range(len(entries))} - {*stay})
        before = self.queued(claim.own)
        pending = self._drop(claim, entries, parting, seen_ms)
        own, shared = claim.own, claim.shared
        keys = [own.plan, own.seen, own.recent, own.spent, own.parked, shared.lease]
        keys += [shared.attempts, shared.counters, shared.aside, shared.config]
        keys += [shared.sleep, shared.asleep, shared.cut_short]
        ids = [entries[at].id for at in stay]
        gone = self._scripts.run("evict", keys, [claim.scope_key, claim.fence, seen_ms, *ids])
        claim.fenced(gone)
        seen, spent, parked = gone
        return Queued(pending, parked, seen, before.recent, before.plans, spent)

    def _drop(
        self, claim: Claim, entries: Sequence[Entry], parting: Sequence[int], seen_ms: int
    ) -> int:
        """Entries by their places: they hold as long as the lease does, since only its holder takes any out."""
        own, shared = claim.own, claim.shared
        keys = [own.turns, own.meta, own.plan, own.seen, shared.lease, shared.attempts]
        keys += [shared.counters, shared.config]
        arguments: list[str | int] = [claim.scope_key, claim.fence, seen_ms, len(parting)]
        for at in parting:
            turn = entries[at].turn
            arguments += [at, entries[at].id, estimate(turn.text) if turn else 0]
        arguments += [one.id for one in entries[: parting[-1]]] if parting else []
        gone = self._scripts.run("drop_turns", keys, arguments)
        claim.fenced(gone)
        return int(gone[0])


def _is_later(entry: Entry, until: datetime) -> bool:
    return entry.turn is not None and entry.turn.said_at > until


def _without(turns: Sequence[Turn], ids: Collection[UUID]) -> tuple[Turn, ...]:
    return tuple(turn for turn in turns if turn.id not in ids)


def _kept(turns: tuple[Turn, ...]) -> str:
    """As it is kept; empty for a conversation of which nothing is left."""
    return RECENT.dump_json(turns).decode() if turns else ""
