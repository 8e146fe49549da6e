"""Layouts, and texts that would break out of a block."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from hypothesis import strategies as st

from tests.build import NOW, at, memory, uid
from worker.core.hearing.marks import MARKS, Marks
from worker.core.recalling.answer import Answer, Outdated, Recalled, Waiting
from worker.core.recalling.block import block
from worker.core.recalling.layout import Layout
from worker.core.recalling.template import template_of

PLAIN = """
header = "Notes."
section = "[$subject]"
item = "- $text"
corrected = "- now: $text"
outdated = "- no more: $text"
waiting = "- $said_by says: $text"
"""
LAYOUT = Layout(template_of(PLAIN))
#: The default ones, ones of words alone, ones that begin alike, and ones that a line may end with.
MARKINGS = (
    *(MARKS, Marks("MEMORY BEGIN", "MEMORY END"), Marks("§§§", "§§+")),
    *(Marks("[[memory]]", "[[end]]"), Marks("(recalled)", "(/recalled)"), Marks("- -", "...")),
)


def recalled(text: str, days: float = -30, state: Any = "new", **fields: Any) -> Recalled:
    """Last changed so many days after `NOW`."""
    return Recalled(memory(text, updated_at=at(days), **fields), 1.0, state)


def waiting(text: str, said_at: datetime = NOW, speaker: str | None = None) -> Waiting:
    return Waiting(uid(text), "c", "user", speaker, text, said_at)


def lines(answer: Answer, layout: Layout = LAYOUT) -> list[str]:
    """What stands between the header and the end mark."""
    return block(answer, layout).splitlines()[2:-1]


def fits(layout: Layout, **budget: Any) -> Layout:
    return replace(layout, budget=replace(layout.budget, **budget))


HOSTILE = st.lists(
    st.sampled_from(
        [
            *(mark for marks in MARKINGS for mark in (marks.begin, marks.end)),
            *("<reca", "lled>", "</", "<", "recalled>", "RECALLED", "§", ".", "-", "(", ")"),
            *("\n", "\r", "\0", "\u2028", "\u202e", "\u200b", "\x1b[2J", "\U000e0041", " "),
            *("ſ", "İ", "K", "Lives in Oslo.", "猫", "$text", "${x}", "{text}", "\n\n"),
        ]
    ),
    min_size=1,
    max_size=12,
).map("".join)


def _memory(drawn: tuple[str, str, str, list[str], int, str, bool]) -> Recalled:
    text, subject, kind, tags, days, state, superseded = drawn
    made = recalled(text, days, state, id=uid(repr(drawn)), kind=kind, tags=tuple(tags))
    held = made.memory.model_copy(update={"subject": subject, "attribute": kind})
    return replace(made, memory=held, superseded=superseded)


RECALLED = st.tuples(
    HOSTILE.map(lambda text: text.replace("\0", "")).filter(bool),
    *(HOSTILE, HOSTILE, st.lists(HOSTILE, max_size=2), st.integers(-9, 9)),
    *(st.sampled_from(["new", "correction"]), st.booleans()),
).map(_memory)
ANSWERS = st.builds(
    Answer,
    items=st.lists(RECALLED, max_size=5).map(tuple),
    outdated=st.lists(
        st.builds(Outdated, RECALLED.map(lambda one: one.memory), st.just(NOW)), max_size=2
    ).map(tuple),
    pending=st.lists(
        st.builds(waiting, HOSTILE, st.just(NOW), st.none() | HOSTILE), max_size=2
    ).map(tuple),
)
LAYOUTS = st.builds(
    Layout,
    st.just(LAYOUT.template),
    st.sampled_from(MARKINGS),
    st.sampled_from(["newest_last", "by_topic"]),
)
