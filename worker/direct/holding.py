"""The lease of a scope for one direct act."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime

from schemas.scope import Scope
from worker.adapters.inbox import Claim, Seized
from worker.adapters.lease import Lease
from worker.core.planning.kept import Kept
from worker.errors import NoRoom, PlanConflict, Retryable, SlowwaveError, Unprocessable
from worker.hands import HANDS
from worker.parts import Parts
from worker.pipeline import consolidate, give_up, kept_by, ready

#: How long a batch that is being worked on is waited for, and how often it is looked whether it has ended.
WAIT_SECONDS = 10.0
POLL_SECONDS = 0.05


@dataclass
class Holding:
    """A scope in hand. What is `settled`, ids of parked turns, leaves with the lease."""

    claim: Claim
    lease: Lease
    settled: list[str] = field(default_factory=list)
    #: Vectors that were another embedder's, and were made anew first.
    made_anew: int = 0

    def settle(self, ids: Sequence[str]) -> None:
        self.settled += ids


@contextmanager
def holding(
    parts: Parts, scope: Scope, now: datetime, *, seize: bool = False, makes_room: bool = True
) -> Iterator[Holding]:
    """Claim the scope, finish what a crash left half done, or put it aside, and let it go afterwards.

    With `seize` it is taken as by `seized`. Without, raises `Retryable` while a worker holds it for longer than
    `WAIT_SECONDS`; then nothing was done. Unless it `makes_room`, raises `NoRoom` for a scope that has none.
    """
    claim = _with_nothing_kept(parts, scope.key, now, seize=seize)
    with (
        HANDS.holding(parts.inbox, claim),
        let_go_on_failure(parts, claim),
        Lease(parts.inbox, claim) as lease,
    ):
        if not makes_room and not parts.store.about(scope).is_prepared:
            raise NoRoom(
                f"scope {scope.key} has no memories: it was erased, or none was ever stored"
            )
        held = Holding(claim, lease, made_anew=ready(parts, scope, lease, now))
        yield held
    parts.inbox.release(claim, held.settled)


@contextmanager
def let_go_on_failure(parts: Parts, claim: Claim) -> Iterator[None]:
    """Where something inside raises, the scope is free at once and not only when its lease runs out."""
    try:
        yield
    except BaseException:
        with suppress(SlowwaveError):
            parts.inbox.release(claim)
        raise


def seized(parts: Parts, scope_key: str) -> Seized:
    """Take the scope even from a worker that is at work on it; its batch stays in the inbox, for later.

    Then waits, a third of a lease, until what that worker has sent to the store has arrived or was given up: no store
    call takes longer, and it begins no other.
    """
    taken = parts.inbox.seize(scope_key)
    with let_go_on_failure(parts, taken.claim):
        if taken.was_held:
            time.sleep(parts.inbox.lease_seconds / 3)
    return taken


def _with_nothing_kept(parts: Parts, scope_key: str, now: datetime, *, seize: bool) -> Claim:
    """The scope, once what a crash left is finished or put aside: either ends the claim that it was found under."""
    while True:
        claim = _taken(parts, scope_key, seize=seize)
        with let_go_on_failure(parts, claim):
            kept = kept_by(parts.inbox, claim)
            if kept is None:
                return claim
            _finish(parts, claim, kept, now)


def _finish(parts: Parts, claim: Claim, kept: Kept, now: datetime) -> None:
    """What cannot be finished is put aside, as by a worker: it must not stand in the way of every direct act."""
    try:
        consolidate(parts, claim, now)
    except Unprocessable as error:
        if not isinstance(error, PlanConflict):
            give_up(parts, claim)
        parts.inbox.park(claim, kept.count, str(error))


def _taken(parts: Parts, scope_key: str, *, seize: bool) -> Claim:
    return seized(parts, scope_key).claim if seize else _claimed(parts, scope_key)


def _claimed(parts: Parts, scope_key: str) -> Claim:
    until = time.monotonic() + WAIT_SECONDS
    while (claim := parts.inbox.claim_scope(scope_key)) is None:
        if time.monotonic() > until:
            raise Retryable(f"a worker holds scope {scope_key} just now: try again in a moment")
        time.sleep(POLL_SECONDS)
    return claim
