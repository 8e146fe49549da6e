"""After a night: when the next one is. Before one: since when it has been waited for."""

from dataclasses import replace
from datetime import datetime, timedelta

from schemas.scope import Scope
from worker.core.failing.budget import Budget, wait_seconds
from worker.core.sleeping.again import SOON, Ageing, Bedtime, after_night
from worker.core.sleeping.note import NIGHT, read_note
from worker.core.sleeping.report import Report
from worker.core.sleeping.share import used_up
from worker.direct.nights import Working
from worker.direct.passes import Doing, passes_of
from worker.direct.seeing import Seeing
from worker.parts import Parts


def next_bedtime(parts: Parts, report: Report, slept_at: datetime) -> Bedtime:
    """When the scope is due again. Nothing that changed meanwhile is counted: whoever changed it has said so.

    Raises what the store raises.
    """
    if report.stopped is None:
        return _in_time(parts, report.scope, slept_at)
    again = _once_the_budget_is_new(parts, report.scope)
    if again is None:
        return SOON
    # What asks nobody does not wait for it.
    moments = filter(None, (again.at, _in_time(parts, report.scope, slept_at).at))
    return replace(again, at=min(moments, default=None))


def unslept_since(parts: Parts, scope: Scope, now: datetime) -> datetime | None:
    """When the oldest change was made that a pass has still to look at; null where there is none.

    Raises what the store raises.
    """
    note = Working(parts, scope, now).note()
    seeing = Seeing(parts, scope, now, parts.store, came=note.imports)
    going = (one.going for one in passes_of(parts.settings) if isinstance(one, Doing))
    due = (one for it in going if it.name == "tidy" for one in it.due(seeing.night(it, note)))
    return min((one.place[0] for one in due), default=None)


def _in_time(parts: Parts, scope: Scope, slept_at: datetime) -> Bedtime:
    settings, store = parts.settings, parts.store
    fades, keeps = ("forget" in settings.sleep_passes, "retention" in settings.sleep_passes)
    ageing = Ageing(
        forgotten=timedelta(days=settings.forget_grace_days),
        fades=timedelta(days=settings.sleep_forget_days) if fades else None,
        archives=timedelta(days=settings.sleep_keep_archives_days) if keeps else None,
    )
    archives = store.archives(scope) if keeps else store.forgotten(scope)
    live = (one.memory for one in store.memories(scope))
    return after_night(live, (one.archive for one in archives), ageing, slept_at)


def _once_the_budget_is_new(parts: Parts, scope: Scope) -> Bedtime | None:
    """Nothing where it is not used up."""
    settings = parts.settings
    night = read_note(parts.store.about(scope).sleep, scope).night
    if night and used_up(night, Budget(settings.sleep_max_calls, settings.sleep_max_tokens)):
        return Bedtime(at=night.began_at + NIGHT)
    days = Budget(settings.daily_calls, settings.daily_tokens)
    if days.is_limited and (left := wait_seconds(parts.spending.spent(scope.key), days)):
        return Bedtime(after_seconds=left)
    return None
