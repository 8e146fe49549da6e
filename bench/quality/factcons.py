"""FactConsolidation as a stream: sentences about the world, of which later ones change earlier ones.

The data set is `conflict_resolution.json` of HUST-AI-HYZ/MemoryAgentBench on GitHub and Hugging Face (MIT): numbered
sentences of a few patterns, a later number wins. It has no times: each is said an hour after the one before, the last
some time ago, and ten arrive together.
"""

import json
import re
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.quality.stream import Question, Said, Slot, Stream, Truth
from worker.core.texts.words import carriers_in_order

FILE = "conflict_resolution.json"
SPEAKER = "Reader"
LAST_AT = datetime(2025, 6, 1, tzinfo=UTC)
PACE = timedelta(hours=1)
TOGETHER = 10

NUMBERED = re.compile(r"\d+\. (?P<sentence>.+)\.")
#: What stands between subject and value.
BETWEEN = (
    r" (?:was born|died|worked|was founded|is located|was created|was written) in the"
    r" (?:city|continent|country|language) of | plays the position of | is married to | was founded by "
    r"| is associated with the sport of | is a citizen of | was performed by | is affiliated with the religion of "
    r"| speaks the language of | is famous for | was created by | was developed by | is employed by "
    r"|'s child is | works in the field of "
)
#: What stands before and behind the subject; the value is the rest.
PATTERNS = tuple(
    re.compile(rf"(?P<before>{before})(?P<subject>.+?)(?P<behind>{behind})(?P<value>.+)")
    for before, behind in (
        ("The univeristy where ", " was educated is "),
        ("The type of music that ", " plays is "),
        ("The company that produced ", " is "),
        ("The headquarters of ", " is located in the city of "),
        ("The name of the current head of state in ", " is "),
        ("The name of the current head of the ", " government is "),
        ("The .+? of ", " is "),
        ("", BETWEEN),
    )
)


def streams(folder: Path, size: str, limit: int | None = None) -> list[Stream]:
    """One stream of the single-hop row of a size (`6k`, `32k`); at most so many sentences.

    Its questions are about all sentences: fewer of them leave some without an answer.
    """
    rows = json.loads((folder / FILE).read_text(encoding="utf-8"))
    (row,) = [one for one in rows if one["metadata"]["source"] == f"factconsolidation_sh_{size}"]
    lines = row["context"].splitlines()
    sentences = [found["sentence"] for line in lines if (found := NUMBERED.fullmatch(line))]
    asked = zip(row["questions"], row["answers"], strict=True)
    questions = tuple(Question(text, (tuple(answers),)) for text, answers in asked)
    return [replace(stream(f"fc-{size}", sentences[:limit]), questions=questions)]


def stream(name: str, sentences: list[str]) -> Stream:
    """Raises `ValueError` for a sentence of no known pattern."""
    first = LAST_AT - len(sentences) * PACE
    said = [
        Said("list", SPEAKER, f"{sentence}.", first + at * PACE)
        for at, sentence in enumerate(sentences)
    ]
    values = defaultdict[tuple[str, str], list[str]](list)
    for sentence in sentences:
        subject, relation, value = parsed(sentence)
        values[subject, relation].append(value)
    slots = tuple(_slot(*key, told) for key, told in values.items())
    sessions = tuple(tuple(said[at : at + TOGETHER]) for at in range(0, len(said), TOGETHER))
    return Stream(name, sessions, Truth(slots), LAST_AT)


def parsed(sentence: str) -> tuple[str, str, str]:
    """Subject, relation in the words of its pattern, value."""
    for pattern in PATTERNS:
        if found := pattern.fullmatch(sentence):
            return found["subject"], f"{found['before']}{found['behind']}", found["value"]
    raise ValueError(f"this sentence of FactConsolidation has no known pattern: {sentence!r}")


def _slot(subject: str, relation: str, told: list[str]) -> Slot:
    """The relation's content words have to stand in a text about it, in any order."""
    words = (word for word in dict.fromkeys(carriers_in_order(relation)))
    return Slot(
        f"{subject}: {relation}",
        (subject, *(f"{word}*" for word in words)),
        told[-1],
        tuple(told[:-1]),
    )
