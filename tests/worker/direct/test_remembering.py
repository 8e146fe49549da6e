"""Ready statements become memories: on both stores."""

from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis import Redis

from schemas.ids import write_run_id, write_turn_id
from schemas.keys import PartitionKeys
from schemas.scope import Scope
from tests.build import uid
from tests.desk import Desk, Judges, crashes, desk, scripted
from tests.similarity import GivenSimilarities
from tests.worker.direct.writing import judged_by, saying, tell
from worker.core.groups.judgment import Candidacy, Groups
from worker.core.judging.detectors import Judging
from worker.core.ports import Store
from worker.direct.remembering import remember
from worker.direct.undoing import undo
from worker.errors import LeaseLost, OverBudget, Unprocessable, VersionMoved

WORDINGS = ("Has two cats", "Keeps two cats", "Two cats live with the user", "Owner of two cats")
THINGS = tuple(f"Owns a {thing}" for thing in ("lathe", "dinghy", "harp", "still"))
SOLD, GHENT, BRUGES = "Sold the workshop and all in it", "Lives in Ghent", "Lives in Bruges"
ALIKE = GivenSimilarities(
    dict.fromkeys(WORDINGS[1:], (WORDINGS[0], 0.9))
    | dict.fromkeys((*THINGS, SOLD), ("x", 0.9))
    | {BRUGES: (GHENT, 0.8)}
)


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (ALIKE.fingerprint, ALIKE.dimensions)


@pytest.fixture
def table(store: Store, redis_client: Redis, scope: Scope) -> Desk:
    return desk(store, redis_client, scope, ALIKE)


def everything(table: Desk) -> tuple[Any, ...]:
    return table.live(), table.archives(), table.runs()


def test_a_statement_is_a_memory_in_a_run_of_its_own(table: Desk) -> None:
    done = tell(table, GHENT, "k", tags=["home"], metadata={"ticket": 17}, pinned=True)

    (memory,) = table.live().values()
    (run,) = table.runs()
    assert (done.fate, done.memory, done.version, done.run) == ("added", memory.id, 1, run.id)
    assert run.id == write_run_id(table.scope.key, "k")
    assert (run.kind, run.state) == ("write", "applied")
    assert memory.turn_ids == run.turn_ids == (write_turn_id(table.scope.key, "k"),)
    assert (memory.tags, memory.metadata, memory.pinned) == (("home",), {"ticket": 17}, True)
    assert (memory.said_at, memory.last_run) == (table.now, run.id)
    assert table.parts.inbox.idle(), "the scope was let go"


def test_written_again_it_is_not_written_again(table: Desk) -> None:
    first = tell(table, GHENT, external_ref="r")
    before = everything(table)

    assert tell(table, "Lives elsewhere", external_ref="r") == first.model_copy(
        update={"duplicate": True}
    )
    assert everything(table) == before


def test_what_was_undone_can_be_written_again(table: Desk) -> None:
    first = tell(table, GHENT, external_ref="r")
    assert first.run
    for _ in range(2):
        undo(table.parts, table.scope, first.run, table.now)
        again = tell(table, GHENT, external_ref="r")
        assert (again.fate, again.duplicate) == ("added", False)
        assert again.run != first.run
        assert set(table.live()) == {GHENT}
        assert tell(table, GHENT, external_ref="r").duplicate
        first = again


def test_of_several_those_that_are_known_are_left_out(table: Desk) -> None:
    tell(table, GHENT, external_ref="a")
    several = [
        saying(table, GHENT, external_ref="a"),
        saying(table, THINGS[0], external_ref="b"),
        saying(table, THINGS[1], external_ref="c"),
        saying(table, THINGS[1], external_ref="c"),
    ]
    done = remember(table.parts, table.scope, several, table.now)

    assert [one.duplicate for one in done] == [True, False, False, True]
    assert [table.live()[text].id for text in (GHENT, *THINGS[:2], THINGS[1])] == [
        one.memory for one in done
    ]
    assert len(table.runs()) == 2, "one run for all that is new"
    before = everything(table)
    again = remember(table.parts, table.scope, several, table.now)
    assert all(one.duplicate for one in again)
    assert everything(table) == before


