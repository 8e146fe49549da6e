"""The tools that look at one memory and at the whole: `history` and `status`."""

from collections.abc import Iterator, Sequence
from uuid import UUID

from schemas.base import AwareDatetime, Frozen
from schemas.memory import Archive, Memory, Reason
from worker.errors import NotFound
from worker.interfaces.histories import History, history_of
from worker.interfaces.mcp.arguments import AskedHistory, Nothing
from worker.interfaces.mcp.calls import WHERE_IDS_ARE, Call, Refused, memory_of
from worker.interfaces.mcp.telling import Paper, Told, day, left, short
from worker.interfaces.naming import shown_ever
from worker.parts import Parts

#: Versions that one answer looks at; older ones are counted.
MOST_VERSIONS = 100


class VersionTold(Frozen):
    id: UUID
    version: int
    text: str
    said_at: AwareDatetime
    #: Null for the one that stands.
    ended_at: AwareDatetime | None = None
    reason: Reason | None = None
    why: str = ""


class HistoryTold(Frozen):
    """The newest first; whether the memory stands, and how many older versions did not fit."""

    stands: bool
    versions: tuple[VersionTold, ...]
    left_out: int


class StatusTold(Frozen):
    memories: int
    #: Turns of conversations that wait to be learned from, and that were put aside for a person to look at.
    waiting: int
    parked: int
    model: str
    embedder: str


async def history(call: Call, asked: AskedHistory) -> Told:
    def read(parts: Parts) -> History:
        id = memory_of(asked.id, shown_ever(parts.store, call.scope))
        try:
            return history_of(parts.store, call.scope, id)
        except NotFound as error:
            raise Refused(f"memory {short(id)} is not found: {WHERE_IDS_ARE}") from error

    found = await call.house.with_parts(read)
    return _told(found, call.paper(asked.max_tokens))


def _told(found: History, paper: Paper) -> Told:
    versions = list(_versions(found, paper))
    shown, older = versions[:MOST_VERSIONS], len(versions[MOST_VERSIONS:])

    def written(items: Sequence[VersionTold], more: int) -> Told:
        stands = found.live is not None
        title = [] if stands else ["This memory no longer stands; it was:"]
        rest = left(more + older, "give a larger max_tokens")
        lines = (_line(one, paper) for one in items)
        fields = HistoryTold(stands=stands, versions=tuple(items), left_out=more + older)
        return Told(paper.between([*title, *lines, *rest]), fields)

    return paper.fitted(shown, written)


def _versions(found: History, paper: Paper) -> Iterator[VersionTold]:
    if found.live:
        yield _version(found.live, paper)
    yield from (_earlier(one, paper) for one in found.archives)


def _version(memory: Memory, paper: Paper) -> VersionTold:
    return VersionTold(
        id=memory.id,
        version=memory.version,
        text=paper.plain(memory.text),
        said_at=memory.said_at,
    )


def _earlier(archive: Archive, paper: Paper) -> VersionTold:
    ended = {
        "ended_at": archive.archived_at,
        "reason": archive.reason,
        "why": paper.plain(archive.why),
    }
    return _version(archive.memory, paper).model_copy(update=ended)


def _line(one: VersionTold, paper: Paper) -> str:
    what = f"[{short(one.id)}] version {one.version}: {paper.quoted(one.text)} (said {day(one.said_at)})"
    if one.ended_at is None:
        return f"{what}, stands now"
    why = f", because {paper.quoted(one.why)}" if one.why else ""
    return f"{what}, {one.reason} on {day(one.ended_at)}{why}"


async def status(call: Call, _: Nothing) -> Told:
    """Figures of this scope alone."""
    settings = call.house.settings

    def look(parts: Parts) -> StatusTold:
        queued = parts.inbox.queued(call.scope.key)
        return StatusTold(
            memories=parts.store.count(call.scope),
            waiting=queued.pending,
            parked=queued.parked,
            model=settings.model,
            embedder=settings.embedder,
        )

    found = await call.house.with_parts(look)
    return Told(
        f"{found.memories} memories; {found.waiting} turns wait to be learned from, {found.parked} were put aside."
        f" Memory works: the store and the queue answer (model {found.model}, embedder {found.embedder}).",
        found,
    )
