"""Identifiers as the guard sees them: tokens that are more than a number, a unit or a date."""

import re
import unicodedata
from dataclasses import dataclass

from worker.core.texts.identifiers import TOKEN, is_identifier

#: What may stand behind a number without making it a name of something, as "12b" is.
SUFFIX = "(?:st|nd|rd|th|er|am|pm|h|hrs?|mins?|s|k|bn|x|km|kms|mi|m|cm|mm|ft|kgs?|mg|g|lbs?|oz|l|ml|eur|usd|gbp|chf)"
#: A count with its unit or in a compound ("5pm", "3rd", "12-year-old", "3-5"): its numbers say all.
COUNT = re.compile(
    rf"\d[\d.,:]*(?:{SUFFIX}|(?:-[a-z]{{2,}})+)?|\d+[-/]\d+(?:[a-z]{{1,3}})?|[a-z]{{3,}}-\d+|\d+%"
)
#: "v2.3" and "version 2.3" are one.
VERSION_SIGN = re.compile(r"^v(?=\d)")
VERSION = re.compile(r"\d+(?:[.:-]\d+){2,}")


@dataclass(frozen=True)
class Coded:
    """The identifiers of a text, casefolded, and the text without them."""

    codes: frozenset[str]
    rest: str


def coded(text: str) -> Coded:
    found: set[str] = set()

    def take(match: re.Match[str]) -> str:
        token = match.group()
        if not is_identifier(token) or (COUNT.fullmatch(token) and not VERSION.fullmatch(token)):
            return token
        found.add(VERSION_SIGN.sub("", token.casefold()))
        return " "

    rest = TOKEN.sub(take, unicodedata.normalize("NFKC", text))
    return Coded(frozenset(found), rest)
