"""Everything of a scope goes, and nothing of it comes back."""

from dataclasses import asdict
from datetime import datetime

from schemas.base import AwareDatetime, Frozen
from schemas.scope import Scope
from worker.adapters.clearing import Queued
from worker.adapters.inbox import Seized
from worker.adapters.lease import Lease
from worker.core.ports import Erased
from worker.direct.holding import let_go_on_failure, seized
from worker.parts import Parts
from worker.purging import rewrite_own_log


class Contents(Frozen):
    """How much there is of a scope, by place: the store, then the queue."""

    memories: int = 0
    archives: int = 0
    runs: int = 0
    #: Turns that wait, and those that were put aside.
    pending: int = 0
    parked: int = 0
    #: Turn ids that are known, so that none is taken twice.
    seen: int = 0
    #: Turns that are kept as context for later ones.
    recent: int = 0
    #: Plans of a batch in flight.
    plans: int = 0
    #: Days for which it is counted what was asked of models.
    spent: int = 0
    #: Questions that recall has answered, kept to see that sleep loses no answer.
    served: int = 0


class Receipt(Frozen):
    """What was erased: figures and the key of the scope, never a name or a text."""

    scope_key: str
    #: What was said until then does not come back.
    erased_at: AwareDatetime
    gone: Contents


def contents(parts: Parts, scope: Scope) -> Contents:
    """What `erase` would find just now. Reads all archives and runs."""
    store = parts.store
    held = Erased(
        memories=store.count(scope),
        archives=sum(1 for _ in store.archives(scope)),
        runs=sum(1 for _ in store.runs(scope)),
    )
    return _together(held, parts.inbox.queued(scope.key), parts.inbox.served.kept(scope.key))


def erase(parts: Parts, scope: Scope, now: datetime) -> Receipt:
    """Remove the scope from the queue and the store. A worker that is at work on it is fenced out and waited for first.

    `now` is best Redis's (`Inbox.now`): a clock that is ahead keeps out what people go on saying. What is published
    meanwhile and was said after it is learned as the first of a new memory. Called again, also
    after a crash or an error in between, it removes what is left. Raises `LeaseLost` where another call takes over.

    The embedded Redis writes its file anew afterwards; any other keeps what was deleted until its own next rewrite.
    """
    taken = seized(parts, scope.key)
    with let_go_on_failure(parts, taken.claim):
        gone = _erased(parts, scope, taken, now)
    parts.inbox.release(taken.claim)
    rewrite_own_log(parts)
    return Receipt(scope_key=scope.key, erased_at=now, gone=gone)


def _erased(parts: Parts, scope: Scope, taken: Seized, now: datetime) -> Contents:
    """The queue first: a kept plan, a parked turn or a context that outlived the store would bring something back.

    Until the store is done nothing is forgotten, from then on its mark keeps out what was said before.
    """
    with Lease(parts.inbox, taken.claim) as lease:
        queued = parts.inbox.evict(taken.claim, taken.waiting, now)
        served = parts.inbox.served.erase(scope.key)
        stored = parts.store.writer(scope, lease).erase(now)
        parts.breaker.forget(scope.key)
    return _together(stored, queued, served)


def _together(stored: Erased, queued: Queued, served: int) -> Contents:
    return Contents(**asdict(stored), **asdict(queued), served=served)
