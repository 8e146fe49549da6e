"""How long something said to be temporary lasts."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from worker.rules.moments import MONTH, NUMBERS, WEEKDAY, WEEKDAYS, month_number, number, shifted

SPAN = re.compile(
    r"\b(?:(?:for|over|during) (?:the next|the coming|another)|(?:the )?next"
    r"|(?:staying|visiting|here|there|away|abroad|off|on leave|in [A-Z]\w+)(?: [\w']+){0,4}? for)"
    rf" (?P<count>\d{{1,3}}|{'|'.join(NUMBERS)}) (?P<unit>day|week|month)s?\b",
    re.IGNORECASE,
)
THIS = re.compile(r"\bthis (?P<unit>week|month)\b|\b(?:only|just) (?:for )?today\b", re.IGNORECASE)
UNTIL = re.compile(r"\b(?:until|till|'til)\s+(?P<end>.+)$", re.IGNORECASE)
VAGUE = re.compile(
    r"\bfor (?:now|the moment|the time being|a while|a bit|the next few (?:days|weeks|months)"
    r"|the (?:summer|winter|season)|a (?:few|couple of) (?:days|weeks))\b|\btemporarily\b"
    r"|\bwhil(?:e|st) (?!(?:I|we|they)\b|User (?!and\b))[^,]{1,60}?(?:\b(?:is|are)\b|'s\b|'re\b)"
    r"|\bwhil(?:e|st) (?:I'm|I am|we're|we are) (?:in|at|on|away|abroad|off|between|recovering|waiting"
    r"|staying|visiting|injured|ill|sick|pregnant|looking|without)\b",
    re.IGNORECASE,
)
ON_DAY = re.compile(rf"(?:next |this |on )?(?:(?P<tomorrow>tomorrow)|{WEEKDAY})", re.IGNORECASE)
END_OF = re.compile(r"(?:the )?end of (?:the |this )?(?P<unit>week|month|year)\b", re.IGNORECASE)
NEXT = re.compile(r"next (?P<unit>week|month|year)\b", re.IGNORECASE)
ISO = re.compile(r"(?:the )?(?P<iso>(?:19|20)\d\d-\d\d-\d\d)")
YEAR = r"(?:,? (?P<year>20\d\d))?"
DAY_FIRST = re.compile(
    rf"(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {MONTH}{YEAR}", re.IGNORECASE
)
MONTH_FIRST = re.compile(rf"{MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b{YEAR}", re.IGNORECASE)
WHOLE_MONTH = re.compile(rf"(?P<late>(?:the )?end of )?{MONTH}{YEAR}", re.IGNORECASE)


@dataclass(frozen=True)
class Ending:
    """`assumed` where no end was named."""

    until: datetime
    assumed: bool


def ending(text: str, said_at: datetime, overlay_days: int, *, is_past: bool) -> Ending | None:
    """When a present state stops being true; null for what is meant to last or is over."""
    if is_past:
        return None
    if found := SPAN.search(text):
        last = shifted(said_at.date(), number(found["count"]), found["unit"].lower())
        return Ending(_midnight(said_at, last), assumed=False)
    if found := UNTIL.search(text):
        return _named(found["end"].strip(), said_at) or _assumed(said_at, overlay_days)
    if found := THIS.search(text):
        return Ending(_after(said_at, found["unit"] or "day"), assumed=False)
    return _assumed(said_at, overlay_days) if VAGUE.search(text) else None


def _assumed(said_at: datetime, overlay_days: int) -> Ending:
    return Ending(said_at + timedelta(days=overlay_days), assumed=True)


def _named(end: str, said_at: datetime) -> Ending | None:
    """A day counts to its end, a month ("until June") to its beginning."""
    for pattern, resolve in ENDS:
        if found := pattern.match(end):
            try:
                until = resolve(found, said_at)
            except ValueError:
                return None
            return Ending(until, assumed=False) if until > said_at else None
    return None


def _midnight(said_at: datetime, day: date) -> datetime:
    """The beginning of a day where the words were said."""
    return datetime.combine(day, time(), said_at.tzinfo)


def _after(said_at: datetime, unit: str) -> datetime:
    """The beginning of what follows this day, week, month or year."""
    today = said_at.date()
    first = {
        "day": today,
        "week": today - timedelta(days=today.weekday()),
        "month": today.replace(day=1),
        "year": today.replace(month=1, day=1),
    }[unit.lower()]
    return _midnight(said_at, shifted(first, 1, unit.lower()))


def _on_day(found: re.Match[str], said_at: datetime) -> datetime:
    today = said_at.date()
    if found["tomorrow"]:
        return _midnight(said_at, today + timedelta(days=2))
    ahead = (WEEKDAYS.index(found["weekday"].lower()) - today.weekday()) % 7 or 7
    return _midnight(said_at, today + timedelta(days=ahead + 1))


def _iso(found: re.Match[str], said_at: datetime) -> datetime:
    return _midnight(said_at, date.fromisoformat(found["iso"]) + timedelta(days=1))


def _dated(found: re.Match[str], said_at: datetime) -> datetime:
    today = said_at.date()
    day = date(int(found["year"] or today.year), month_number(found["month"]), int(found["day"]))
    if day < today and not found["year"]:
        day = day.replace(year=day.year + 1)
    return _midnight(said_at, day + timedelta(days=1))


def _month(found: re.Match[str], said_at: datetime) -> datetime:
    today = said_at.date()
    first = date(int(found["year"] or today.year), month_number(found["month"]), 1)
    if found["late"]:
        first = shifted(first, 1, "month")
    if first <= today and not found["year"]:
        first = first.replace(year=first.year + 1)
    return _midnight(said_at, first)


Resolve = Callable[[re.Match[str], datetime], datetime]
ENDS: tuple[tuple[re.Pattern[str], Resolve], ...] = (
    (ISO, _iso),
    (DAY_FIRST, _dated),
    (MONTH_FIRST, _dated),
    (ON_DAY, _on_day),
    (END_OF, lambda found, said_at: _after(said_at, found["unit"])),
    (NEXT, lambda found, said_at: _after(said_at, found["unit"])),
    (WHOLE_MONTH, _month),
)
