"""Numbers in digits and in words. Each is the set of spellings that mean the same."""

import re
from dataclasses import dataclass

from worker.core.folding import folded

Number = frozenset[str]

UNITS = """
two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 twelve=12 thirteen=13 fourteen=14
fifteen=15 sixteen=16 seventeen=17 eighteen=18 nineteen=19 dozen=12 twice=2 thrice=3 third=3 fourth=4 fifth=5 sixth=6
seventh=7 eighth=8 ninth=9 tenth=10 eleventh=11 twelfth=12
zwei=2 drei=3 vier=4 fünf=5 sechs=6 sieben=7 acht=8 neun=9 zehn=10 elf=11 zwölf=12
deux=2 trois=3 quatre=4 cinq=5 sept=7 huit=8 neuf=9 dix=10 onze=11 douze=12
dos=2 tres=3 cuatro=4 cinco=5 seis=6 siete=7 ocho=8 nueve=9 diez=10 once=11
due=2 tre=3 quattro=4 cinque=5 otto=8 dieci=10 dois=2 duas=2 três=3 quatro=4
два=2 две=2 три=3 четыре=4 пять=5 шесть=6 семь=7 восемь=8 девять=9 десять=10
"""
TENS = "twenty=20 thirty=30 forty=40 fifty=50 sixty=60 seventy=70 eighty=80 ninety=90"
#: Numbers that are as often an article, a time unit or a place in a list: they may stand for a digit, not more.
SOFT = "one=1 first=1 once=1 second=2 both=2 zero=0 half=0.5 ein=1 eine=1 un=1 une=1 uno=1 una=1 um=1 uma=1 один=1"
SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}


def _table(text: str) -> dict[str, int | float]:
    pairs = (entry.split("=") for entry in text.split())
    return {word: float(n) if "." in n else int(n) for word, n in pairs}


WHOLE, TEN, MAYBE = _table(UNITS), _table(TENS), _table(SOFT)
# Spanish "once" (11) is English "once".
WHOLE.pop("once")
HAN_DIGITS = {sign: n for n, sign in enumerate("〇一二三四五六七八九")} | {"两": 2, "兩": 2}
HAN_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "萬": 10_000}
HAN_NUMBER = re.compile(
    "(?:[二三四五六七八九十百千万萬两兩〇]|一[二三四五六七八九十百千万萬〇])[一二三四五六七八九十百千万萬〇]{0,14}"
)
DIGITS = re.compile(r"(?<![\w.])(\d+(?:,\d{3})*(?:[.,]\d+)?)|(\d+)")
CLOCK = re.compile(
    r"(?<![\d:])(\d{1,2})(?:[:.](\d{2}))?(?:\s*([ap])\.?m\b\.?|\s*(?:uhr|h)\b|(?<=:\d\d)(?!\d))"
)
WORDS = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Numbers:
    """What a text counts."""

    #: Numbers that must not get lost or be added.
    certain: frozenset[Number]
    #: Numbers that its words may stand for.
    possible: frozenset[str]


def numbers(text: str) -> Numbers:
    """All numbers of a text from which dates and identifiers were taken out."""
    plain = folded(text)
    certain: set[Number] = set()

    def clock(found: re.Match[str]) -> str:
        certain.add(_hour(found))
        return " "

    plain = CLOCK.sub(clock, plain)
    certain |= {frozenset({_plain(found.group())}) for found in DIGITS.finditer(plain)}
    certain |= {frozenset({str(_han(run))}) for run in HAN_NUMBER.findall(plain)}
    words = WORDS.findall(plain)
    certain |= {frozenset({_text(n)}) for n in _spelled(words)}
    possible = {_text(MAYBE[word]) for word in words if word in MAYBE}
    return Numbers(frozenset(certain), frozenset(possible | {s for n in certain for s in n}))


def _hour(found: re.Match[str]) -> Number:
    """6:00, 6 am and 6; 18:30, 6:30 pm and 6:30."""
    hour, minute, half = int(found[1]), found[2] or "00", found[3]
    hours = {hour, hour % 12 + (12 if half == "p" else 0)} if half else {hour}
    if hour > 12:  # noqa: PLR2004 - the clock's
        hours.add(hour - 12)
    return frozenset(f"{h}:{minute}" if minute != "00" else str(h) for h in hours)


def _plain(digits: str) -> str:
    """1,000 is 1000 and 3,5 is 3.5; leading and trailing zeros say nothing."""
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    return _text_of(digits.replace(",", "."))


def _text_of(digits: str) -> str:
    whole, _, fraction = digits.partition(".")
    fraction = fraction.rstrip("0")
    whole = whole.lstrip("0") or "0"
    return f"{whole}.{fraction}" if fraction else whole


def _text(number: float) -> str:
    return _text_of(str(number))


def _spelled(words: list[str]) -> list[int | float]:
    """Runs of number words: "two hundred and five" is 205, "twenty one" 21."""
    found: list[int | float] = []
    total: int | float | None = None
    last = ""
    for word in [*words, ""]:
        if word == "and" and last in SCALES:
            continue
        value = _value(word, last)
        if value is None and word in SCALES:
            total = (total or 1) * SCALES[word]
        elif value is not None and total is not None and _continues(last):
            total += value
        else:
            if total is not None:
                found.append(total)
            total = value
        last = word
    return found


def _value(word: str, last: str) -> int | float | None:
    if word == "one" and (last in TEN or last in SCALES):
        return 1
    return WHOLE.get(word, TEN.get(word))


def _continues(last: str) -> bool:
    return last in TEN or last in SCALES


def _han(run: str) -> int:
    total = part = 0
    for sign in run:
        if sign in HAN_DIGITS:
            part = part * 10 + HAN_DIGITS[sign]
        else:
            total += (part or 1) * HAN_SCALES[sign]
            part = 0
    return total + part
