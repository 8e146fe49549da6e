"""Units of what is counted: five kilometres are not five miles. Each is the set of its spellings, `unit km`."""

import re
from dataclasses import dataclass

from worker.core.texts.folding import folded
from worker.core.texts.numerals import WHOLE_WORDS

#: Name → how it is written beside a number. Years are left out: "is nine" and "is nine years old" are the same.
TABLE = """
km: km kms kilometer kilometers kilometre kilometres kilometern kilómetros kilomètres chilometri
km: км километр километра километров 公里
mile: mi mile miles meile meilen millas milla milles miglia миль мили 英里
m: m meter meters metre metres metern metros mètres metri метр метра метров
cm: cm centimeter centimeters centimetre centimetres zentimeter см
mm: mm millimeter millimeters millimetre millimetres
ft: ft foot feet
kg: kg kgs kilo kilos kilogram kilograms kilogramm кг килограмм 公斤
g: g gram grams gramm gramos grammes грамм
mg: mg milligram milligrams milligramm
lb: lb lbs
oz: oz ounce ounces
l: l liter liters litre litres litros литр литра литров
ml: ml milliliter millilitre millilitres
eur: € eur euro euros евро 欧元
usd: $ usd dollar dollars dólares доллар доллара долларов 美元
gbp: £ gbp
jpy: ¥ yen jpy 日元
rub: ₽ rub рубль рубля рублей
chf: chf franken
celsius: °c celsius
fahrenheit: °f fahrenheit
percent: % percent prozent procent процент процента процентов
minute: min mins minute minutes minuten minutos минут минуты
hour: hr hrs hour hours stunde stunden heures horas ore часа часов
day: day days tag tage tagen jours días giorni dias день дня дней
week: week weeks woche wochen semaine semaines semana semanas settimane неделя недели недель
month: month months monat monate monaten mois meses mesi месяц месяца месяцев
"""
UNITS = {
    word: name
    for line in TABLE.strip().splitlines()
    for name, words in [line.split(": ")]
    for word in words.split()
}
#: Weight or money.
EITHER = {"pound": ("lb", "gbp"), "pounds": ("lb", "gbp")}

_NAMES = "|".join(re.escape(word) for word in sorted((*UNITS, *EITHER), key=len, reverse=True))
_NUMBER = "|".join(sorted(WHOLE_WORDS, key=len, reverse=True))
NAMED = re.compile(rf"(?<![^\W\d_])({_NAMES})(?![^\W\d_])")
COUNTED = re.compile(rf"(?:\d|(?<![^\W_])(?:{_NUMBER}))(?:\s|-)?({_NAMES})(?![^\W\d_])")
MONEY = re.compile(r"([€$£¥₽])\s?\d")


@dataclass(frozen=True)
class Units:
    """`certain` stand beside a number; `possible` are all that the text names."""

    certain: frozenset[frozenset[str]]
    possible: frozenset[str]


def units(text: str) -> Units:
    plain = folded(text)
    named = frozenset[str]().union(*map(_spellings, NAMED.findall(plain)))
    counted = map(_spellings, (*COUNTED.findall(plain), *MONEY.findall(plain)))
    certain = frozenset(counted)
    return Units(certain, named.union(*certain))


def _spellings(word: str) -> frozenset[str]:
    names = EITHER.get(word) or (UNITS[word],)
    return frozenset(f"unit {name}" for name in names)
