"""Which words that were shown are named as no longer so."""

import pytest

from schemas.memory import Reason
from tests.build import NOW, at, memory, uid
from tests.snapshots import revised, snapshot
from worker.core.recalling.answer import Outdated
from worker.core.recalling.outdated import outdated

OSLO = memory("Lives in Oslo.", id=uid("home"))
SHOWN = {uid("home"): 1}


@pytest.mark.parametrize(
    ("reason", "named"),
    [
        *(("superseded", True), ("expired", True), ("undone", True), ("late", True)),
        *(("merged", False), ("faded", False), ("forgotten", False)),
    ],
)
def test_only_what_holds_no_more_and_may_be_told_is_named(reason: Reason, named: bool) -> None:
    archive = snapshot(OSLO, reason, None, at(-1))

    found = outdated(SHOWN, [uid("home")], [archive], [], NOW)

    assert found == ((Outdated(OSLO, at(-1)),) if named else ())


def test_only_the_version_that_was_shown_is_named_and_once() -> None:
    bergen = OSLO.model_copy(update={"text": "Lives in Bergen.", "version": 2})
    archives = [revised(OSLO, at(-2)), revised(bergen, at(-1)), revised(OSLO, at(-2))]
    other = revised(memory("Drinks tea."), at(-1))

    assert outdated(SHOWN, [uid("home")], [*archives, other], [], NOW) == (Outdated(OSLO, at(-2)),)


@pytest.mark.parametrize(("ends", "named"), [(at(-1), True), (at(1), False)])
def test_what_has_lapsed_is_named_before_anybody_wrote_it_down(ends: object, named: bool) -> None:
    away = OSLO.model_copy(update={"until": ends})

    assert bool(outdated(SHOWN, [uid("home")], [], [away], NOW)) == named
