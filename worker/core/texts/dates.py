"""Dates in several forms, by their parts: `2026`, `month 6`, `day 6-1` (June 1), `weekday 0` (Monday)."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

MONTHS = """
january jan januar janvier enero gennaio janeiro januari январь января
february feb februar février febrero febbraio fevereiro februari февраль февраля
march mar märz mars marzo março maart март марта
april apr avril abril aprile апрель апреля
may mai mayo maggio maio mei май мая
june jun juni juin junio giugno junho июнь июня
july jul juli juillet julio luglio julho июль июля
august aug août agosto augustus август августа
september sep sept septembre septiembre settembre setembro сентябрь сентября
october oct okt oktober octobre octubre ottobre outubro октябрь октября
november nov novembre noviembre novembro ноябрь ноября
december dec dez dezember décembre diciembre dicembre dezembro desember декабрь декабря
"""
MONTH = {
    name: at
    for at, line in enumerate(MONTHS.strip().splitlines(), start=1)
    for name in line.split()
}
#: English words as well: months only where they are capitalised.
AMBIGUOUS = frozenset({"may", "march", "mar", "jan", "mars", "sep", "sept", "dec", "jun", "jul"})
DAYS = """
monday montag lundi lunes lunedì понедельник понедельника понедельнику понедельникам
tuesday dienstag mardi martes martedì вторник вторника вторнику вторникам
wednesday mittwoch mercredi miércoles mercoledì среду средам
thursday donnerstag jeudi jueves giovedì четверг четверга четвергу четвергам
friday freitag vendredi viernes venerdì пятница пятницу пятницы пятницам
saturday samstag samedi sábado sabato суббота субботу субботы субботам
sunday sonntag dimanche domingo domenica воскресенье воскресенья воскресеньям
"""
WEEKDAY = {name: at for at, line in enumerate(DAYS.strip().splitlines()) for name in line.split()}

NAME = "|".join(sorted(MONTH, key=len, reverse=True))
ISO = re.compile(
    r"(?<![0-9A-Za-z-])(\d{4})-(\d{2})(?:-(\d{2})(?:t[\d:.]+(?:z|[+-]\d{2}:\d{2})?)?)?(?![0-9A-Za-z-])",
    re.IGNORECASE,
)
HAN = re.compile(r"(?:(\d{4})年)?(\d{1,2})月(?:(\d{1,2})日)?")
HANGUL = re.compile(r"(?:(\d{4})년\s*)?(\d{1,2})월(?:\s*(\d{1,2})일)?")
DAY_FIRST = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?({NAME})\b\.?(?:,?\s+(?:de\s+)?(\d{{4}})\b)?",
    re.IGNORECASE,
)
MONTH_FIRST = re.compile(
    rf"\b({NAME})\b\.?(?:\s+(?:the\s+)?(\d{{1,2}})(?:st|nd|rd|th)?(?![\w:]))?"
    r"(?:,?\s+(?:of\s+)?(\d{4})\b)?",
    re.IGNORECASE,
)
DOTTED = re.compile(r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.(\d{4})(?!\d)")
SLASHED = re.compile(r"(?<![\d/])(\d{1,2})/(\d{1,2})/(\d{4})(?![\d/])")
WEEKDAY_NAME = re.compile(rf"\b({'|'.join(WEEKDAY)})s?\b", re.IGNORECASE)

#: Monday first; in Chinese 日 and 天 are Sunday.
SIGNED_DAY = re.compile(
    "([月火水木金土日])曜|(?:星期|礼拜|禮拜|[周週])([一二三四五六日天])|([월화수목금토일])요일"
)
SIGNS_OF_DAYS = ("月火水木金土日", "一二三四五六日天", "월화수목금토일")

#: Spellings that mean the same part of a date.
Part = frozenset[str]


@dataclass(frozen=True)
class Dated:
    """The parts of all dates of a text, and the text without them."""

    parts: frozenset[Part]
    rest: str


def dated(text: str) -> Dated:
    found: set[Part] = set()

    def take(match: re.Match[str]) -> str:
        parts = READERS[match.re](match)
        found.update(parts)
        return " " * len(match.group()) if parts else match.group()

    for pattern in READERS:
        text = pattern.sub(take, text)
    return Dated(frozenset(found), text)


def parts_of(moment: datetime) -> frozenset[str]:
    """Everything a text may say of the day that a time falls on."""
    return frozenset(
        {
            str(moment.year),
            f"month {moment.month}",
            f"day {moment.month}-{moment.day}",
            f"weekday {moment.weekday()}",
        }
    )


def parts_of_partial(text: str) -> frozenset[str]:
    """The same for an ISO date that may lack its day or month."""
    numbers = [int(part) for part in text.split("T", maxsplit=1)[0].split("-")]
    try:
        return parts_of(datetime(*numbers, tzinfo=UTC))  # type: ignore[arg-type, misc]
    except (TypeError, ValueError):
        return frozenset({str(numbers[0]), *(f"month {month}" for month in numbers[1:2])})


def _date(year: str | None, month: int | None, day: str | None) -> set[Part]:
    found = {frozenset({year})} if year else set()
    if month:
        found.add(frozenset({f"month {month}"}))
    if month and day:
        found.add(frozenset({f"day {month}-{int(day)}"}))
    return found


def _numeric(match: re.Match[str]) -> set[Part]:
    return _date(match[1], int(match[2]), match[3])


def _named(name: str, day: str | None, year: str | None) -> set[Part]:
    """Nothing for a small word that is a month only when written as a name."""
    if name.casefold() in AMBIGUOUS and not (name[0].isupper() or year):
        return set()
    return _date(year, MONTH[name.casefold()], day)


def _either(match: re.Match[str]) -> set[Part]:
    """Month or day first: who wrote it knows."""
    one, other = int(match[1]), int(match[2])
    orders = [(m, d) for m, d in ((one, other), (other, one)) if m <= 12]  # noqa: PLR2004
    return {
        frozenset({match[3]}),
        frozenset(f"month {m}" for m, _ in orders),
        frozenset(f"day {m}-{d}" for m, d in orders),
    } - {frozenset()}


def _signed_day(match: re.Match[str]) -> set[Part]:
    signs, sign = next((s, m) for s, m in zip(SIGNS_OF_DAYS, match.groups(), strict=True) if m)
    return {frozenset({f"weekday {min(signs.index(sign), 6)}"})}


READERS: dict[re.Pattern[str], Callable[[re.Match[str]], set[Part]]] = {
    ISO: _numeric,
    HAN: _numeric,
    HANGUL: _numeric,
    DOTTED: lambda match: _date(match[3], int(match[2]), match[1]),
    SLASHED: _either,
    DAY_FIRST: lambda match: _named(match[2], match[1], match[3]),
    MONTH_FIRST: lambda match: _named(match[1], match[2], match[3]),
    SIGNED_DAY: _signed_day,
    WEEKDAY_NAME: lambda match: {frozenset({f"weekday {WEEKDAY[match[1].casefold()]}"})},
}
