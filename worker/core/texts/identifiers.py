"""Tokens that must match exactly: numbers, codes, versions, paths and addresses."""

import re
import unicodedata

from worker.core.texts.scripts import UNSPACED

#: A letter or digit of a script with spaces, so that a code inside Japanese text ends where it ends.
SIGN = rf"(?:(?![{UNSPACED}])[^\W_])"


def _token(sign: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?:~?\.{{0,2}}/)?{sign}(?:(?:{sign}|[-_./:@\\#+%~&=?]|(?<=\d),(?=\d))*{sign})?"
    )


TOKEN = _token(SIGN)
ASCII_TOKEN = _token("[A-Za-z0-9]")
CODE = re.compile(r"[A-Z]{2,}(?:-[A-Z]+)+|[^\W_]+(?:_+[^\W_]+)+")
ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+|[a-zA-Z][a-zA-Z+.]*://.+|www\..+")
PATH = re.compile(r"~?\.{0,2}/[\w.~-]+.*|[A-Za-z]:\\.+|[\w.-]+(?:[/\\][\w.-]+){2,}")
FILE_NAME = re.compile(r"[\w-]+(?:\.[\w-]+)*\.[a-z]{2,5}")


#: Without one of these no token of a text is an identifier.
HINT = re.compile(r"\d|[_@/\\]|[A-Z]{2}-|\.\w")


def identifiers(text: str) -> tuple[str, ...]:
    """Each once, in order, in compatibility form and casefolded: two are the same if they are equal."""
    if text.isascii():
        tokens = ASCII_TOKEN.findall(text) if HINT.search(text) else []
    else:
        tokens = TOKEN.findall(unicodedata.normalize("NFKC", text))
    return tuple(dict.fromkeys(token.casefold() for token in tokens if is_identifier(token)))


def is_identifier(token: str) -> bool:
    """Every token with a digit counts: "88213-A" and "88213-B" are not the same thing."""
    if token.isalpha():
        return False
    return any(sign.isdigit() for sign in token) or any(
        shape.fullmatch(token) for shape in (CODE, ADDRESS, PATH, FILE_NAME)
    )
