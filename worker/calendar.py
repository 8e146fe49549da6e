"""Times of the calendar at which scopes are called to sleep, as Celery's beat keeps them."""

from datetime import datetime, timedelta, tzinfo
from typing import Any

from celery.schedules import ParseException, crontab

from worker.errors import Misconfigured

#: Minutes that the message of a beat may take; afterwards it is no longer about this slot.
LATE_MINUTES = 60
#: Minutes that the clock of a beat may be ahead of Redis's.
EARLY_MINUTES = 1


def cron_of(text: str) -> crontab:
    """Five fields as cron has them. Raises `Misconfigured` for anything else."""
    try:
        return crontab.from_string(" ".join(text.split()))
    except (ParseException, ValueError, TypeError, KeyError) as error:
        raise Misconfigured(
            f"SLOWWAVE_SLEEP_AT is {text!r} ({error}): write minute, hour, day of the month, month and day of the week,"
            " such as 0 3 * * *"
        ) from error


def slot_of(cron: crontab, now: datetime, zone: tzinfo) -> str:
    """The time by the wall clock that a beat has just rung for: the same for all beats, whoever hears them when.

    An hour that comes twice is one. Where none fits, the clock may not have had it: this minute.
    """
    minute = now.replace(second=0, microsecond=0)
    for back in range(-EARLY_MINUTES, LATE_MINUTES + 1):
        local = (minute - timedelta(minutes=back)).astimezone(zone)
        if _is_in(cron, local):
            return f"{local:%Y-%m-%dT%H:%M}"
    return f"{minute.astimezone(zone):%Y-%m-%dT%H:%M}"


def _is_in(cron: Any, local: datetime) -> bool:
    return (
        local.minute in cron.minute
        and local.hour in cron.hour
        and local.day in cron.day_of_month
        and local.month in cron.month_of_year
        and local.isoweekday() % 7 in cron.day_of_week
    )
