"""An answer, told to people."""

from collections.abc import Iterable, Sequence

from rich.table import Table

from worker.core.recalling.answer import Recalled
from worker.core.recalling.pool import LeftOut
from worker.interfaces.cli.output import day, short, table

COLUMNS = ("score", "id", "memory", "said")


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
