"""Everything of a scope that a read may show, as lines; nothing is held meanwhile."""

from collections.abc import Iterator

from schemas.exported import ArchiveLine, Content, MemoryLine, RunLine
from schemas.plan import Run
from schemas.scope import Scope
from worker.core.ports import Reader
from worker.recall import veil_of


def exported(store: Reader, scope: Scope, *, vectors: bool = True) -> Iterator[Content]:
    """Live memories, then earlier versions, then runs that ended. What was forgotten is in none of them.

    A batch that is applied meanwhile may be seen in part; exported again, the rest is there.
    """
    whose = store.about(scope).embedder if vectors else None
    veiled = veil_of(store, scope)
    for record in store.memories(scope):
        vector = record.vector if whose else None
        yield MemoryLine(memory=record.memory, embedder=whose, vector=vector)
    for past in store.archives(scope):
        for archive in veiled.archives([past.archive]):
            vector = past.vector if whose else None
            yield ArchiveLine(archive=archive, embedder=whose, vector=vector)
    for run in store.runs(scope):
        if run.state != "open":
            yield RunLine(run=_without_plan(veiled.run(run)))


def _without_plan(run: Run) -> Run:
    """A plan that was never carried out is nobody's memory."""
    held = tuple(one.model_copy(update={"proposal": ()}) for one in run.held)
    return run.model_copy(update={"plan": None, "held": held})
