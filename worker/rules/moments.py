"""When something happened, from words like "last month", against the day it was said."""

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import date, timedelta
from typing import Literal

MONTHS = (
    "january february march april may june july august september october november december".split()
)
MONTH = rf"(?P<month>{'|'.join(MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?"
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
WEEKDAY = rf"(?P<weekday>{'|'.join(WEEKDAYS)})\b"
NUMBERS = {
    word: number
    for number, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve".split(), start=1
    )
} | {"a": 1, "an": 1}
COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(NUMBERS)})"
UNIT = r"(?P<unit>day|week|month|year)s?"
YEAR = r"(?P<year>(?:19|20)\d\d)"
DAYS = {
    "day before yesterday": -2, "day after tomorrow": 2, "yesterday": -1, "last night": -1,
    "tomorrow": 1, "today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0,
}  # fmt: skip

NAMED_DAY = re.compile(rf"\b(?P<day>{'|'.join(DAYS)})\b", re.IGNORECASE)
ISO = re.compile(r"\b((?:19|20)\d\d-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01]))?)\b")
DAY_FIRST = re.compile(
    rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {MONTH},? {YEAR}\b", re.IGNORECASE
)
MONTH_FIRST = re.compile(rf"\b{MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? {YEAR}\b", re.IGNORECASE)
MONTH_YEAR = re.compile(rf"\b{MONTH},? (?:of )?{YEAR}\b", re.IGNORECASE)
IN_YEAR = re.compile(rf"\bin {YEAR}\b", re.IGNORECASE)
AGO = re.compile(rf"\b{COUNT} {UNIT} ago\b", re.IGNORECASE)
IN_SOME = re.compile(rf"\bin {COUNT} {UNIT}(?:'? time)?\b(?! (?:of|a))", re.IGNORECASE)
STEP = re.compile(
    r"\b(?P<which>last|this|next|past|coming) (?P<unit>week|weekend|month|year)\b", re.IGNORECASE
)
ON_WEEKDAY = re.compile(
    rf"\b(?P<which>last|next|this|on|coming|past) {WEEKDAY}(?!s)", re.IGNORECASE
)
STEP_MONTH = re.compile(rf"\b(?P<which>last|next|this) {MONTH}(?! \d)", re.IGNORECASE)
#: A span, not a moment: "since 2019", "until May 2026".
SPAN = re.compile(r"\b(?:since|until|till|from|through)\s+(?:\w+\s+){0,2}$", re.IGNORECASE)
#: Of the verb: a past tense or perfect, or another.
Tense = Literal["past", "other"]
STEPS = {"last": -1, "past": -1, "this": 0, "next": 1, "coming": 1}


def happened(text: str, said_on: date, tense: Tense) -> str | None:
    """An ISO date as exact as it was said; null where nobody gave one. The tense settles "on Friday"."""
    for pattern, resolve in RESOLVERS:
        found = pattern.search(text)
        if found and not SPAN.search(text[: found.start()]):
            return resolve(found, said_on, tense)
    return None


def shifted(start: date, count: int, unit: str) -> date:
    """Whole months and years keep the day, or take the month's last."""
    if unit in {"day", "week"}:
        return start + timedelta(days=count * (7 if unit == "week" else 1))
    months = start.year * 12 + start.month - 1 + count * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    if not 1 <= year <= date.max.year:
        raise ValueError(f"{count} {unit}s from {start} is no date")
    return date(year, month + 1, min(start.day, monthrange(year, month + 1)[1]))


def number(word: str) -> int:
    return int(word) if word.isdigit() else NUMBERS[word.lower()]


def month_number(word: str) -> int:
    return next(at for at, name in enumerate(MONTHS, start=1) if name.startswith(word.lower()[:3]))


def _exact(day: date, unit: str) -> str:
    return day.isoformat()[: {"day": 10, "week": 10, "month": 7, "year": 4}[unit]]


def _shift(found: re.Match[str], said_on: date, sign: int) -> str | None:
    unit = found["unit"].lower()
    try:
        return _exact(shifted(said_on, sign * number(found["count"]), unit), unit)
    except (ValueError, OverflowError):
        return None


def _step(found: re.Match[str], said_on: date, *_: Tense) -> str | None:
    step, unit = STEPS[found["which"].lower()], found["unit"].lower()
    if unit in {"month", "year"}:
        return _exact(shifted(said_on.replace(day=1), step, unit), unit)
    first = said_on - timedelta(days=said_on.weekday()) + timedelta(weeks=step)
    if unit == "weekend":
        first += timedelta(days=5)
    last = first + timedelta(days=1 if unit == "weekend" else 6)
    return _exact(first, "month") if (first.year, first.month) == (last.year, last.month) else None


def _weekday(found: re.Match[str], said_on: date, tense: Tense) -> str | None:
    which, wanted = found["which"].lower(), WEEKDAYS.index(found["weekday"].lower())
    back = (said_on.weekday() - wanted) % 7
    if which in {"last", "past"} or (which in {"on", "this"} and tense == "past"):
        return _exact(said_on - timedelta(days=back or 7), "day")
    ahead = (wanted - said_on.weekday()) % 7 or 7
    return _exact(said_on + timedelta(days=ahead), "day")


def _step_month(found: re.Match[str], said_on: date, _: Tense) -> str | None:
    month, which = month_number(found["month"]), found["which"].lower()
    year = said_on.year
    if which == "last" and month >= said_on.month:
        year -= 1
    if which == "next" and month <= said_on.month:
        year += 1
    return f"{year}-{month:02}"


def _full(found: re.Match[str], _: date, __: Tense) -> str | None:
    try:
        day = date(int(found["year"]), month_number(found["month"]), int(found["day"]))
    except ValueError:
        return None
    return day.isoformat()


Resolve = Callable[[re.Match[str], date, Tense], str | None]
RESOLVERS: tuple[tuple[re.Pattern[str], Resolve], ...] = (
    (ISO, lambda found, *_: found[1]),
    (DAY_FIRST, _full),
    (MONTH_FIRST, _full),
    (MONTH_YEAR, lambda found, *_: f"{found['year']}-{month_number(found['month']):02}"),
    (
        NAMED_DAY,
        lambda found, on, _: _exact(on + timedelta(days=DAYS[found["day"].lower()]), "day"),
    ),
    (AGO, lambda found, on, _: _shift(found, on, -1)),
    (IN_SOME, lambda found, on, _: _shift(found, on, 1)),
    (STEP_MONTH, _step_month),
    (STEP, _step),
    (ON_WEEKDAY, _weekday),
    (IN_YEAR, lambda found, *_: found["year"]),
)
