"""How a memory came to be what it is, as far as it may be shown."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from schemas.memory import Archive, Memory
from schemas.scope import Scope
from worker.core.forgetting.hidden import Veil
from worker.core.ports import Reader
from worker.core.sleeping.note import read_note
from worker.errors import Misconfigured, NotFound
from worker.interfaces.versions import newest_first
from worker.recall import veil_of


@dataclass(frozen=True)
class History:
    """A memory's live record, if it still has one, and what came before, newest first."""

    id: UUID
    live: Memory | None
    archives: tuple[Archive, ...]
    veil: Veil
    #: What was archived until then is past its retention; null where nothing was ever removed for that.
    removed_until: datetime | None = None

    @property
    def removed(self) -> int:
        """Its own versions before the earliest that is here, where retention may have removed them."""
        own = (one.memory.version for one in self.archives if one.memory.id == self.id)
        first = min(own, default=self.live.version if self.live else 1)
        return first - 1 if self.removed_until else 0


def history_of(store: Reader, scope: Scope, id: UUID, named: str = "") -> History:
    """Reads no more of the scope than this memory; `named` is what the caller called it. Raises `NotFound`."""
    veil = veil_of(store, scope)
    live = next((record.memory for record in store.memories(scope, [id])), None)
    before = veil.archives(record.archive for record in store.archives(scope, id))
    if live is None and not before:
        raise NotFound(
            f"memory {named or id} is not found in this scope: `slowwave memories` lists what is there"
        )
    return History(id, live, newest_first(before), veil, _removed_until(store, scope))


def _removed_until(store: Reader, scope: Scope) -> datetime | None:
    """Unless a newer slowwave wrote it down: history can be read all the same."""
    try:
        return read_note(store.about(scope).sleep, scope).removed_until
    except Misconfigured:
        return None
