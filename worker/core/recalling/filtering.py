"""What the asker wants nothing else than."""

from schemas.memory import Memory
from worker.core.recalling.ask import Filters
from worker.core.recalling.pool import Entry, Stage


def filtered(filters: Filters) -> Stage:
    """Leaves out what is of another kind, tag, subject, authority, time or metadata."""
    if filters == Filters():
        return lambda pool: pool
    return lambda pool: pool.sifted("filter", lambda entry: _unwanted(entry, filters))


def _unwanted(entry: Entry, filters: Filters) -> str | None:
    memory = entry.memory
    if filters.kinds and memory.kind not in filters.kinds:
        return f"its kind is {memory.kind}"
    if missing := filters.tags - set(memory.tags):
        return f"it has no tag {', '.join(sorted(missing))}"
    if filters.subjects and memory.subject.casefold() not in _folded(filters.subjects):
        return f"it is about {memory.subject}"
    if filters.authorities and memory.authority not in filters.authorities:
        return f"the {memory.authority} said it"
    return _at_another_time(memory, filters) or _of_other_fields(memory, filters)


def _folded(names: frozenset[str]) -> set[str]:
    return {name.casefold() for name in names}


def _at_another_time(memory: Memory, filters: Filters) -> str | None:
    too_early = filters.said_from is not None and memory.said_at < filters.said_from
    too_late = filters.said_before is not None and memory.said_at >= filters.said_before
    return f"it was said at {memory.said_at.isoformat()}" if too_early or too_late else None


def _of_other_fields(memory: Memory, filters: Filters) -> str | None:
    for name, wanted in filters.metadata.items():
        if name not in memory.metadata:
            return f"it has no field {name}"
        # True equals 1 in Python, and in no store.
        found = memory.metadata[name]
        if found != wanted or isinstance(found, bool) != isinstance(wanted, bool):
            return f"its field {name} is another"
    return None
