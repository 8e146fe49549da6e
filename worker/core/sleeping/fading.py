"""What may fade: volatile, said once, never recalled. Faded, it is archived like anything else, and can be restored."""

from calendar import monthrange
from datetime import UTC, datetime, timedelta

from schemas.memory import Memory, MemoryRecord
from schemas.plan import Retire
from worker.core.groups.merging import archived
from worker.core.groups.setting import Setting

#: Instructions hold until somebody says otherwise; kinds of a caller's own are the caller's to remove.
FADING = frozenset({"fact", "preference", "plan"})


def quiet_since(memory: Memory) -> datetime | None:
    """The last sign of life of what may fade: when it was said, confirmed or changed, or the day it speaks of.

    Null for what never fades. What has an end lapses by that, and by nothing else.
    """
    may_fade = (
        memory.volatile
        and memory.kind in FADING
        and memory.confirmations == 1
        and memory.uses == 0
        and memory.until is None
        and memory.flagged is None
        and not memory.pinned
    )
    if not may_fade:
        return None
    signs = [memory.said_at, memory.last_confirmed_at, memory.created_at, memory.updated_at]
    return max(*signs, _over(memory.happened_at)) if memory.happened_at else max(signs)


def _over(date: str) -> datetime:
    """When a partial date is over, in UTC. What is no day of the calendar is the nearest that is one."""
    year, month = _within(date[:4], 1, 9998), _within(date[5:7], 1, 12)
    day = _within(date[8:10], 1, monthrange(year, month)[1])
    return datetime(year, month, day, tzinfo=UTC) + timedelta(days=1)


def _within(digits: str, least: int, most: int) -> int:
    """What is not said is the latest."""
    return min(max(int(digits), least), most) if digits else most


def faded(setting: Setting, one: MemoryRecord) -> Retire:
    """Out of the live store; nothing takes its place."""
    since = quiet_since(one.memory)
    why = "volatile, said once and never recalled"
    why += f"; nothing was heard of it since {since:%Y-%m-%d}" if since else ""
    archive = archived(
        *(one.memory, one.vector),
        by=None,
        reason="faded",
        why=why,
        run=setting.run,
        now=setting.now,
    )
    return Retire(archive=archive, relation="update", why=why)
