"""An answer as one text for a prompt, which takes the place of the one before.

The same memories are the same bytes whatever was asked and however well each answers, so that what a provider has
cached stays of use; what has changed last comes last.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from schemas.memory import Memory
from worker.core.recalling.answer import Answer, Outdated, Recalled, Waiting
from worker.core.recalling.ask import Budget
from worker.core.recalling.harmless import harmless, without_marks
from worker.core.recalling.layout import Layout

Told = Outdated | Recalled | Waiting


def block(answer: Answer, layout: Layout) -> str:
    """One begin mark, a header, a line for each thing that is told, one end mark; empty where nothing is told.

    What does not fit into the budget is left out whole: `fitted` says what is left.
    """
    return _written(_all(fitted(answer, layout)), layout)


def fitted(answer: Answer, layout: Layout) -> Answer:
    """What of an answer its block tells: what no longer stands first, then waiting turns, then the best memories."""
    everything = _all(answer)
    if _fits(_written(everything, layout), layout.budget):
        return answer
    kept: list[Told] = []
    for one in everything:
        if _fits(_written([*kept, one], layout), layout.budget):
            kept.append(one)
    told = {id(one) for one in kept}
    items = tuple(one for one in answer.items if id(one) in told)
    return replace(
        answer,
        items=items,
        outdated=tuple(one for one in answer.outdated if id(one) in told),
        pending=tuple(one for one in answer.pending if id(one) in told),
        not_fitting=answer.not_fitting + len(answer.items) - len(items),
    )


def continued(before: Answer, answer: Answer) -> Answer:
    """For the block after one of `before`: what of it stands, and what is new in an answer that was `shown` all of it.

    What no longer stands is told once: nobody would say if it was forgotten in the meantime.
    """
    gone = {*answer.withdrawn, *(one.memory.id for one in answer.items)}
    still = (one for one in before.items if one.memory.id not in gone)
    return replace(answer, items=(*answer.items, *still))


def _all(answer: Answer) -> list[Told]:
    """The most important first."""
    return [*answer.outdated, *reversed(answer.pending), *answer.items]


def _fits(text: str, budget: Budget) -> bool:
    return (budget.characters is None or len(text) <= budget.characters) and (
        budget.tokens is None or budget.count(text) <= budget.tokens
    )


@dataclass(frozen=True)
class _Note:
    """One line, and where it belongs."""

    line: str
    #: When it came to be as it is; then what no longer stands before what does.
    place: tuple[datetime, int, int, int]
    subject: str = ""
    attribute: str = ""


def _written(told: Sequence[Told], layout: Layout) -> str:
    if not told:
        return ""
    known = _in_order(_of_known(one, layout) for one in told if not isinstance(one, Waiting))
    waiting = _in_order(_of_turn(one, layout) for one in told if isinstance(one, Waiting))
    lines = [
        layout.template.header.substitute(),
        *(_in_sections(known, layout) if layout.order == "by_topic" else _lines(known)),
        *_lines(waiting),
        layout.template.footer.substitute(),
    ]
    inside = without_marks("\n".join(filter(None, lines)), layout.marks)
    return f"{layout.marks.begin}\n{inside}\n{layout.marks.end}"


def _in_order(notes: Iterable[_Note]) -> list[_Note]:
    return sorted(notes, key=lambda one: one.place)


def _lines(notes: Iterable[_Note]) -> list[str]:
    return [one.line for one in notes]


def _in_sections(notes: Iterable[_Note], layout: Layout) -> list[str]:
    """Subjects, and slots of a subject, in the order in which they first come up."""
    subjects: dict[str, dict[str, list[_Note]]] = {}
    for one in notes:
        slots = subjects.setdefault(one.subject.casefold(), {})
        slots.setdefault(one.attribute.casefold(), []).append(one)
    lines: list[str] = []
    for slots in subjects.values():
        of_it = [one for slot in slots.values() for one in slot]
        lines += [layout.template.section.substitute(subject=of_it[0].subject), *_lines(of_it)]
    return lines


def _of_known(one: Outdated | Recalled, layout: Layout) -> _Note:
    if isinstance(one, Outdated):
        return _of_memory(one.memory, "outdated", one.at, layout)
    state = "outdated" if one.superseded else one.state
    return _of_memory(one.memory, state, one.memory.updated_at, layout)


def _of_memory(memory: Memory, state: str, since: datetime, layout: Layout) -> _Note:
    safe, template = partial(harmless, marks=layout.marks), layout.template
    line = {"outdated": template.outdated, "correction": template.corrected}.get(
        state, template.item
    )
    subject = safe(memory.subject)
    written = line.substitute(
        text=safe(memory.text),
        said_at=f"{memory.said_at:%Y-%m-%d}",
        kind=safe(memory.kind),
        subject=subject,
        tags=", ".join(map(safe, memory.tags)),
        state=state,
    )
    place = (since, int(state != "outdated"), memory.id.int, memory.version)
    return _Note(written, place, subject, memory.attribute or "")


def _of_turn(turn: Waiting, layout: Layout) -> _Note:
    line = layout.template.waiting.substitute(
        text=harmless(turn.text, layout.marks),
        said_at=f"{turn.said_at:%Y-%m-%d}",
        said_by=harmless(turn.speaker or turn.role, layout.marks),
    )
    return _Note(line, (turn.said_at, 0, turn.id.int, 0))