def test_nothing_to_write_is_nothing_done(table: Desk) -> None:
    assert remember(table.parts, table.scope, [], table.now) == ()


def test_four_wordings_are_one_memory(table: Desk) -> None:
    judged_by(table, {text: dict.fromkeys(WORDINGS, "same") for text in WORDINGS})
    fates = [tell(table, text).fate for text in WORDINGS]

    (memory,) = table.live().values()
    assert fates[0] == "added"
    assert "added" not in fates[1:]
    assert memory.confirmations == len(WORDINGS)


def test_what_changes_is_judged_and_its_fields_stay(table: Desk) -> None:
    judged_by(table, {BRUGES: {GHENT: "contradict"}})
    first = tell(table, GHENT, tags=["home"], metadata={"a": 1, "b": 1})
    done = tell(table, BRUGES, tags=["be"], metadata={"b": 2})

    assert (done.fate, done.memory, done.version) == ("revised", first.memory, 2)
    (memory,) = table.live().values()
    assert (memory.text, memory.tags, memory.metadata) == (
        *(BRUGES, ("home", "be")),
        {"a": 1, "b": 2},
    )
    (archive,) = table.archives()
    assert (archive.memory.text, archive.memory.metadata) == (GHENT, {"a": 1, "b": 1})


def test_a_pinned_memory_is_changed_by_no_judgment_but_by_its_name(table: Desk) -> None:
    judged_by(table, {BRUGES: {GHENT: "contradict"}})
    first = tell(table, GHENT, pinned=True)
    beside = tell(table, BRUGES)
    assert beside.fate == "added"
    assert table.live()[BRUGES].flagged
    assert table.live()[GHENT].pinned

    done = tell(table, "Lives in Antwerp", supersedes=[str(first.memory), str(beside.memory)])
    (memory,) = table.live().values()
    assert (done.memory, done.retired) == (first.memory, (beside.memory,))
    assert (memory.text, memory.pinned, memory.version) == ("Lives in Antwerp", True, 2)


def test_more_than_the_cap_is_refused_whole_and_can_be_said_outright(table: Desk) -> None:
    ids = [str(tell(table, thing).memory) for thing in THINGS]
    judged_by(table, {SOLD: dict.fromkeys(THINGS, "contradict")})
    before = everything(table)
    with pytest.raises(Unprocessable, match="would replace 4 memories; one turn may") as refused:
        remember(
            table.parts,
            table.scope,
            [saying(table, GHENT), saying(table, SOLD)],
            table.now,
        )

    assert everything(table) == before
    assert all(id in str(refused.value) for id in ids)
    assert "`supersedes`" in str(refused.value)
    assert table.parts.inbox.parked(table.scope.key) == []
    assert tell(table, SOLD, supersedes=ids).fate == "revised"
    assert set(table.live()) == {SOLD}
    assert len(table.archives()) == len(THINGS)


def test_as_it_stands_no_judge_is_asked(table: Desk) -> None:
    tell(table, GHENT)
    verdicts = judged_by(table, {BRUGES: {GHENT: "contradict"}})
    several = [saying(table, text, f"{text} again") for text in (BRUGES, "lives in GHENT.")]
    done = remember(table.parts, table.scope, several, table.now, judge=False)

    assert [one.fate for one in done] == ["added", "confirmed"]
    assert set(table.live()) == {GHENT, BRUGES}
    assert table.live()[GHENT].confirmations == 2
    assert verdicts.asked == []


def test_what_names_what_it_supersedes_is_not_judged_nor_is_that(table: Desk) -> None:
    first = tell(table, GHENT)
    verdicts = judged_by(table, {BRUGES: {GHENT: "contradict"}, "Antwerp it is": {}})
    several = [
        saying(table, "Antwerp it is", supersedes=[str(first.memory)], tags=["t"]),
        saying(table, BRUGES),
    ]
    done = remember(table.parts, table.scope, several, table.now)

    assert [one.fate for one in done] == ["revised", "added"]
    assert {text: one.tags for text, one in table.live().items()} == {
        "Antwerp it is": ("t",),
        BRUGES: (),
    }
    assert "Antwerp it is" not in verdicts.asked
    assert len(table.archives()) == 1


