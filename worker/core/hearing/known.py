"""What extraction is shown of the memory where no judge compares afterwards: what is near to what was just said."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from schemas.base import Vector
from schemas.tokens import estimate
from schemas.turn import Turn
from worker.core.current import current
from worker.core.finding.rank import reciprocal_rank_fusion
from worker.core.ports import Nominations, Query
from worker.core.texts.clauses import sentences
from worker.core.texts.identifiers import identifiers
from worker.core.texts.words import terms

#: Sentences that are looked up: a batch that is longer has its last ones looked up.
SENTENCES = 64
#: Longest piece of a sentence that is looked up, in characters; an embedder sees no more.
LONGEST = 600
#: Tokens of the memories shown, at most.
TOKENS = 1_500


def sayings(turns: Iterable[Turn]) -> list[str]:
    """What people said, sentence by sentence."""
    said = [one for turn in turns if turn.role == "user" for one in sentences(turn.text)]
    return [one[:LONGEST] for one in said][-SENTENCES:]


def known_queries(said: Sequence[str], vectors: Sequence[Vector]) -> list[Query]:
    """What to ask of the store, one for each saying: about whomever."""
    return [
        Query(vector, terms(text), identifiers(text))
        for text, vector in zip(said, vectors, strict=True)
    ]


def known(
    nominations: Nominations, now: datetime, count: Callable[[str], int] = estimate
) -> tuple[str, ...]:
    """Texts of the memories nominated, the nearest first, as many as there is room for."""
    ranked = reciprocal_rank_fusion(
        ranking
        for one in nominations.rankings
        for ranking in (one.by_vector, one.by_words, one.by_identifier)
    )
    texts: list[str] = []
    left = TOKENS
    for id, _ in ranked:
        memory = current(nominations.records[id].memory, now)
        # What nobody has said yet is worth saying.
        if memory is not None and not memory.derived and (cost := count(memory.text)) <= left:
            left -= cost
            texts.append(memory.text)
    return tuple(texts)
