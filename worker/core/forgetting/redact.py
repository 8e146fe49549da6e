"""What remains of a text without what is to be forgotten."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import BaseModel

from schemas.memory import Statement
from worker.core.forgetting.topics import Topic
from worker.core.groups.guard import affirmed, foreign, invented
from worker.core.reply_fields import Nullable, Reply
from worker.core.step import BadReply, Doubtful, Prompt
from worker.core.texts.clauses import clauses
from worker.core.texts.words import carriers, is_blank

#: Details named in one complaint.
DETAILS = 8


class RedactReply(Reply):
    """Empty, or null, if nothing remains."""

    text: Nullable


@dataclass(frozen=True)
class Redaction:
    """A statement that says more than what is to go."""

    statement: Statement
    topic: Topic


@dataclass(frozen=True)
class Redacting:
    """One call for one text. A step: `Redaction` → the text that remains, null for nothing."""

    def ask(self, item: Redaction) -> Sequence[Prompt]:
        document = {"text": item.statement.text, "forget": item.topic.text}
        return [Prompt("redact", document, RedactReply)]

    def read(self, item: Redaction, replies: Sequence[BaseModel]) -> str | None:
        (reply,) = replies
        text = cast("RedactReply", reply).text
        left = None if text is None or is_blank(text) else text
        if left and (wrong := list(_faults(item, left))):
            raise BadReply("; ".join(wrong), plainly=f"{len(wrong)} rules of what remains broken")
        if missing := _lost(item, left or ""):
            raise Doubtful(
                f"{_listed(missing)} may have nothing to do with what is to be forgotten: keep it, unless"
                " it says nothing by itself",
                plainly="more may be gone than was asked for",
                stands=left,
            )
        return left


def _faults(item: Redaction, left: str) -> Iterator[str]:
    """What remains tells nothing of what goes, and nothing that was not said."""
    said = [item.statement]
    if item.topic.is_in(left):
        yield f'the text "{left}" still tells of "{item.topic.text}": leave all of that out'
    if extra := [*foreign(said, left), *invented(said, [left])]:
        yield f"the text adds {_listed(extra)}: leave words out, write none of your own"
    if turned := affirmed(said, left):
        yield f"the text turns {_listed(turned)} into its contrary: keep the negation"


def _lost(item: Redaction, left: str) -> list[str]:
    """Clauses of which no word remains although they do not speak of what goes."""
    kept, known = carriers(left), carriers(item.statement.subject)
    return [
        f'"{clause}"'
        for clause in clauses(item.statement.text)
        if not item.topic.is_in(clause)
        and (words := carriers(clause) - known)
        and words.isdisjoint(kept)
    ]


def _listed(details: Sequence[str]) -> str:
    more = f" and {len(details) - DETAILS} more" if len(details) > DETAILS else ""
    return ", ".join(details[:DETAILS]) + more
