"""Dates that a model read out of what was said: as exact as they are, or not at all."""

import re
from datetime import MAXYEAR, datetime, timedelta

from worker.core.texts.looked import looked

PARTIAL = re.compile(
    r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ]([0-9:.]+)(Z|[+-]\d{2}:?\d{2})?)?)?)?"
)

#: Words that tie a statement to a time, in several languages; any digit does too.
TIME_WORDS = re.compile(
    r"\d|\b(?:ago|last|next|since|yesterday|today|tonight|tomorrow|now|week|weeks|weekend|month|months|years?|days?"
    r"|hours?|fortnight|decades?|semester|morning|afternoon|evening|night|noon|midnight|recently|just|soon|later|earlier"
    r"|lately|once|when|while|until|till|before|after|day|childhood|youth|age|holidays?|vacation|birthday|spring|summer|autumn|winter|christmas|easter"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|gestern|heute|morgen|seit|vor|letzte\w*|nächste\w*|woche\w*|monat\w*|jahr\w*"
    r"|hier|aujourd'hui|demain|depuis|dernière?|prochaine?|semaine|mois|ans?|année"
    r"|ayer|hoy|mañana|desde|hace|pasad[oa]|próxim[oa]|semana|mes|año|ieri|oggi|domani|settimana|anno"
    r"|ontem|hoje|amanhã|ano|gisteren|vandaag|morgen|вчера|сегодня|завтра|недел\w*|месяц\w*|год\w*|назад"
    r"|igår|idag|imorgon|sedan|förra|nästa|vecka\w*|månad\w*|år\w*|sommar\w*|vinter\w*|uge\w*|måned\w*|siden"
    r"|wczoraj|dzi[śs]\w*|jutro|temu|tydzie\w*|miesi\w*|rok\w*|lat\w*|dün|bugün|yarın|önce|sonra|hafta\w*|yıl\w*)\b"
    r"|昨|今|明日|明天|来週|先|年|月|週|周|日前|去|어제|오늘|내일|지난|다음|주|년|월",
    re.IGNORECASE,
)


def partial_date(given: str | None) -> str | None:
    """An ISO 8601 date, as exact as it was given; nothing for what is none."""
    found = PARTIAL.fullmatch(given or "")
    if not found:
        return None
    year, month, day, time, zone = found.groups()
    if time and _moment(given or ""):
        zone = f"{zone[:3]}:{zone[-2:]}" if zone and zone != "Z" else zone or ""
        return f"{year}-{month:0>2}-{day:0>2}T{time}{zone}"
    text = "-".join(part.zfill(2) for part in (year, month, day) if part)
    return text if _moment(_first_day(text)) else None


def happened(given: str | None, said: str, said_at: datetime, *, approximate: bool) -> str | None:
    """The day it happened, if the words tie it to a time.

    Without a word of time it may be the day it was said, and in a language that is not listed any day.
    """
    date = partial_date(given)
    if date is None or TIME_WORDS.search(said):
        return date
    is_invented = looked(said).is_listed and not said_at.isoformat().startswith(date[:10])
    return None if approximate or is_invented else date


def end(given: str | None, said_at: datetime, overlay_days: int) -> tuple[datetime | None, bool]:
    """Until when a statement holds, and whether that is assumed.

    A date means to the end of that day, month or year in the offset of `said_at`. What ended before it was said
    is no limit: the statement tells of the past. What is no date is an end that nobody named.
    """
    if given is None:
        return None, False
    until = _end_of(given, said_at)
    if until is None:
        return said_at + timedelta(days=overlay_days), True
    return (until, False) if until > said_at else (None, False)


def _end_of(given: str, said_at: datetime) -> datetime | None:
    text = partial_date(given)
    if text is None:
        return None
    if "T" in text:
        moment = _moment(text)
        return moment.replace(tzinfo=moment.tzinfo or said_at.tzinfo) if moment else None
    first = _moment(_first_day(text))
    return _after(first, text.count("-")).replace(tzinfo=said_at.tzinfo) if first else None


def _after(first: datetime, parts: int) -> datetime:
    """The start of the next day (2 hyphens), month (1) or year (0)."""
    if first.year >= MAXYEAR:
        return first
    if parts == 2:  # noqa: PLR2004 - year, month and day
        return first + timedelta(days=1)
    if parts == 1:
        return (first + timedelta(days=31)).replace(day=1)
    return first.replace(year=first.year + 1)


def _first_day(text: str) -> str:
    return text + "-01" * (2 - text.count("-"))


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
