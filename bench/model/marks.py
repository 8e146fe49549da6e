"""What a conversation has to come to, and whether it did: by words, so that any wording passes that says it.

A pattern is a list of needs. A need is words of which one has to stand in a statement (`size|sizes`); after `!` none of
them may. `walnut*` is any word that begins so, `@past` a list of words by its name. A statement is a memory's text, its
subject and when it happened.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from schemas.memory import Memory

DATA = Path(__file__).parent / "cases.json"
#: Between two turns of a session.
PAUSE = timedelta(seconds=20)

Pattern = tuple[str, ...]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Session(_Data):
    """Turns that are consolidated together, each as `role: text` or `role Speaker: text`."""

    at: datetime
    turns: tuple[str, ...] = Field(min_length=1)

    def lines(self) -> list[dict[str, str]]:
        """The turns in the form that producers take, without their owner."""
        lines = []
        for place, turn in enumerate(self.turns):
            who, _, text = turn.partition(": ")
            role, _, speaker = who.partition(" ")
            said_at = (self.at + place * PAUSE).isoformat()
            line = {"role": role, "text": text, "said_at": said_at}
            lines.append({**line, "speaker": speaker} if speaker else line)
        return lines


class Case(_Data):
    """A conversation with one user and the state it should end in."""

    theme: str
    name: str
    sessions: tuple[Session, ...]
    #: Each has to fit a live statement.
    live: tuple[Pattern, ...] = ()
    #: None may fit a live statement.
    never: tuple[Pattern, ...] = ()
    #: Live statements, at most.
    at_most: int | None = None


class Cases(_Data):
    """The whole file."""

    words: Mapping[str, tuple[str, ...]]
    cases: tuple[Case, ...]

    def faults(self, case: Case, live: Iterable[Memory]) -> list[str]:
        """What is not as it should be; nothing where the case has passed."""
        said = [_statement(memory) for memory in live]
        missing = [one for one in case.live if not any(self.fits(one, text) for text in said)]
        wrong = [one for one in case.never if any(self.fits(one, text) for text in said)]
        faults = [f"nothing says {' + '.join(one)}" for one in missing]
        faults += [f"something says {' + '.join(one)}" for one in wrong]
        if case.at_most is not None and len(said) > case.at_most:
            faults.append(f"{len(said)} statements, {case.at_most} at most")
        return faults

    def fits(self, pattern: Sequence[str], text: str) -> bool:
        return all(self._meets(need, _folded(text)) for need in pattern)

    def _meets(self, need: str, folded: str) -> bool:
        wanted = not need.startswith("!")
        words = [word for one in need.lstrip("!").split("|") for word in self._listed(one)]
        return any(_stands(word, folded) for word in words) is wanted

    def _listed(self, word: str) -> tuple[str, ...]:
        return self.words[word[1:]] if word.startswith("@") else (word,)


def load(path: Path = DATA) -> Cases:
    return Cases.model_validate(json.loads(path.read_text(encoding="utf-8")))


def _statement(memory: Memory) -> str:
    return f"{memory.text} {memory.subject} {memory.happened_at or ''}"


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).replace("’", "'").casefold()


def _stands(word: str, folded: str) -> bool:
    """As a whole word; in scripts without spaces as a part of the text."""
    end = "" if word.endswith("*") else "(?![a-z0-9])"
    return (
        re.search(f"(?<![a-z0-9]){re.escape(_folded(word.rstrip('*')))}{end}", folded) is not None
    )
