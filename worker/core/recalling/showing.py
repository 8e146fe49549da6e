"""What was shown in a conversation, as several processes know it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from uuid import UUID

from worker.core.recalling.answer import Answer
from worker.core.recalling.pool import LeftOut


@dataclass(frozen=True)
class Showing:
    """A memory was shown in this version, or named for withdrawal after it was."""

    version: int
    is_withdrawn: bool = False


Showings = Mapping[UUID, Showing]


def in_view(stored: Mapping[UUID, int], own: Showings) -> dict[UUID, int]:
    """Memory id → version: what is stored for all, and what this process has not brought there yet.

    Versions only grow, so the higher one is the later.
    """
    view = dict(stored)
    for id, one in own.items():
        if one.version >= view.get(id, 0):
            view.pop(id, None)
            if not one.is_withdrawn:
                view[id] = one.version
    return view


def without_doubles(answer: Answer, own: Showings) -> Answer:
    """Without what another answer to the same conversation has told while this one was made."""
    doubles = {
        one.memory.id
        for one in answer.items
        if (told := own.get(one.memory.id))
        and not told.is_withdrawn
        and told.version >= one.memory.version
    }
    gone = {id for id in answer.withdrawn if id in own and own[id].is_withdrawn}
    return replace(
        answer,
        items=tuple(one for one in answer.items if one.memory.id not in doubles),
        withdrawn=tuple(id for id in answer.withdrawn if id not in gone),
        outdated=tuple(one for one in answer.outdated if one.memory.id not in doubles | gone),
        left_out=(
            *answer.left_out,
            *(
                LeftOut(one.memory, "shown", f"version {one.memory.version} was shown just before")
                for one in answer.items
                if one.memory.id in doubles
            ),
        ),
    )


def shown_by(answer: Answer, shown: Mapping[UUID, int]) -> dict[UUID, Showing]:
    """What becomes known with an answer; `shown` is what was known before."""
    told = {one.memory.id: Showing(one.memory.version) for one in answer.items}
    gone = {id: Showing(shown.get(id, 0), is_withdrawn=True) for id in answer.withdrawn}
    return {**gone, **told}
