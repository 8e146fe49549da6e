"""What was said later wins, in whatever order it arrives."""

from datetime import UTC, datetime
from itertools import permutations

import pytest

from schemas.scope import Scope
from tests.cases.talk import AtDesk, found
from tests.cases.verdicts import Judge, Thing
from tests.desk import Desk, scripted
from worker.recall import known

MILL, PORT = "Works at the mill in Harbour Road", "Works at the ferry port"
LEADS, LEAD = "Was made shift lead at the port", "Works at the ferry port, as shift lead"
SAID = {
    "I started at the mill in Harbour Road.": ("2025-09-01T08:00:00Z", MILL),
    "I work at the ferry port now.": ("2026-05-10T08:00:00Z", PORT),
    "They made me shift lead at the port.": ("2026-10-01T08:00:00Z", LEADS),
}
FACTS = {text: [found(fact, attribute="job")] for text, (_, fact) in SAID.items()}
DROPS = ("Works at the mill in Harbour Road",)
THINGS = [
    Thing((LEADS, PORT, MILL), "contradict", LEAD, DROPS),
    Thing((LEADS, PORT), "update", LEAD),
    Thing((LEAD, MILL), "contradict", LEAD, DROPS),
    Thing((PORT, LEAD), "update", LEAD),
    Thing((PORT, MILL), "contradict", PORT, DROPS),
    Thing((LEADS, MILL), "contradict", LEADS, DROPS),
    Thing((PORT, LEADS), "update", LEAD),
    Thing((MILL, LEAD), "contradict", LEAD),
    Thing((MILL, LEADS), "contradict", LEADS),
    Thing((MILL, PORT), "contradict", PORT),
]


class FirstThing(Judge):
    """Every member is in the first thing that fits."""

    def batchwise(self, document: dict[str, object]) -> dict[str, object]:
        reply = super().batchwise(document)
        kept: list[dict[str, object]] = []
        used: set[object] = set()
        for group in reply["groups"]:
            if used.isdisjoint(group["members"]):
                kept.append(group)
                used |= set(group["members"])
        return {**reply, "groups": kept}


def heard(table: Desk, order: tuple[str, ...]) -> None:
    with scripted(table, FirstThing(FACTS, THINGS)):
        for text in order:
            table.say(text, SAID[text][0])
            table.settle()


@pytest.mark.parametrize(
    "order", list(permutations(SAID)), ids=lambda order: "-".join(o[:9] for o in order)
)
def test_every_order_ends_with_the_latest_live_and_the_rest_as_older_versions(
    at_desk: AtDesk, scope: Scope, order: tuple[str, ...]
) -> None:
    table = at_desk(scope)

    heard(table, order)

    (memory,) = table.live().values()
    assert "shift lead" in memory.text
    history = sorted(table.archives(memory.id), key=lambda one: one.memory.said_at)
    assert MILL in [one.memory.text for one in history]
    assert "mill" not in memory.text.casefold()


@pytest.mark.parametrize(
    "order", list(permutations(SAID)), ids=lambda order: "-".join(o[:9] for o in order)
)
def test_every_order_ends_with_the_same_past(
    at_desk: AtDesk, scope: Scope, order: tuple[str, ...]
) -> None:
    table = at_desk(scope)

    heard(table, order)

    for month, where in ((1, MILL), (4, MILL), (6, PORT), (9, PORT)):
        moment = datetime(2026, month, 1, tzinfo=UTC)
        found = known(table.parts.store, scope, table.now, valid_at=moment)
        assert [memory.text for memory in found] == [where], month


def test_what_comes_late_does_not_touch_what_is_live(at_desk: AtDesk, scope: Scope) -> None:
    table = at_desk(scope)
    mill, port, _ = SAID

    heard(table, (port,))
    (before,) = table.live().values()
    with scripted(table, FirstThing(FACTS, THINGS)):
        table.say(mill, SAID[mill][0])
        table.settle()

    assert list(table.live().values()) == [before]
    (archive,) = table.archives(before.id)
    assert (archive.memory.text, archive.reason, archive.replaced_by) == (MILL, "late", before.id)


def test_equal_times_go_by_the_order_of_the_turns(at_desk: AtDesk, scope: Scope) -> None:
    table = at_desk(scope)
    mill, port, _ = SAID
    with scripted(table, FirstThing(FACTS, THINGS)):
        for text in (mill, port):
            table.say(text, "2026-05-10T08:00:00Z")
        table.settle()

    assert set(table.live()) == {PORT}
