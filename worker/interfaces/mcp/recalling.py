"""The tools that recall: `recall` and `profile`."""

from collections.abc import Sequence
from uuid import UUID

from schemas.base import AwareDatetime, Frozen
from worker.core.recalling.answer import Answer, Recalled
from worker.core.recalling.options import Options
from worker.errors import Unavailable
from worker.interfaces.mcp.arguments import Asked, AskedProfile
from worker.interfaces.mcp.calls import Call
from worker.interfaces.mcp.telling import Paper, Told, day, left, short

NARROWER = "ask more narrowly, or give a larger max_tokens"
MORE = "give a larger limit and max_tokens, or use recall"


class MemoryTold(Frozen):
    id: UUID
    text: str
    said_at: AwareDatetime


class Memories(Frozen):
    """The best first."""

    memories: tuple[MemoryTold, ...]
    #: Those that did not fit.
    left_out: int
    #: What was not done as it should have been, in words.
    notes: tuple[str, ...]


async def recall(call: Call, asked: Asked) -> Told:
    answer = await _answer(call, (asked.query,), asked.limit, asked.max_tokens)
    none = "Nothing that is remembered bears on this."
    return _told(call, answer, asked.max_tokens, (none, NARROWER))


async def profile(call: Call, asked: AskedProfile) -> Told:
    answer = await _answer(call, (), asked.limit, asked.max_tokens)
    return _told(call, answer, asked.max_tokens, ("Nothing is remembered of this user yet.", MORE))


async def _answer(
    call: Call, queries: tuple[str, ...], limit: int | None, tokens: int | None
) -> Answer:
    """Raises `Unavailable` where nothing could be looked up as it should: that is not the same as to know nothing."""
    options: Options = {"max_tokens": call.paper(tokens).tokens}
    if limit is not None:
        options["limit"] = limit
    answer = await call.house.recaller.arecall(call.scope.app, call.scope.user, *queries, **options)
    if answer.degraded and not answer.items:
        raise Unavailable("; ".join(answer.degraded))
    return answer


def _told(call: Call, answer: Answer, tokens: int | None, words: tuple[str, str]) -> Told:
    none, remedy = words
    notes = tuple(call.told(one) for one in answer.degraded)
    paper = call.paper(tokens)

    def written(items: Sequence[Recalled], more: int) -> Told:
        more += answer.not_fitting
        lines = [_line(one, paper) for one in items]
        told = [*lines, *left(more, remedy), *(f"Note: {note}" for note in notes)]
        shown = tuple(_shown(one, paper) for one in items)
        fields = Memories(memories=shown, left_out=more, notes=notes)
        return Told(paper.between(told) if told else none, fields)

    return paper.fitted(answer.items, written)


def _line(one: Recalled, paper: Paper) -> str:
    memory = one.memory
    return f"[{short(memory.id)}] {paper.quoted(memory.text)} (said {day(memory.said_at)})"


def _shown(one: Recalled, paper: Paper) -> MemoryTold:
    memory = one.memory
    return MemoryTold(id=memory.id, text=paper.plain(memory.text), said_at=memory.said_at)
