from typing import Any

import pytest

from schemas.memory import Fact, MemoryRecord
from tests.build import NOW, RUN, SCOPE, candidacy, fact, record, uid
from worker.core.groups.setting import Setting
from worker.core.planning.plan import plan
from worker.core.writing.as_is import UNJUDGED, as_they_stand, unjudged

TEA = record("Drinks tea")


@pytest.mark.parametrize(
    ("said", "known", "is_confirmed"),
    [
        (fact("Drinks tea"), [TEA], True),
        (fact("drinks  TEA."), [TEA], True),
        (fact("Drinks green tea"), [TEA], False),
        (fact("Drinks tea", subject="Tariq"), [TEA], False),
        (fact("Drinks tea", happened_at="2026-05"), [TEA], False),
        (fact("Drinks tea", kind="preference"), [TEA], False),
        (fact("Drinks tea"), [TEA, record("Drinks tea.", id=uid("other"))], True),
        (fact("Drinks tea"), [], False),
    ],
)
def test_only_the_same_words_about_the_same_are_the_same(
    said: Fact, known: list[MemoryRecord], is_confirmed: bool
) -> None:
    found = as_they_stand(candidacy([said], known))

    assert [group.members for group in found.groups] == ([("f1", "c1")] if is_confirmed else [])
    assert found.new == (() if is_confirmed else ("f1",))


def test_no_memory_is_confirmed_by_two_statements_apart() -> None:
    twice = [fact("Drinks tea"), fact("Drinks tea.", authority="tool")]
    found = as_they_stand(candidacy(twice, [TEA]))

    assert ([group.members for group in found.groups], found.new) == ([("f1", "c1")], ("f2",))


def test_what_is_not_offered_is_not_looked_at() -> None:
    found = as_they_stand(candidacy([fact("Drinks tea")], [TEA], {"f1": ()}))

    assert found.new == ("f1",)


def test_what_was_compared_with_nothing_does_not_say_otherwise() -> None:
    case: Any = candidacy([fact("Drinks tea"), fact("Owns a dog")], [TEA])
    setting = Setting(run=RUN, scope=SCOPE, turns=(), now=NOW, kind="write")
    made = unjudged(plan(setting, case, as_they_stand(case), {}))

    assert {change.kind: change.why for change in made.changes} == {
        "confirm": "the same words were said again",
        "add": UNJUDGED,
    }
