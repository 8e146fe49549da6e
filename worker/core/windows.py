"""Turns in portions that one call can hold. A turn that is longer is cut at boundaries, its parts overlapping."""

import re
from collections.abc import Iterator
from dataclasses import replace

from schemas.tokens import estimate
from schemas.turn import Turn
from worker.core.heard import Heard

#: Ends of what may stand together: a line, a sentence, else a word.
PIECE = re.compile(r"[^\n]*?(?:\n|[.!?]\s+|[。！？]|\Z)", re.DOTALL)
#: Tokens of a part's end that come again in the next: a sentence whose first half is cut off stands there whole.
OVERLAP = 100
#: Tokens of the smallest portions.
SMALLEST = 250
#: Characters of a piece without any boundary: at most one token each in any script, so that it fits any call.
LONGEST_PIECE = 400


def windows(heard: Heard) -> list[Heard]:
    """As few portions as `heard.window` tokens allow, in order; a part of a turn is that turn with less text."""
    portions: list[list[Turn]] = [[]]
    left = heard.window
    for turn in heard.turns:
        for part in _parts(turn, heard.window):
            cost = estimate(part.text)
            if portions[-1] and cost > left:
                portions.append([])
                left = heard.window
            portions[-1].append(part)
            left -= cost
    return [replace(heard, turns=tuple(portion)) for portion in portions if portion]


def smaller_windows(heard: Heard) -> Heard | None:
    """The same in portions of half the size; nothing where they would be too small to be worth it."""
    size = min(heard.window, sum(estimate(turn.text) for turn in heard.turns)) // 2
    return replace(heard, window=size) if size >= SMALLEST else None


def _parts(turn: Turn, most: int) -> Iterator[Turn]:
    if estimate(turn.text) <= most:
        yield turn
        return
    for text in _texts(turn.text, most):
        yield turn.model_copy(update={"text": text})


def _texts(text: str, most: int) -> Iterator[str]:
    pieces = list(_pieces(text))
    costs = [estimate(piece) for piece in pieces]
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
