"""What callers attach to a statement (tags, fields, a pin) ends up on the memory that comes of it."""

from collections.abc import Sequence

from pydantic import JsonValue

from schemas.memory import Memory
from schemas.plan import Add, Change, Confirm, File, Plan, Revise
from worker.core.groups import merging
from worker.core.writing.stated import Stated


def attached(plan: Plan, statements: Sequence[Stated]) -> Plan:
    """Fields name by name, that of the statement said last standing; tags united; a pin stays.

    A confirmation that changes any of them is a revision: what is written over is kept.
    """
    in_order = sorted(statements, key=lambda one: one.fact.said_at)
    changes = (
        _attached(change, [one for one in in_order if one.turn.id in change.turn_ids], plan)
        for change in plan.changes
    )
    return plan.model_copy(update={"changes": tuple(changes)})


def _attached(change: Change, mine: Sequence[Stated], plan: Plan) -> Change:
    match change:
        case Confirm() if _changes(change.record.memory, mine):
            return _kept(change, with_fields(change.record.memory, mine), plan)
        case Add() | Revise():
            memory = with_fields(change.record.memory, mine)
            record = change.record.model_copy(update={"memory": memory})
            return change.model_copy(update={"record": record})
        case File():
            archive = change.archive.archive
            filed = archive.model_copy(update={"memory": with_fields(archive.memory, mine)})
            snapshot = change.archive.model_copy(update={"archive": filed})
            return change.model_copy(update={"archive": snapshot})
        case _:
            return change


def _changes(memory: Memory, mine: Sequence[Stated]) -> bool:
    return with_fields(memory, mine) != memory


def with_fields(memory: Memory, mine: Sequence[Stated]) -> Memory:
    """The memory with what these statements attach, later ones standing."""
    metadata: dict[str, JsonValue] = dict(memory.metadata)
    for one in mine:
        metadata |= one.turn.metadata
    return memory.model_copy(
        update={
            "metadata": metadata,
            "tags": merging.union(memory.tags, *(one.tags for one in mine)),
            "pinned": memory.pinned or any(one.pinned for one in mine),
        }
    )


def _kept(change: Confirm, memory: Memory, plan: Plan) -> Revise:
    """The confirmation as the next version, with the snapshot that it would not have left."""
    prior = {name: value for name, value in change.prior if name != "v"}
    before = change.record.memory.model_copy(update=prior)
    grown = {"version": before.version + 1, "updated_at": plan.planned_at}
    return Revise(
        record=change.record.model_copy(update={"memory": memory.model_copy(update=grown)}),
        archive=merging.outdated(
            change.record.model_copy(update={"memory": before}),
            why=change.why,
            run=plan.run,
            now=plan.planned_at,
        ),
        relation=change.relation,
        why=change.why,
        turn_ids=change.turn_ids,
        said=change.said,
    )
