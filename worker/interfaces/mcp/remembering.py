"""The tool that writes: `remember`."""

from uuid import uuid4

from worker.core.writing.stated import StatementLine, checked, stated
from worker.core.writing.written import Fate, Written
from worker.direct.remembering import remember as write
from worker.interfaces.mcp.arguments import Statement
from worker.interfaces.mcp.calls import Call, memory_of
from worker.interfaces.mcp.telling import Paper, Told, short
from worker.interfaces.naming import standing
from worker.parts import Parts

#: What a fate means for whoever has stated something.
MEANING: dict[Fate, str] = {
    "added": "It is a new memory",
    "confirmed": "It was known already, and is confirmed: memory",
    "revised": "It changed what was known: memory",
    "filed": "Something said later is known, so it is kept as history only: memory",
    "left out": "It was not kept",
    "unchanged": "Nothing had to change: memory",
}


async def remember(call: Call, asked: Statement) -> Told:
    """Done once it answers: the statement is weighed against what is known, and recalled from then on."""
    now = call.house.now()

    def act(parts: Parts) -> Written:
        line = _line(parts, call, asked)
        (done,) = write(parts, call.scope, [stated(line, call.scope, uuid4().hex, now)], now)
        return done

    done, paper = await call.house.with_parts(act), call.paper()
    return Told(_in_words(done, paper), done.model_copy(update={"why": paper.plain(done.why)}))


def _line(parts: Parts, call: Call, asked: Statement) -> StatementLine:
    """Raises `Unprocessable` for a field that cannot be."""
    given: dict[str, object] = {
        "text": asked.text,
        "authority": asked.said_by,
        "subject": asked.subject,
        "kind": asked.kind,
        "happened_at": asked.happened_at,
        "until": asked.until,
        "tags": asked.tags,
    }
    if asked.replaces:
        given["supersedes"] = [memory_of(asked.replaces, standing(parts.store, call.scope))]
    return checked({name: value for name, value in given.items() if value})


def _in_words(done: Written, paper: Paper) -> str:
    memory = f" [{short(done.memory)}], version {done.version}" if done.memory else ""
    gone = ", ".join(f"[{short(id)}]" for id in done.retired)
    instead = f", in place of {gone}" if gone else ""
    why = f" Why: {paper.quoted(done.why)}" if done.why else ""
    return f"{MEANING[done.fate]}{memory}{instead}.{why}"
