"""Turns in portions that one call can hold. A turn that is longer is cut at boundaries, its parts overlapping."""

import re
from collections.abc import Iterator
from dataclasses import replace

from schemas.turn import Turn
from worker.core.hearing.heard import Heard

#: Ends of what may stand together: a line, a sentence, else a word.
PIECE = re.compile(r"[^\n]*?(?:\n|[.!?]\s+|[。！？]|\Z)", re.DOTALL)
#: Tokens of a part's end that come again in the next: a sentence whose first half is cut off stands there whole.
OVERLAP = 100
#: Tokens of the smallest portions.
SMALLEST = 250
#: Characters of a piece without any boundary: at most one token each in any script, so that it fits any call.
LONGEST_PIECE = 400


def windows(heard: Heard) -> list[Heard]:
    """As few portions as `heard.window` tokens allow, in order; a part of a turn is that turn with less text.

    What comes before a portion is context of it, so that a short answer is not cut from its question.
    """
    portions: list[list[Turn]] = [[]]
    left = heard.window
    for turn in heard.turns:
        for part in _parts(turn, heard):
            cost = heard.count(part.text)
            if portions[-1] and cost > left:
                portions.append([])
                left = heard.window
            portions[-1].append(part)
            left -= cost
    befores: list[list[Turn]] = [[], *portions]
    return [
        replace(heard, turns=tuple(portion), context=(*heard.context, *_end_of(before)))
        for before, portion in zip(befores, portions, strict=False)
        if portion
    ]


def _end_of(portion: list[Turn]) -> list[Turn]:
    return [turn.model_copy(update={"text": turn.text[-LONGEST_PIECE:]}) for turn in portion[-1:]]


def smaller_windows(heard: Heard) -> Heard | None:
    """The same in portions of half the size; nothing where they would be too small to be worth it."""
    size = min(heard.window, sum(heard.count(turn.text) for turn in heard.turns)) // 2
    return replace(heard, window=size) if size >= SMALLEST else None


def less_context(heard: Heard) -> Heard | None:
    """Without the older half of the context; nothing where there is none."""
    if not heard.context:
        return None
    return replace(heard, context=heard.context[(len(heard.context) + 1) // 2 :])


def _parts(turn: Turn, heard: Heard) -> Iterator[Turn]:
    if heard.count(turn.text) <= heard.window:
        yield turn
        return
    for text in _texts(turn.text, heard):
        yield turn.model_copy(update={"text": text})


def _texts(text: str, heard: Heard) -> Iterator[str]:
    pieces, most = list(_pieces(text)), heard.window
    costs = [heard.count(piece) for piece in pieces]
    start = 0
    while start < len(pieces):
        end, cost = start, 0
        while end < len(pieces) and (end == start or cost + costs[end] <= most):
            cost += costs[end]
            end += 1
        yield "".join(pieces[start:end])
        if end == len(pieces):
            return
        start = max(start + 1, end - _overlapping(costs[start:end]))


def _overlapping(costs: list[int]) -> int:
    """How many of the last pieces come again."""
    many, cost = 0, 0
    for one in reversed(costs):
        cost += one
        if cost > OVERLAP:
            break
        many += 1
    return many


def _pieces(text: str) -> Iterator[str]:
    """All of the text, in pieces that end where something ends."""
    for found in PIECE.finditer(text):
        piece = found.group()
        for at in range(0, len(piece), LONGEST_PIECE):
            yield piece[at : at + LONGEST_PIECE]
