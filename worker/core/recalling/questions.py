"""What people and agents type, as it is searched for."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from worker.core.texts.identifiers import identifiers
from worker.core.texts.words import is_blank, terms

#: Characters of a query that are looked at: small embedders read no further.
LONGEST_QUERY = 2_000
#: Control characters and halves of surrogate pairs.
_UNREADABLE = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


@dataclass(frozen=True)
class Question:
    """One query, taken apart."""

    text: str
    terms: tuple[str, ...]
    codes: tuple[str, ...]


@dataclass(frozen=True)
class Asked:
    """What is searched for, and what was done to it, in words."""

    questions: tuple[Question, ...]
    notes: tuple[str, ...] = ()


def asked(queries: Iterable[str]) -> Asked:
    """Each that says anything, once, without control characters. Of a long one its beginning and its end."""
    plain = dict.fromkeys(_plain(query) for query in queries if not is_blank(query))
    notes = [
        f"a query of {len(query):,} characters was cut: its first and last {LONGEST_QUERY // 2:,} were looked at"
        for query in plain
        if len(query) > LONGEST_QUERY
    ]
    return Asked(tuple(map(_question, dict.fromkeys(map(_cut, plain)))), tuple(notes))


def _plain(query: str) -> str:
    return " ".join(_UNREADABLE.sub(" ", query).split())


def _cut(query: str) -> str:
    if len(query) <= LONGEST_QUERY:
        return query
    half = LONGEST_QUERY // 2
    return f"{query[:half]} {query[-half:]}"


def _question(text: str) -> Question:
    return Question(text, terms(text), identifiers(text))
