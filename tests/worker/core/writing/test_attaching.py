from typing import Any

import pytest

from schemas.memory import Archive, Memory, MemoryRecord
from schemas.plan import Plan
from tests.build import NOW, RUN, SCOPE, at, candidacy, record
from tests.worker.core.writing.saying import saying
from worker.core.groups.judgment import Group, Groups
from worker.core.groups.setting import Setting
from worker.core.planning.plan import plan
from worker.core.writing.attaching import attached
from worker.core.writing.stated import Stated

KNOWN = record("Drinks tea", tags=("old",), metadata={"a": 1, "b": 1}, pinned=False)


def planned(statements: list[Stated], known: list[MemoryRecord], relation: Any = None) -> Plan:
    """All of them in one group, or all new."""
    case = candidacy([one.fact for one in statements], known)
    members = (*case.fact_labels, *case.memory_labels)
    groups = (Group(why="so", members=members, relation=relation),) if relation else ()
    setting = Setting(
        run=RUN, scope=SCOPE, turns=tuple(one.turn for one in statements), now=NOW, kind="write"
    )
    made = plan(setting, case, Groups(groups=groups, new=()), {})
    return attached(made, statements)


def only(made: Plan) -> Memory:
    (change,) = made.changes
    memory = change.record.memory
    assert isinstance(memory, Memory)
    return memory


def before(made: Plan) -> Archive:
    (change,) = made.changes
    archive = change.archive.archive
    assert isinstance(archive, Archive)
    return archive


GIVEN: dict[str, Any] = {"tags": ["new"], "metadata": {"b": 2, "c": 3}, "pinned": True}


def test_what_is_new_has_what_was_attached_to_it() -> None:
    memory = only(planned([saying("Drinks coffee", **GIVEN)], []))

    assert (memory.tags, memory.metadata, memory.pinned) == (("new",), {"b": 2, "c": 3}, True)


@pytest.mark.parametrize(
    ("text", "relation"),
    [("Drinks coffee now", "contradict"), ("Drinks tea", "same")],
)
def test_on_what_is_known_fields_are_merged_by_name_and_tags_united(
    text: str, relation: str
) -> None:
    made = planned([saying(text, **GIVEN)], [KNOWN], relation)
    memory = only(made)

    assert memory.tags == ("old", "new")
    assert memory.metadata == {"a": 1, "b": 2, "c": 3}
    assert memory.pinned
    assert (memory.text, memory.version, memory.last_run) == (text, 2, RUN)
    assert before(made).memory == KNOWN.memory, "what is written over is kept whole"
    assert made.base == {KNOWN.memory.id: 1}


@pytest.mark.parametrize("given", [{}, {"tags": ["old"], "metadata": {"a": 1}}])
def test_a_confirmation_that_attaches_nothing_new_stays_one(given: dict[str, Any]) -> None:
    made = planned([saying("Drinks tea", **given)], [KNOWN], "same")

    assert [change.kind for change in made.changes] == ["confirm"]
    assert only(made).version == 1


def test_a_pin_is_not_taken_off_by_saying_it_again() -> None:
    pinned = record("Drinks tea", pinned=True)

    assert only(planned([saying("Drinks tea", tags=["x"])], [pinned], "same")).pinned


def test_what_is_only_history_has_it_there() -> None:
    made = planned(
        [saying("Drinks coffee", said_at=at(-90).isoformat(), **GIVEN)], [KNOWN], "update"
    )

    assert [change.kind for change in made.changes] == ["file"]
    assert before(made).memory.metadata == {"b": 2, "c": 3}
    assert before(made).memory.tags == ("new",)


def test_of_two_statements_of_one_memory_the_later_said_stands() -> None:
    two = [
        saying("Drinks tea.", "later", metadata={"n": 2}, tags=["b"]),
        saying(
            "Drinks tea",
            "earlier",
            metadata={"n": 1, "m": 1},
            tags=["a"],
            said_at=at(-1).isoformat(),
        ),
    ]
    memory = only(planned(two, [], "same"))

    assert (memory.metadata, memory.tags) == ({"n": 2, "m": 1}, ("a", "b"))


def test_nothing_is_attached_to_what_another_statement_says() -> None:
    made = planned([saying("Drinks coffee", **GIVEN), saying("Owns a dog")], [])
    dog = made.changes[1].record.memory

    assert (dog.text, dog.tags, dog.metadata, dog.pinned) == ("Owns a dog", (), {}, False)
