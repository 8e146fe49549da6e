from typing import Any

import pytest

from schemas.plan import Changed, Run
from tests.build import NOW, RUN, SCOPE, uid
from worker.core.writing.written import written


def changed(kind: str, memory: str, *turns: str) -> Changed:
    return Changed.model_validate(
        {
            "kind": kind,
            "memory_id": uid(memory),
            "version": 2,
            "relation": "update",
            "why": "so",
            "turn_ids": [uid(turn) for turn in turns],
        }
    )


def run(*changes: Changed) -> Run:
    fields: dict[str, Any] = {"kind": "write", "scope": SCOPE, "state": "applied", "turn_ids": ()}
    return Run(id=RUN, started_at=NOW, changes=changes, **fields)


@pytest.mark.parametrize(
    ("changes", "fate", "memory"),
    [
        ([changed("add", "m", "t")], "added", "m"),
        ([changed("confirm", "m", "t")], "confirmed", "m"),
        ([changed("revise", "m", "t", "u"), changed("retire", "n", "t")], "revised", "m"),
        ([changed("revise", "m", "t", "u"), changed("file", "n", "t")], "filed", "n"),
        ([changed("add", "m", "u"), changed("add", "n", "t")], "added", "n"),
        ([changed("add", "m", "u")], "left out", None),
    ],
)
def test_what_became_of_a_statement_is_what_its_turn_led_to(
    changes: list[Changed], fate: str, memory: str | None
) -> None:
    found = written(run(*changes), uid("t"))

    assert (found.fate, found.memory, found.run) == (fate, memory and uid(memory), RUN)
    assert not found.duplicate


def test_what_it_retired_is_named() -> None:
    found = written(run(changed("revise", "m", "t"), changed("retire", "n", "t")), uid("t"))

    assert found.retired == (uid("n"),)
