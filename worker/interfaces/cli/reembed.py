"""`slowwave reembed`: another embedder for a store that has memories."""

from collections.abc import Sequence
from datetime import UTC, datetime

from schemas.scope import Scope
from worker.direct.holding import holding
from worker.errors import Retryable, Unavailable
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.opening import adopting
from worker.interfaces.cli.options import AsJson
from worker.interfaces.cli.output import answers, emit, plain, progress
from worker.parts import Parts


def reembed(as_json: AsJson = False) -> None:
    """Give the store to the embedder of the settings and make all vectors anew.

    Scope by scope, each under its lease: reading goes on meanwhile, by words alone where a scope's turn has not come
    yet, and so does publishing. Stopped half-way, run it again for the rest; a worker with these settings also
    changes over whatever scope it claims. Workers that still have the old embedder refuse to write what was changed.
    """
    with adopting() as parts:
        old = [scope for scope in parts.store.scopes() if _is_old(parts, scope)]
        waiting = _change_over(parts, old)
    done = len(old) - len(waiting)
    if as_json:
        emit({"embedder": parts.embedder.fingerprint, "changed": done, "left": len(waiting)})
    else:
        answers().print(plain(f"{done} scopes are {parts.embedder.fingerprint}'s now"))
    if waiting:
        raise Failed(
            f"{len(waiting)} scopes were held by workers for too long: run `slowwave reembed` again for them"
        )


def _is_old(parts: Parts, scope: Scope) -> bool:
    return parts.store.about(scope).embedder != parts.embedder.fingerprint


def _change_over(parts: Parts, scopes: Sequence[Scope]) -> list[Scope]:
    """Those that a worker would not let go of. Whoever holds a scope brings it under our embedder first."""
    waiting = []
    with progress() as bar:
        task = bar.add_task("scopes", total=len(scopes))
        for scope in scopes:
            try:
                with holding(parts, scope, datetime.now(UTC)):
                    bar.advance(task)
            except Unavailable:
                raise
            except Retryable:
                waiting.append(scope)
    return waiting
