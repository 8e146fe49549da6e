"""Numbers in digits and in words. Each is the set of spellings that mean the same."""

import re
from dataclasses import dataclass

from worker.core.texts.folding import folded
from worker.core.texts.scripts import LETTER

Number = frozenset[str]

UNITS = """
two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 twelve=12 thirteen=13 fourteen=14
fifteen=15 sixteen=16 seventeen=17 eighteen=18 nineteen=19 dozen=12 twice=2 thrice=3 third=3 fourth=4 fifth=5 sixth=6
seventh=7 eighth=8 ninth=9 tenth=10 eleventh=11 twelfth=12
zwanzig=20 dreißig=30 dreissig=30 vierzig=40 fünfzig=50 sechzig=60 siebzig=70 achtzig=80 neunzig=90
dreizehn=13 vierzehn=14 fünfzehn=15 sechzehn=16 siebzehn=17 achtzehn=18 neunzehn=19
treize=13 quatorze=14 quinze=15 seize=16 doce=12 trece=13 catorce=14 dieciséis=16 diecisiete=17
dieciocho=18 diecinueve=19 veintiuno=21 veintidós=22 veintitrés=23 veinticuatro=24 veinticinco=25 veintiséis=26
veintisiete=27 veintiocho=28 veintinueve=29 dodici=12 tredici=13 quattordici=14 quindici=15 doze=12 treze=13
одиннадцать=11 двенадцать=12 тринадцать=13 четырнадцать=14 пятнадцать=15 шестнадцать=16 семнадцать=17
восемнадцать=18 девятнадцать=19
ثلاث=3 ثلاثة=3 أربع=4 أربعة=4 خمس=5 خمسة=5 ست=6 ستة=6 سبع=7 سبعة=7 ثماني=8 ثمانية=8 تسع=9 تسعة=9 عشر=10 عشرة=10
तीन=3 चार=4 पाँच=5 पांच=5 छह=6 आठ=8 दस=10
zwei=2 drei=3 vier=4 fünf=5 sechs=6 sieben=7 acht=8 neun=9 zehn=10 elf=11 zwölf=12
deux=2 trois=3 quatre=4 cinq=5 sept=7 huit=8 neuf=9 dix=10 onze=11 douze=12
dos=2 tres=3 cuatro=4 cinco=5 seis=6 siete=7 ocho=8 nueve=9 diez=10 once=11
due=2 tre=3 quattro=4 cinque=5 otto=8 dieci=10 dois=2 duas=2 três=3 quatro=4
два=2 две=2 три=3 четыре=4 пять=5 шесть=6 семь=7 восемь=8 девять=9 десять=10
"""
TENS = """
twenty=20 thirty=30 forty=40 fifty=50 sixty=60 seventy=70 eighty=80 ninety=90
vingt=20 trente=30 quarante=40 cinquante=50 soixante=60 veinte=20 treinta=30 cuarenta=40 cincuenta=50 sesenta=60
setenta=70 ochenta=80 noventa=90 venti=20 trenta=30 vinte=20 trinta=30
двадцать=20 тридцать=30 сорок=40 пятьдесят=50 шестьдесят=60 семьдесят=70 восемьдесят=80 девяносто=90
"""
#: Numbers that are as often an article, a time unit or a place in a list: they may stand for a digit, not more.
SOFT = "one=1 first=1 once=1 second=2 both=2 zero=0 half=0.5 ein=1 eine=1 un=1 une=1 uno=1 una=1 um=1 uma=1 один=1"
SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}


def _table(text: str) -> dict[str, int | float]:
    pairs = (entry.split("=") for entry in text.split())
    return {word: float(n) if "." in n else int(n) for word, n in pairs}


WHOLE, TEN, MAYBE = _table(UNITS), _table(TENS), _table(SOFT)
WHOLE_WORDS = frozenset({*WHOLE, *TEN, *SCALES})
# Spanish "once" (11) is English "once".
WHOLE.pop("once")
HAN_DIGITS = {sign: n for n, sign in enumerate("〇一二三四五六七八九")} | {"两": 2, "兩": 2}
HAN_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "萬": 10_000}
HAN_NUMBER = re.compile(
    "(?:[二三四五六七八九十百千万萬两兩〇]|一[二三四五六七八九十百千万萬〇])[一二三四五六七八九十百千万萬〇]{0,14}"
)
DIGITS = re.compile(r"(?<![\w.])(-?\d+(?:,\d{3})*(?:[.,]\d+)?)|(\d+)")
CLOCK = re.compile(
    r"(?<![\d:])(\d{1,2})(?:[:.](\d{2}))?(?:\s*([ap])\.?m\b\.?|\s*(?:uhr|h)\b|(?<=:\d\d)(?!\d))"
)
WORDS = re.compile(rf"(?:(?!\d){LETTER})+")
#: German puts the ones before the tens: "einundzwanzig".
ONES_FIRST = re.compile(
    r"\b(ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)und"
    r"(zwanzig|dreißig|dreissig|vierzig|fünfzig|sechzig|siebzig|achtzig|neunzig)\b"
)
#: Korean and Thai number words are as often parts of other words: only before what is counted.
BEFORE_COUNTERS = {
    sign: n
    for n, signs in enumerate(("두 สอง", "세 สาม", "네 สี่", "다섯 ห้า", "여섯 หก"), start=2)
    for sign in signs.split()
} | {"일곱": 7, "여덟": 8, "아홉": 9, "열": 10, "เจ็ด": 7, "แปด": 8, "เก้า": 9, "สิบ": 10}
COUNTER = re.compile(
    f"({'|'.join(BEFORE_COUNTERS)})(?=\\s?(?:마리|명|개|살|번|권|잔|대|시간|달|ตัว|คน|อัน|ปี|วัน|ครั้ง|ใบ|เล่ม|คัน))"
)
#: "1.5 million", "4k".
SCALED = re.compile(r"(?<![\w.,])(\d+(?:[.,]\d+)?)(?:\s?(k)\b|\s(thousand|million)\b)")


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

    def scaled(found: re.Match[str]) -> str:
        certain.add(_scaled(found))
        return " "

    plain = SCALED.sub(scaled, CLOCK.sub(clock, plain))
    certain |= {_digits(found.group()) for found in DIGITS.finditer(plain)}
    certain |= {frozenset({str(BEFORE_COUNTERS[word])}) for word in COUNTER.findall(plain)}
    for one, ten in ONES_FIRST.findall(plain):
        certain.add(frozenset({str(WHOLE[ten] + (MAYBE.get(one) or WHOLE[one]))}))
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


def _scaled(found: re.Match[str]) -> Number:
    """4k is 4000, and may be a class of four, as 5k is of a run."""
    number = float(found[1].replace(",", "."))
    if found[2]:
        return frozenset({_text(number), _text(number * 1000)})
    return frozenset({_text(number * SCALES[found[3]])})


def _digits(digits: str) -> Number:
    """1.500 is 1.5, and 1500 where the full stop parts thousands."""
    plain = _plain(digits)
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+", digits):
        return frozenset({plain, digits.replace(".", "")})
    return frozenset({plain})


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
