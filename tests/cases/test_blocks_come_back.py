"""A block that was recalled comes back with the next turns: nothing of it is learned again."""

from typing import Any

import pytest

from schemas.scope import Scope
from tests.cases.talk import AtDesk, Talk, found
from tests.desk import scripted
from worker.adapters.templates import open_template
from worker.core.hearing.marks import MARKS, Marks
from worker.core.recalling.ask import Ask
from worker.core.recalling.block import block
from worker.core.recalling.layout import Layout
from worker.core.recalling.messages import with_block
from worker.core.recalling.template import Template, template_of
from worker.recall import recall

KNOWN = ("Plays the oboe", "Lives in Utrecht", "Has two canaries")
REWORDED = ("Is an oboe player", "Home is in Utrecht", "Keeps two canaries")
TOLD = "I play the oboe, live in Utrecht and have two canaries."
OTHER = template_of(
    """
header = "Was weiß ich?"
section = "$subject"
item = "* $text"
corrected = "* $text"
outdated = "* nicht mehr: $text"
waiting = "* $text"
footer = "Ende."
"""
)


@pytest.mark.parametrize("voice", ["user", "assistant"])
@pytest.mark.parametrize(
    ("marks", "template"),
    [(MARKS, open_template()), (Marks("[[memory]]", "[[end]]"), OTHER)],
    ids=["ours", "theirs"],
)
def test_a_block_that_comes_back_for_days_changes_nothing(
    at_desk: AtDesk, scope: Scope, marks: Marks, template: Template, voice: str
) -> None:
    table = at_desk(scope)
    with scripted(table, Talk({TOLD: [found(text) for text in KNOWN]})):
        table.say(TOLD, "2026-06-30T09:00:00Z", conversation="before")
        table.settle()
    before = table.live()

    def told() -> str:
        answer = recall(table.parts.store, table.parts.embedder, scope, Ask(), table.now)
        return block(answer, Layout(template, marks))

    def again(job: str, document: dict[str, Any]) -> Any:
        turns = [turn["id"] for turn in document["turns"] if turn["text"].endswith("Lima?")]
        return {"facts": [found(text, id) for id in turns for text in (*KNOWN, *REWORDED)]}

    first = told()
    assert all(text in first for text in KNOWN)
    settings = {"recall_begin": marks.begin, "recall_end": marks.end, "remember_assistant": True}
    with scripted(table, again, **settings) as server:
        for day in range(1, 6):
            chat = [
                {"role": "system", "content": "Be kind."},
                {"role": "user", "content": "What time is it in Quito?"},
            ]
            for role, text in (
                (one["role"], one["content"]) for one in with_block(chat, told(), marks)
            ):
                table.say(text, f"2026-07-0{day}T09:00:00Z", role=role)
            table.say(f"{told()} And in Lima?", f"2026-07-0{day}T09:01:00Z", role=voice)
        table.settle()

    assert table.live() == before
    assert table.archives() == []
    assert told() == first
    assert server.calls["extraction"] > 0
    assert "canaries" not in str(server.documents)
