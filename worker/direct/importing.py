"""What was exported, back into a store; what is there already stays as it is."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from schemas.base import Vector
from schemas.exported import ArchiveLine, Content, MemoryLine, RunLine
from schemas.memory import Archive, Memory
from schemas.scope import Scope
from worker.applying import carry_out
from worker.core.finding.vectors import is_unit
from worker.core.moving.importing import Known, Lacking, forgotten_in, imported, lacking, retired_in
from worker.core.ports import Embedder, Reader
from worker.core.sleeping.note import read_note
from worker.direct.holding import holding
from worker.parts import Parts


def import_lines(
    parts: Parts, scope: Scope, lines: Sequence[Content], now: datetime
) -> Counter[str]:
    """Add what the scope lacks of these lines, all of it in one run; how many of each kind, and what was left out why.

    Done again it adds nothing. What was forgotten or erased here since does not come back. Raises `Retryable` while a
    worker holds the scope.
    """
    with holding(parts, scope, now) as held:
        portion = lacking(lines, _known(parts.store, scope, lines))
        vectors = _vectors(parts.embedder, portion)
        plan = imported(scope, portion, vectors, now, f"import {now.isoformat()}")
        plan = plan.model_copy(update={"embedder": parts.embedder.fingerprint})
        writer = parts.store.writer(scope, held.lease)
        if plan.changes:
            note = read_note(parts.store.about(scope).sleep, scope)
            if (told := note.importing(plan.run, now)) != note:
                writer.put_sleep(told.model_dump_json())
            carry_out(parts, plan, held.lease)
        for line in portion.runs:
            writer.put_run(line.run)
    return Counter(
        {
            "memories": len(portion.memories),
            "archives": len(portion.archives),
            "runs": len(portion.runs),
            **portion.left_out,
        }
    )


def _known(store: Reader, scope: Scope, lines: Iterable[Content]) -> Known:
    versions: dict[UUID, frozenset[int]] = {}
    last: dict[UUID, Archive] = {}
    for record in store.archives(scope):
        memory = record.archive.memory
        versions[memory.id] = versions.get(memory.id, frozenset()) | {memory.version}
        # In order of their versions.
        last[memory.id] = record.archive
    runs = list(store.runs(scope))
    named = {one.id for line in lines if (one := _memory(line)) is not None}
    return Known(
        live={record.memory.id: record.memory for record in store.memories(scope, named)},
        archived=versions,
        taken_back=frozenset(id for id, archive in last.items() if archive.reason == "undone"),
        retired=retired_in(runs),
        runs=frozenset(run.id for run in runs),
        forgotten=forgotten_in(runs),
        erased_at=store.about(scope).erased_at,
    )


def _vectors(embedder: Embedder, portion: Lacking) -> list[Vector]:
    """Those of the lines, or made anew where they are another embedder's, or no embedder's."""
    lines: list[MemoryLine | ArchiveLine] = [*portion.memories, *portion.archives]
    known = [_own(one, embedder) for one in lines]
    wanted = [_text(one) for one, vector in zip(lines, known, strict=True) if vector is None]
    made = iter(embedder.embed(wanted) if wanted else [])
    return [vector if vector is not None else next(made) for vector in known]


def _own(line: MemoryLine | ArchiveLine, embedder: Embedder) -> Vector | None:
    if line.vector is None or line.embedder != embedder.fingerprint:
        return None
    return line.vector if is_unit(line.vector, embedder.dimensions) else None


def _text(line: MemoryLine | ArchiveLine) -> str:
    return line.memory.text if isinstance(line, MemoryLine) else line.archive.memory.text


def _memory(line: Content) -> Memory | None:
    match line:
        case MemoryLine():
            return line.memory
        case ArchiveLine():
            return line.archive.memory
        case RunLine():
            return None
