"""An answer of recall as programs get it."""

from pydantic import JsonValue

from worker.core.recalling.answer import Recalled
from worker.core.recalling.pool import LeftOut


def scored(one: Recalled, *, explain: bool = False) -> dict[str, JsonValue]:
    """A memory with its score; explained, with how it fits and what the score is made of."""
    told: dict[str, JsonValue] = {
        **one.memory.model_dump(mode="json"),
        "score": one.score,
        "state": one.state,
        "superseded": one.superseded,
    }
    if explain:
        terms = one.terms
        told["terms"] = {
            "cosine": terms.cosine,
            "bm25": terms.bm25,
            "codes": terms.codes,
            "parts": {name: round(part, 6) for name, part in terms.parts.items()},
        }
    return told


def left_out(one: LeftOut) -> dict[str, JsonValue]:
    return {
        **one.memory.model_dump(mode="json"),
        "left_out": {"stage": one.stage, "why": one.why},
    }
