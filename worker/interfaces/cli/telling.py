"""The demo's tables: what came in, what was made of it, and what is known at the end."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from schemas.memory import Archive, Memory
from schemas.plan import Changed, Run
from worker.core.recalling.answer import Recalled
from worker.interfaces.cli.memories import memories_table
from worker.interfaces.cli.output import plain, short, table, when
from worker.interfaces.cli.recalled import recalled_table
from worker.interfaces.cli.sessions import Session
from worker.interfaces.cli.versions import reasoned, successor
from worker.interfaces.versions import Texts
from worker.interfaces.where import model_of, redis_of, shown
from worker.settings import Settings

RULES = (
    "The rules mode: English rules, no language model. What it gets wrong is shown as it is; a model does"
    " better: SLOWWAVE_MODEL=NAME with SLOWWAVE_MODEL_URL and SLOWWAVE_MODEL_KEY."
)
DONE = {
    "add": "added",
    "confirm": "confirmed",
    "revise": "revised",
    "retire": "retired",
    "file": "history",
}


@dataclass(frozen=True)
class Ending:
    """How things stand when everything was said."""

    memories: tuple[Memory, ...]
    archives: tuple[Archive, ...]
    recalled: tuple[tuple[str, tuple[Recalled, ...]], ...]
    texts: Texts


def tell_start(out: Console, settings: Settings, turns: int, sessions: int) -> None:
    lines = [
        f"slowwave demo: {turns} turns in {sessions} sessions, through a real worker process",
        f"  model     {model_of(settings)}",
        f"  embedder  {settings.embedder}",
        f"  judgment  {settings.detector} + {settings.resolver}",
        f"  queue     {redis_of(settings)}",
        f"  store     {shown(settings.store)}",
    ]
    for line in lines:
        out.print(plain(line), soft_wrap=True)
    if settings.model == "rules":
        out.print(plain(RULES))


def tell_session(out: Console, session: Session, runs: Sequence[Run], texts: Texts) -> None:
    out.print()
    out.rule(plain(f"session {session.name}"), align="left")
    rows = [(when(turn.said_at), turn.speaker or turn.role, turn.text) for turn in session.turns]
    out.print(table("turns in", ("said", "who", "text"), rows, tall=False))
    for run in runs:
        out.print(plain(_found(run)), soft_wrap=True)
        if run.changes:
            out.print(_changes_table(run, texts))


def _found(run: Run) -> str:
    left_out = ", ".join(f"{reason} {count}" for reason, count in sorted(run.dropped.items()))
    parked = ": parked, a person has to look" if run.state == "parked" else ""
    return f"run {short(run.id)}{parked}: facts found {run.facts}" + (
        f"; left out: {left_out}" if left_out else ""
    )


def _changes_table(run: Run, texts: Texts) -> Table:
    rows = [
        (
            DONE[change.kind],
            texts.get((change.memory_id, change.version), "–"),
            _beside(change, texts),
            reasoned(change.relation, change.why),
        )
        for change in run.changes
    ]
    return table("changes", ("what", "memory", "before or instead", "verdict"), rows)


def _beside(change: Changed, texts: Texts) -> str:
    """The words before a revision, or those that stand instead of what was retired or filed."""
    if change.kind == "revise":
        return texts.get((change.memory_id, change.version - 1), "–")
    if change.replaced_by is None:
        return "–"
    return texts.get((change.replaced_by, 0), short(change.replaced_by))


def tell_ending(out: Console, ending: Ending) -> None:
    out.print()
    out.rule(plain("in the end"), align="left")
    out.print(memories_table(f"{len(ending.memories)} memories stand", ending.memories))
    if ending.archives:
        rows = [_archive_row(one, ending.texts) for one in ending.archives]
        columns = ("id", "memory", "replaced by", "why")
        out.print(table(f"{len(ending.archives)} earlier versions are kept", columns, rows))
    for query, found in ending.recalled:
        out.print(recalled_table(f"recall: {query}", found))


def _archive_row(archive: Archive, texts: Texts) -> tuple[object, ...]:
    memory = archive.memory
    return (
        f"{short(memory.id)} v{memory.version}",
        memory.text,
        successor(archive, texts),
        reasoned(archive.reason, archive.why),
    )


def tell_account(out: Console, figures: Iterable[tuple[str, object]]) -> None:
    line = " · ".join(f"{name} {value}" for name, value in figures)
    out.print(plain(line), soft_wrap=True)