def test_an_id_that_does_not_stand_is_refused_and_nothing_written(table: Desk) -> None:
    tell(table, GHENT)
    before = everything(table)
    several = [saying(table, THINGS[0]), saying(table, BRUGES, supersedes=[str(uid("nobody"))])]

    with pytest.raises(Unprocessable, match="does not stand in this scope"):
        remember(table.parts, table.scope, several, table.now)
    assert everything(table) == before


def test_a_version_that_moved_is_said_and_nothing_written(table: Desk) -> None:
    first = tell(table, GHENT)
    second = tell(table, BRUGES, supersedes=[str(first.memory)], if_version=1)
    assert second.version == 2
    before = everything(table)

    with pytest.raises(VersionMoved, match="is at version 2, not at 1") as moved:
        tell(table, "Lives in Rome", supersedes=[str(first.memory)], if_version=1)
    assert moved.value.version == 2
    assert everything(table) == before


def test_done_again_after_it_moved_the_version_it_is_a_duplicate(table: Desk) -> None:
    first = tell(table, GHENT)
    again: dict[str, Any] = {
        "supersedes": [str(first.memory)],
        "if_version": 1,
        "external_ref": "r",
    }

    assert tell(table, BRUGES, **again).fate == "revised"
    assert tell(table, BRUGES, **again).duplicate


def test_one_that_supersedes_and_comes_twice_in_one_write_is_one(table: Desk) -> None:
    first = tell(table, GHENT)
    twice = [saying(table, BRUGES, "k", supersedes=[str(first.memory)])] * 2
    done = remember(table.parts, table.scope, twice, table.now)

    assert [(one.fate, one.duplicate) for one in done] == [("revised", False), ("revised", True)]
    others = [saying(table, text, supersedes=[str(first.memory)]) for text in THINGS[:2]]
    with pytest.raises(Unprocessable, match="superseded by two statements"):
        remember(table.parts, table.scope, others, table.now)
    assert set(table.live()) == {BRUGES}


def test_a_machine_states_what_is_its_own_and_replaces_nobody(table: Desk) -> None:
    judged_by(table, {BRUGES: {GHENT: "contradict"}})
    tell(table, GHENT)
    tell(table, BRUGES, authority="assistant")

    assert {text: one.authority for text, one in table.live().items()} == {
        GHENT: "user",
        BRUGES: "assistant",
    }


def judges_alone(table: Desk) -> Any:
    def script(job: str, document: dict[str, Any]) -> dict[str, Any]:
        return {"groups": [], "new": [one["id"] for one in document["facts"]]}

    return scripted(table, script, daily_calls=1)


def test_what_is_asked_of_a_model_is_counted_and_has_its_limit(table: Desk) -> None:
    first = tell(table, GHENT)
    with judges_alone(table) as model:
        tell(table, BRUGES)
        assert model.calls == {"batchwise": 1}
        (run,) = [run for run in table.runs() if run.usage.calls]
        assert (run.usage.calls, run.model) == ({"batchwise": 1}, "scripted")
        assert set(run.prompts) == {"batchwise"}
        assert table.parts.spending.spent(table.scope.key).calls == 1
        before = everything(table)

        with pytest.raises(OverBudget):
            tell(table, THINGS[0])
        assert everything(table) == before

        assert tell(table, THINGS[1], supersedes=[str(first.memory)]).fate == "revised"
        (done,) = remember(
            table.parts, table.scope, [saying(table, THINGS[2])], table.now, judge=False
        )
        assert done.fate == "added"
        assert model.calls == {"batchwise": 1}


