"""Which words that were shown stand no longer, as far as they may be told."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from uuid import UUID

from schemas.memory import Archive, Memory, Reason
from worker.core.current import current
from worker.core.forgetting.hidden import version_of
from worker.core.recalling.answer import Outdated

#: Reasons of a snapshot that say of its words that they hold no more. What was merged is said by another memory, what
#: faded was not found wrong, and of what was forgotten nobody is told.
WRONG: frozenset[Reason] = frozenset({"superseded", "expired", "late", "undone"})


def outdated(
    shown: Mapping[UUID, int],
    changed: Iterable[UUID],
    archives: Iterable[Archive],
    live: Iterable[Memory],
    now: datetime,
) -> tuple[Outdated, ...]:
    """Of the memories that were shown and have changed since, the versions shown, by when they ceased to stand.

    `archives` are those that may be shown, `live` what is stored of these memories, lapsed or not.
    """
    asked = {(id, shown[id]) for id in changed}
    found = {
        one.id: Outdated(one.memory, one.archived_at)
        for one in archives
        if version_of(one) in asked and one.reason in WRONG
    }
    lapsed = [
        Outdated(one, one.until)
        for one in live
        if (one.id, one.version) in asked and one.until and current(one, now) is None
    ]
    return tuple(sorted([*found.values(), *lapsed], key=lambda one: (one.at, one.memory.id.int)))
