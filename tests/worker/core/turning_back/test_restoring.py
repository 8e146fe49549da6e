"""An earlier version of a memory stands again, as its next one."""

from datetime import timedelta

import pytest

from schemas.plan import Add, Revise
from tests.build import NOW, SCOPE, uid
from tests.worker.core.ledger import Ledger, content
from worker.core.turning_back.restoring import Versions, restored
from worker.errors import Unprocessable

TEA, COFFEE, MATE = "Ann drinks tea", "Ann drinks coffee", "Ann drinks mate"
LATER = NOW + timedelta(days=1)


@pytest.fixture
def ledger() -> Ledger:
    """Tea in version 1, coffee in 2, mate in 3."""
    made = Ledger()
    made.run("first", made.add("first", TEA, pinned=True, links=(uid("x"),), uses=3))
    made.run("second", made.revise("second", TEA, COFFEE))
    made.run("third", made.revise("third", TEA, MATE))
    return made


def versions(ledger: Ledger, *hidden: int) -> Versions:
    id = uid(TEA)
    return Versions(id, ledger.live.get(id), ledger.archives.get(id, {}), frozenset(hidden))


def test_the_version_stands_again_to_the_last_detail(ledger: Ledger) -> None:
    earlier = ledger.archives[uid(TEA)][1]

    plan = restored(SCOPE, versions(ledger), 1, LATER, "mine")
    ledger.apply(plan)

    now = ledger.live[uid(TEA)]
    assert content(now.memory, now.vector) == content(earlier.archive.memory, earlier.vector)
    assert (now.memory.version, now.memory.updated_at, now.memory.last_run) == (4, LATER, plan.run)
    assert (plan.kind, plan.turn_ids, plan.embedder) == ("restore", (), "mine")
    over = ledger.archives[uid(TEA)][3].archive
    assert (over.memory.text, over.reason, over.why) == (
        MATE,
        "superseded",
        "restored to version 1",
    )
    assert (over.replaced_by, over.run, over.archived_at) == (uid(TEA), plan.run, LATER)


def test_it_is_decided_on_what_stands(ledger: Ledger) -> None:
    plan = restored(SCOPE, versions(ledger), 1, LATER)

    assert plan.base == {uid(TEA): 3}
    assert plan.base_runs == {uid(TEA): uid("third")}


def test_what_no_longer_stands_comes_back_after_its_last_version(ledger: Ledger) -> None:
    ledger.run("gone", ledger.retire("gone", TEA))

    plan = restored(SCOPE, versions(ledger), 2, LATER)
    ledger.apply(plan)

    assert [type(change) for change in plan.changes] == [Add]
    assert plan.base == {}
    assert (ledger.live[uid(TEA)].memory.text, ledger.live[uid(TEA)].memory.version) == (COFFEE, 4)


def test_what_was_filed_at_birth_can_stand_as_well() -> None:
    ledger = Ledger()
    ledger.run("late", ledger.file("late", TEA))

    ledger.apply(restored(SCOPE, versions(ledger), 1, LATER))

    assert (ledger.live[uid(TEA)].memory.text, ledger.live[uid(TEA)].memory.version) == (TEA, 2)


def test_what_stands_already_is_left_as_it_is(ledger: Ledger) -> None:
    assert restored(SCOPE, versions(ledger), 3, LATER).changes == ()


def test_doing_it_again_changes_nothing(ledger: Ledger) -> None:
    ledger.apply(restored(SCOPE, versions(ledger), 1, LATER))

    assert restored(SCOPE, versions(ledger), 1, LATER).changes == ()


def test_a_detail_that_differs_is_restored_under_the_same_words(ledger: Ledger) -> None:
    ledger.restore(uid(TEA), 1)
    ledger.run("again", ledger.confirm("again", TEA))

    (change,) = restored(SCOPE, versions(ledger), 1, LATER).changes

    assert isinstance(change, Revise)
    assert change.record.memory.confirmations == 1


@pytest.mark.parametrize("wanted", [4, 99])
def test_an_unknown_version_is_answered_with_those_there_are(ledger: Ledger, wanted: int) -> None:
    with pytest.raises(Unprocessable, match=f"version {wanted} .* there are versions 1, 2, 3"):
        restored(SCOPE, versions(ledger), wanted, LATER)


def test_what_was_forgotten_is_not_found(ledger: Ledger) -> None:
    with pytest.raises(Unprocessable, match=r"version 1 .* there are versions 2, 3$"):
        restored(SCOPE, versions(ledger, 1), 1, LATER)


@pytest.mark.parametrize("hidden", [(), (1, 2, 3)])
def test_a_memory_of_which_nothing_may_be_shown_is_not_found(
    ledger: Ledger, hidden: tuple[int, ...]
) -> None:
    ledger.run("wish", ledger.retire("wish", TEA, "forgotten"))
    known = versions(ledger, *hidden) if hidden else versions(Ledger())

    with pytest.raises(Unprocessable, match="is not found in this scope"):
        restored(SCOPE, known, 1, LATER)


def test_what_was_forgotten_still_counts_as_a_version(ledger: Ledger) -> None:
    ledger.run("wish", ledger.retire("wish", TEA, "forgotten"))

    (change,) = restored(SCOPE, versions(ledger, 3), 1, LATER).changes

    assert isinstance(change, Add)
    assert change.record.memory.version == 4
