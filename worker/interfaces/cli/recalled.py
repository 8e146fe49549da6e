"""An answer, told to people and to machines."""

from collections.abc import Iterable, Sequence

from pydantic import JsonValue
from rich.table import Table

from worker.core.recalling.answer import Recalled
from worker.core.recalling.pool import LeftOut
from worker.interfaces.cli.output import day, short, table

COLUMNS = ("score", "id", "memory", "said")


def scored(one: Recalled, *, explain: bool = False) -> dict[str, JsonValue]:
    """A memory with its score, for JSON; explained, with how it fits and what the score is made of."""
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


def recalled_table(title: str, found: Iterable[Recalled], *, explain: bool = False) -> Table:
    """Explained, a column for each term that adds to any score."""
    found = list(found)
    names = dict.fromkeys(name for one in found for name in one.terms.parts) if explain else ()
    extra = ("cosine to query", *names) if explain else ()
    rows = [(*_row(one), *(_terms(one, tuple(names)) if explain else ())) for one in found]
    return table(title, (*COLUMNS, *extra), rows, tall=False)


def left_out_table(gone: Sequence[LeftOut]) -> Table:
    rows = [(short(one.memory.id), one.memory.text, one.stage, one.why) for one in gone]
    return table(f"{len(gone)} left out", ("id", "memory", "by", "why"), rows, tall=False)


def _row(one: Recalled) -> tuple[str, ...]:
    marks = [
        *(["corrects what was shown"] if one.state == "correction" else []),
        *(["no longer stands"] if one.superseded else []),
    ]
    text = f"{one.memory.text} [{', '.join(marks)}]" if marks else one.memory.text
    return f"{one.score:.2f}", short(one.memory.id), text, day(one.memory.said_at)


def _terms(one: Recalled, names: Sequence[str]) -> tuple[str, ...]:
    near = "–" if one.terms.cosine is None else f"{one.terms.cosine:.3f}"
    return near, *(f"{one.terms.parts.get(name, 0):+.3f}" for name in names)
