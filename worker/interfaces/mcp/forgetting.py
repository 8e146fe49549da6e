"""The tool that forgets: `forget`. One call shows what would go, another one names it and confirms."""

from collections.abc import Sequence
from uuid import UUID

from schemas.base import Frozen
from worker.core.forgetting.going import Named
from worker.core.texts.words import carriers
from worker.direct.forgetting import Receipt, Sighted, Wanted, sighted
from worker.direct.forgetting import forget as forget_them
from worker.errors import NotFound
from worker.interfaces.mcp.arguments import Forgetting
from worker.interfaces.mcp.calls import WHERE_IDS_ARE, Call, Refused, memory_of
from worker.interfaces.mcp.telling import Paper, Told, left, short
from worker.interfaces.naming import all_ever
from worker.parts import Parts
from worker.recall import earlier

#: Not shown again, not even to whoever asks for its words.
HIDDEN = "(forgotten in a conversation, not yet removed)"
NOT_YET = "Nothing is forgotten yet."


class WouldGo(Frozen):
    id: UUID
    text: str
    #: It says more, and the rest stays.
    is_part: bool


class ForgetTold(Frozen):
    """Without a receipt nothing was forgotten: `would_go` is what the same call would take once it is confirmed."""

    would_go: tuple[WouldGo, ...] = ()
    left_out: int = 0
    receipt: Receipt | None = None


async def forget(call: Call, asked: Forgetting) -> Told:
    if asked.query is None and not asked.ids:
        raise Refused("say what to forget: a query, or ids")
    if asked.query is not None and not carriers(asked.query):
        raise Refused("the query names nothing: say in a few words what is to go")
    return await call.house.with_parts(lambda parts: _done(parts, call, asked))


def _done(parts: Parts, call: Call, asked: Forgetting) -> Told:
    """Without ids nothing that is remembered goes, confirmed or not."""
    if asked.ids:
        ids = [memory_of(one, all_ever(parts.store, call.scope)) for one in asked.ids]
        if not asked.confirm:
            return _shown(_by_ids(parts, call, ids), call.paper(), asked.query)
        return _forgotten(parts, call, Wanted(tuple(dict.fromkeys(ids)), asked.query))
    found = sighted(parts, call.scope, asked.query or "", call.house.now())
    if found.named or not asked.confirm:
        return _sighted(found, call.paper(), asked.query or "")
    return _forgotten(parts, call, Wanted((), asked.query))


def _forgotten(parts: Parts, call: Call, wanted: Wanted) -> Told:
    try:
        receipt = forget_them(parts, call.scope, wanted, parts.inbox.now())
    except NotFound as error:
        raise Refused(
            f"one of these ids is not found, and nothing was forgotten: {WHERE_IDS_ARE}"
        ) from error
    gone = (
        f"Forgotten for good: {receipt.memories} memories whole, a part of {receipt.redacted},"
        f" {receipt.archives} earlier versions, {receipt.pending + receipt.parked + receipt.recent} queued turns."
    )
    return Told(gone, ForgetTold(receipt=receipt))


def _sighted(found: Sighted, paper: Paper, query: str) -> Told:
    if found.named:
        return _shown([_of_named(one, paper) for one in found.named], paper, query)
    near = [f"[{short(one.id)}] {paper.quoted(one.text)}" for one in found.near]
    beside = ["These are near, and stay unless you give their ids:", *near] if near else []
    again = (
        f"{NOT_YET} No memory has all of these words; turns that are still queued may have them: to remove those, call"
        " forget with the same query and confirm true."
    )
    told = Told(f"{again}\n{paper.between(beside)}" if beside else again, ForgetTold())
    return told if paper.fits(told) else Told(again, ForgetTold())


def _of_named(one: Named, paper: Paper) -> WouldGo:
    text = HIDDEN if one.state == "forgotten" else paper.plain(one.text)
    return WouldGo(id=one.id, text=text, is_part=one.says_more)


def _by_ids(parts: Parts, call: Call, ids: Sequence[UUID]) -> list[WouldGo]:
    """With the words that they have or had, where those may be shown."""
    live = {one.memory.id: one.memory.text for one in parts.store.memories(call.scope, ids)}
    before = {one.memory.id: one.memory.text for one in earlier(parts.store, call.scope)}
    texts, paper = {**before, **live}, call.paper()
    return [
        WouldGo(id=id, text=paper.plain(texts.get(id, HIDDEN)), is_part=False)
        for id in dict.fromkeys(ids)
    ]


def _shown(found: Sequence[WouldGo], paper: Paper, query: str | None) -> Told:
    same = "the same query, " if query else ""
    again = (
        f"{NOT_YET} Show the user what would go; if they agree, call forget with {same}the ids of what is to go and"
        " confirm true. It cannot be undone."
    )

    def written(items: Sequence[WouldGo], more: int) -> Told:
        lines = (_line(one, paper) for one in items)
        rest = left(more, f"forget these first, then look again; {WHERE_IDS_ARE}")
        fields = ForgetTold(would_go=tuple(items), left_out=more)
        return Told(f"{again}\n{paper.between([*lines, *rest])}", fields)

    return paper.fitted(found, written)


def _line(one: WouldGo, paper: Paper) -> str:
    part = ", a part of it" if one.is_part else ""
    return f"[{short(one.id)}] {paper.quoted(one.text)}{part}"
