"""What a request to forget takes away, and what of a memory remains."""

import re

from schemas.memory import Fact, Memory
from worker.rules.likeness import Looked, core_of
from worker.rules.verbs import past

#: Where a statement about one subject goes on to the next thing.
NEXT_THING = re.compile(
    r"; (?:before that |before: |otherwise: |also: )?|,? and (?=[a-z]+\b)|, (?=they |which )"
)
OWN_TOPIC = re.compile(r"^(?:[A-Z][\w-]*'s|[Tt]heir) (?P<topic>[\w ]+)$")


def is_meant(request: Looked, other: Looked) -> bool:
    """All telling words of the request are in the statement, or it names the statement's slot."""
    if request.statement.subject != other.statement.subject:
        return False
    topic = OWN_TOPIC.match(request.statement.text)
    slot = other.statement.attribute
    if topic and slot and core_of(topic["topic"]) == core_of(slot):
        return True
    return request.core <= other.whole


def remains(text: str, request: Looked) -> tuple[str | None, tuple[str, ...]]:
    """What is left of the text, null for nothing, and the literal pieces that go."""
    pieces = _pieces(text)
    gone = [piece for piece in pieces if request.core & core_of(piece)]
    kept = [piece for piece in pieces if piece not in gone]
    if (
        not kept
        or not gone
        or not all(past(piece.split()[0]) for piece in kept if piece != pieces[0])
    ):
        return None, (text,)
    who = text.split(maxsplit=1)[0]
    left = " and ".join(kept)
    return (left if kept[0] == pieces[0] else f"{who} {left}"), tuple(gone)


def left_to_stand(statement: Fact | Memory, request: Looked) -> tuple[str | None, tuple[str, ...]]:
    """What of the text that stands again once the end has come is left, and the literal pieces that go."""
    if statement.after is None:
        return None, ()
    later = statement.model_copy(update={"text": statement.after})
    return remains(later.text, request) if is_meant(request, Looked(later)) else (later.text, ())


def _pieces(text: str) -> list[str]:
    """Clauses that start with a verb of their own, behind the first."""
    found, start = [], 0
    for joint in NEXT_THING.finditer(text):
        following = text[joint.end() :].split()
        if following and past(following[0]):
            found.append(text[start : joint.start()])
            start = joint.end()
    return [piece for piece in (*found, text[start:]) if piece]