def test_what_was_said_before_the_scope_was_erased_does_not_come_back(table: Desk) -> None:
    tell(table, GHENT)
    with_lease = table.parts.inbox.claim_scope(table.scope.key)
    assert with_lease
    hold = Held(with_lease.fence)
    table.parts.store.writer(table.scope, hold).erase(table.now + timedelta(days=1))
    table.parts.inbox.release(with_lease)

    with pytest.raises(Unprocessable, match=r"until 2026-11-02 .* was erased"):
        tell(table, GHENT)
    assert everything(table) == ({}, [], [])
    table.now += timedelta(days=2)
    assert tell(table, GHENT).fate == "added"


class Held:
    """A lease that is never lost of itself."""

    def __init__(self, fence: int) -> None:
        self.fence = fence

    def check(self) -> None:
        pass

    def overtaken(self, fence: int) -> Any:
        raise AssertionError(fence)


def test_where_another_took_the_scope_meanwhile_nothing_is_written(
    table: Desk, redis_client: Redis
) -> None:
    def slowly(case: Candidacy) -> Groups:
        redis_client.zadd(PartitionKeys(0).busy, {table.scope.key: 1})
        assert table.parts.inbox.claim_scope(table.scope.key)
        return Groups(groups=(), new=case.fact_labels)

    tell(table, GHENT)
    before = everything(table)
    table.parts = replace(table.parts, judging=Judging(Judges(slowly)))

    with pytest.raises(LeaseLost):
        tell(table, BRUGES)
    assert everything(table) == before


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("part", ["store", "inbox"])
def test_a_crash_at_any_call_and_the_write_again_is_the_write_once(
    store: Store, redis_client: Redis, scope: Scope, part: str, after: bool
) -> None:
    for nth in count(1):
        table = desk(store, redis_client, Scope(app=scope.app, user=f"{nth}"), ALIKE)
        judged_by(table, {BRUGES: {GHENT: "contradict"}})
        ids = [str(tell(table, text).memory) for text in (GHENT, *THINGS[:2])]
        several = [
            saying(table, BRUGES, tags=["a"]),
            saying(table, "Owns nothing", supersedes=ids[1:], metadata={"n": 1}),
            saying(table, "Has two cats", pinned=True),
        ]

        def write(table: Desk = table, several: Any = several) -> object:
            return remember(table.parts, table.scope, several, table.now)

        died = crashes(table, part, nth, write, after=after)
        redis_client.zadd(PartitionKeys(0).busy, {table.scope.key: 1})
        write()

        live = table.live()
        assert {text: one.version for text, one in live.items()} == {
            BRUGES: 2,
            "Owns nothing": 2,
            "Has two cats": 1,
        }
        assert [live[text].tags for text in (BRUGES, "Owns nothing")] == [("a",), ()]
        assert (live["Owns nothing"].metadata, live["Has two cats"].pinned) == ({"n": 1}, True)
        archived = [one.memory.text for one in table.archives()]
        assert sorted(archived) == sorted([GHENT, *THINGS[:2]])
        assert [run.state for run in table.runs()] == ["applied"] * 4
        if not died:
            break
    assert nth > 4


REFS = st.lists(st.sampled_from("abcdef"), max_size=5)


@given(calls=st.lists(REFS, max_size=5), judge=st.booleans())
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_reference_is_one_statement_however_often_and_in_whatever_company(
    sqlite_store: Store, redis_client: Redis, calls: list[list[str]], judge: bool
) -> None:
    table = desk(sqlite_store, redis_client, Scope(app="any", user=f"{uuid4()}"), ALIKE)
    told = dict[str, Any]()
    for refs in calls:
        several = [saying(table, f"Owns thing {ref}", external_ref=ref) for ref in refs]
        done = remember(table.parts, table.scope, several, table.now, judge=judge)
        for at, (ref, one) in enumerate(zip(refs, done, strict=True)):
            assert one.duplicate == (ref in told or ref in refs[:at])
            assert told.setdefault(ref, one.memory) == one.memory

    live = {memory.id: memory for memory in table.live().values()}
    assert set(live) == set(told.values())
    assert {memory.confirmations for memory in live.values()} <= {1}
    assert table.archives() == []
