"""Calls of a store by what is done, the same whichever store it is."""

from dataclasses import replace

import pytest

from tests.desk import Desk
from tests.guard.agreed import Counts, agree
from tests.guard.counting import Counted
from tests.guard.store_acts import CASES, UNCHANGED

#: Calls by name, of what is read and of what is written.
CALLS: dict[str, Counts] = {
    "settling the first batch of a scope": {
        "about": 2,
        "prepare": 2,
        "open_runs": 1,
        "forgotten": 1,
        "runs": 1,
        "slots": 1,
        "nominate": 1,
        "memories": 1,
        "put_run": 2,
        "put_memories": 1,
    },
    "settling a batch of ten turns": {
        "about": 2,
        "prepare": 2,
        "open_runs": 1,
        "forgotten": 1,
        "runs": 1,
        "slots": 1,
        "nominate": 1,
        "memories": 1,
        "put_run": 2,
        "put_archives": 1,
        "put_memories": 1,
    },
    "settling a batch of chat": {
        "about": 2,
        "prepare": 2,
        "open_runs": 1,
        "forgotten": 1,
        "runs": 1,
        "slots": 1,
        "put_run": 1,
    },
    "settling a batch whose plan was kept": {
        "about": 2,
        "runs": 1,
        "prepare": 1,
        "memories": 1,
        "put_run": 2,
        "put_archives": 1,
        "put_memories": 1,
    },
    "recalling": {"nominate": 1},
    "recalling what is known of somebody": {"memories": 1},
    "a night over what changed": {
        "scope": 1,
        "about": 15,
        "prepare": 3,
        "open_runs": 3,
        "forgotten": 4,
        "memories": 5,
        "run": 1,
        "nominate": 1,
        "put_sleep": 2,
        "runs": 1,
    },
    "a night over what is as it was": {
        "scope": 1,
        "about": 8,
        "prepare": 1,
        "open_runs": 1,
        "forgotten": 2,
        "memories": 2,
        "run": 1,
        "runs": 1,
    },
}


@pytest.mark.parametrize("case", CALLS)
def test_a_store_is_called(table: Desk, case: str) -> None:
    with CASES[case](table) as act:
        store = Counted(table.parts.store)
        table.parts = replace(table.parts, store=store.port)
        act()

    agree(case, store.calls, CALLS[case], f"CALLS[{case!r}]", __file__)


def test_a_night_over_what_is_as_it_was_is_agreed_to_write_nothing() -> None:
    writes = ("put_run", "put_archives", "put_memories", "remove_memories", "put_sleep")

    assert CALLS[UNCHANGED].keys().isdisjoint(writes)
