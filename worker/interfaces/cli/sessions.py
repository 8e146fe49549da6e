"""What the demo says: the bundled conversation, or sentences of your own, session by session."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby

from schemas.line import TurnLine

#: About the move, the coffee and the code.
QUESTIONS = (
    "Where do I live?",
    "What coffee do I drink in the morning?",
    "What does ERR_MEM_4413 mean?",
)


@dataclass(frozen=True)
class Session:
    """Turns that are published together and waited for."""

    name: str
    turns: tuple[TurnLine, ...]


def bundled(user: str | None = None) -> list[Session]:
    """The conversation in `demo.jsonl`, its late turn last; of another user where one is named."""
    text = files("worker.interfaces.cli").joinpath("demo.jsonl").read_text(encoding="utf-8")
    given = [json.loads(line) for line in text.splitlines() if line.strip()]
    named = [TurnLine(**(turn | ({"user": user} if user else {}))) for turn in given]
    return [
        Session(name, tuple(turns))
        for name, turns in groupby(named, lambda turn: turn.conversation)
    ]


def own(texts: Sequence[str], user: str | None = None) -> list[Session]:
    """Each sentence is a session of its own, and so a batch."""
    return [
        Session(
            str(number),
            (TurnLine(app="demo", user=user or "you", role="user", text=text, id=str(number)),),
        )
        for number, text in enumerate(texts, start=1)
    ]
