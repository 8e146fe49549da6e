"""Codes are exact: asked for one, another of its make is no answer, however alike the two sentences."""

import re
from collections.abc import Iterable

from worker.core.recalling.pool import Entry, Pool, Stage
from worker.core.recalling.questions import Question

#: A code: letters, a joint and a number of at least three digits, in this order or the other.
CODE = re.compile(r"(?=.*[^\W\d_])(?=.*\d{3})(?=.*[\w][-_/:.#])\S+")
NUMBER = re.compile(r"\d+")
LETTERS = re.compile(r"[^\W\d_]+")


def exact(questions: Iterable[Question]) -> Stage:
    """Leaves out what has no code of the question but one of the same make, where the asked one is known.

    A question without a code asks for none in particular: then nothing is left out.
    """
    asked = [set(question.codes) for question in questions]

    def stage(pool: Pool) -> Pool:
        known = {code for one in pool.entries for code in one.memory.identifiers}
        every = set[str]().union(*asked)
        found = {make: code for code in sorted(every & known) for make in _makes(code)}
        if not found or not all(asked):
            return pool
        return pool.sifted("code", lambda entry: _mistaken(entry, every, found))

    return stage


def _mistaken(entry: Entry, asked: set[str], found: dict[str, str]) -> str | None:
    codes = entry.memory.identifiers
    if entry.is_correction or asked.intersection(codes):
        return None
    for code in codes:
        for make in _makes(code):
            if make in found:
                return f"it has {code}, and {found[make]} was asked for"
    return None


def _makes(code: str) -> tuple[str, ...]:
    """What all codes that differ only in digits share, and what those share that differ only in letters."""
    if not CODE.fullmatch(code):
        return ()
    return NUMBER.sub("0", code), LETTERS.sub("a", code)
