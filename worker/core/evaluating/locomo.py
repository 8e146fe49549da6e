"""LoCoMo's file as conversations: turns to be learned from, and questions with their answers.

The data set is Maharana et al. 2024, "Evaluating Very Long-Term Conversational Memory of LLM Agents",
`data/locomo10.json` in the repository snap-research/locomo, under CC BY-NC 4.0. Captions of images are left out: only
what was said is text. A session has one time, in no zone: it is read as UTC, and each turn is a second later than the
one before, so that their order is their time.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Any

from schemas.line import Refused, turn_of
from worker.core.reply_fields import printable

#: Whose memory it is: each conversation is a user of it.
APP = "locomo"
WHEN = "%I:%M %p on %d %B, %Y"
_SESSION = re.compile("session_([0-9]+)")
#: Its categories by number.
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open domain", 4: "single-hop", 5: "adversarial"}
#: What it asks was said of somebody else, or never: right is to say that it is not known.
ADVERSARIAL = "adversarial"
WHERE = (
    "get data/locomo10.json from the repository snap-research/locomo (licence CC BY-NC 4.0: not for commercial use)"
    " and name the path of your copy"
)


@dataclass(frozen=True)
class Question:
    """One that was asked about a conversation."""

    number: int
    text: str
    category: str
    #: What is right; empty for `adversarial`.
    expected: str


@dataclass(frozen=True)
class Conversation:
    """Two people who talked for months."""

    name: str
    #: Lines for a producer, in the order they were said; the conversation is the user.
    turns: tuple[dict[str, str], ...]
    questions: tuple[Question, ...]

    def sessions(self) -> Iterator[list[dict[str, str]]]:
        """Turns that were said in one go."""
        for _, session in groupby(self.turns, lambda turn: turn["conversation"]):
            yield list(session)


def conversations(document: object) -> tuple[Conversation, ...]:
    """Raises `ValueError` saying where the document is not as LoCoMo's."""
    if not isinstance(document, list) or not document:
        raise ValueError(f"is no list of conversations: {WHERE}")
    found = tuple(_conversation(one, f"entry {at}") for at, one in enumerate(document, start=1))
    if len({one.name for one in found}) < len(found):
        raise ValueError("has two conversations of one `sample_id`: they would share a memory")
    return found


def turns(sample: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    """The turns of one sample, in the order they were said."""
    talk = sample["conversation"]
    for session in sorted(filter(_SESSION.fullmatch, talk), key=_place):
        began_at = datetime.strptime(talk[f"{session}_date_time"], WHEN).replace(tzinfo=UTC)
        for place, said in enumerate(talk[session]):
            yield {
                "app": APP,
                "user": str(sample["sample_id"]),
                "conversation": session,
                "role": "user",
                "speaker": said["speaker"],
                "text": said["text"],
                "said_at": (began_at + timedelta(seconds=place)).isoformat(),
                "id": said["dia_id"],
            }


def _place(session: str) -> int:
    return int(session.removeprefix("session_"))


def _conversation(sample: Any, where: str) -> Conversation:
    try:
        name = str(sample["sample_id"])
        asked = tuple(_questions(sample["qa"]))
        said = tuple(one for one in turns(sample) if one["text"].strip())
        _refuse_what_no_producer_takes(said)
    except KeyError as missing:
        raise ValueError(f"{where} has no {missing}: {WHERE}") from missing
    except (AttributeError, TypeError) as error:
        raise ValueError(f"{where} is not as LoCoMo's entries are: {WHERE}") from error
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    if not said:
        raise ValueError(f"{where} has no turns: {WHERE}")
    return Conversation(name, said, asked)


def _refuse_what_no_producer_takes(said: tuple[dict[str, str], ...]) -> None:
    """Two turns of one id would be one. Raises `ValueError` before anything is paid for."""
    known = set[tuple[str, str]]()
    for one in said:
        where = f"{one['conversation']}, turn {one['id']}"
        match turn_of(one, datetime.fromisoformat(one["said_at"])):
            case Refused(message=message):
                raise ValueError(f"{where}: {message}")
        if (key := (one["conversation"], str(one["id"]))) in known:
            raise ValueError(f"{where}: there are two of this `dia_id`")
        known.add(key)


def _questions(listed: list[dict[str, Any]]) -> Iterator[Question]:
    for number, one in enumerate(listed, start=1):
        if one["category"] not in CATEGORIES:
            raise ValueError(f"question {number} is of category {one['category']!r}, not 1 to 5")
        category = CATEGORIES[one["category"]]
        expected = "" if category == ADVERSARIAL else _text(one, "answer", number)
        yield Question(number, _text(one, "question", number), category, expected)


def _text(question: Mapping[str, Any], field: str, number: int) -> str:
    """Years stand as numbers in it."""
    value = question.get(field)
    if value is None or not (text := str(value).strip()):
        raise ValueError(f"question {number} has no `{field}`")
    if printable(text) != text:
        raise ValueError(f"question {number}: `{field}` holds what is no text: remove it")
    return text


def spread(questions: tuple[Question, ...], limit: int | None) -> tuple[Question, ...]:
    """So many of them, of each category in turn, in the order of the file."""
    if limit is None or limit >= len(questions):
        return questions
    rank = dict[int, int]()
    seen = dict[str, int]()
    for one in questions:
        rank[one.number] = seen.get(one.category, 0)
        seen[one.category] = rank[one.number] + 1
    chosen = sorted(questions, key=lambda one: (rank[one.number], one.number))[:limit]
    return tuple(sorted(chosen, key=lambda one: one.number))
