"""What of an export a scope still lacks: nothing that is here is replaced, nothing that went comes back."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import pytest

from schemas.exported import ArchiveLine, Content, MemoryLine, RunLine
from schemas.memory import Archive, Memory
from schemas.plan import Add, Changed, Run
from tests.build import NOW, SCOPE, at, memory, uid, vector
from worker.core.moving.importing import Known, forgotten_in, imported, lacking, retired_in
from worker.core.planning.runs import applied


def line(one: Memory) -> MemoryLine:
    return MemoryLine(memory=one, embedder="e", vector=vector(one.text))


def past(one: Memory) -> ArchiveLine:
    archive = Archive(
        memory=one, replaced_by=one.id, archived_at=NOW, reason="superseded", why="", run=uid("r")
    )
    return ArchiveLine(archive=archive, embedder="e", vector=vector(one.text))


def run(name: str, **fields: Any) -> Run:
    given = {"kind": "batch", "state": "applied", "turn_ids": (), "started_at": NOW}
    return Run(id=uid(name), scope=SCOPE, **(given | fields))


TEA = memory("Drinks tea", version=2)


def left_out(lines: Iterable[Content], **known: Any) -> dict[str, int]:
    found = lacking(lines, Known(**known))
    assert [*found.memories, *found.archives, *found.runs] == []
    return dict(found.left_out)


def test_an_empty_scope_lacks_everything_once() -> None:
    lines: list[Content] = [
        line(TEA),
        past(TEA.model_copy(update={"version": 1})),
        RunLine(run=run("r")),
    ]
    found = lacking([*lines, *lines], Known())

    assert ([*found.memories, *found.archives, *found.runs], found.left_out) == (lines, {})


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        ({"live": {TEA.id: TEA}}, "there already"),
        ({"live": {TEA.id: TEA.model_copy(update={"version": 3})}}, "another version is here"),
        ({"live": {TEA.id: TEA.model_copy(update={"version": 1})}}, "another version is here"),
        ({"archived": {TEA.id: frozenset({2})}}, "another version is here"),
        ({"archived": {TEA.id: frozenset({1, 3})}}, "another version is here"),
        ({"retired": {TEA.id: 2}}, "another version is here"),
        ({"forgotten": frozenset({TEA.id})}, "forgotten since"),
        ({"erased_at": TEA.said_at}, "erased since"),
    ],
)
def test_a_memory_is_left_out_where(known: dict[str, Any], reason: str) -> None:
    assert left_out([line(TEA)], **known) == {reason: 1}


@pytest.mark.parametrize(
    ("known", "reason"),
    [
        ({"archived": {TEA.id: frozenset({2})}}, "there already"),
        ({"live": {TEA.id: TEA}}, "another version is here"),
        ({"forgotten": frozenset({TEA.id})}, "forgotten since"),
        ({"erased_at": TEA.said_at}, "erased since"),
    ],
)
def test_an_earlier_version_is_left_out_where(known: dict[str, Any], reason: str) -> None:
    assert left_out([past(TEA)], **known) == {reason: 1}


@pytest.mark.parametrize("version", [2, 3])
def test_a_version_that_the_live_one_beside_it_has_yet_to_reach_is_left_out(version: int) -> None:
    ahead = past(TEA.model_copy(update={"version": version}))

    orders: list[list[Content]] = [[line(TEA), ahead], [ahead, line(TEA)]]
    for lines in orders:
        found = lacking(lines, Known())
        assert (len(found.memories), found.archives) == (1, ())
        assert found.left_out == {"another version is here": 1}


def test_a_version_that_no_store_can_count_on_from_is_left_out() -> None:
    far = TEA.model_copy(update={"version": 2**31})
    assert left_out([line(far), past(far)]) == {"impossible record": 2}


def test_an_earlier_version_than_the_live_one_is_taken() -> None:
    newer = TEA.model_copy(update={"version": 3})
    assert lacking([past(TEA)], Known(live={TEA.id: newer})).archives


@pytest.mark.parametrize(
    ("one", "known", "reason"),
    [
        (run("r"), {"runs": frozenset({uid("r")})}, "there already"),
        (run("r", state="open"), {}, "unfinished run"),
        (run("r", started_at=at(-1)), {"erased_at": NOW}, "erased since"),
    ],
)
def test_a_run_is_left_out_where(one: Run, known: dict[str, Any], reason: str) -> None:
    assert left_out([RunLine(run=one)], **known) == {reason: 1}


@pytest.mark.parametrize(
    ("said_at", "erased_at", "taken"),
    [(at(0), at(-1), True), (at(0), at(0), False), (at(-1), at(0), False)],
)
def test_what_was_said_after_an_erasure_is_taken(
    said_at: datetime, erased_at: datetime, *, taken: bool
) -> None:
    found = lacking([line(memory("Swims", said_at=said_at))], Known(erased_at=erased_at))
    assert bool(found.memories) == taken


def test_forgotten_is_what_an_applied_run_has_forgotten() -> None:
    def change(name: str, relation: Any) -> Changed:
        return Changed(kind="retire", memory_id=uid(name), version=1, relation=relation, why="")

    runs = [
        run("r1", changes=(change("gone", "forget"), change("moved", "update"))),
        run("r2", state="undone", changes=(change("back", "forget"),)),
    ]
    assert forgotten_in(runs) == {uid("gone")}


def test_the_plan_adds_and_files_each_under_its_own_id_and_version() -> None:
    portion = lacking([line(TEA), past(TEA.model_copy(update={"version": 1}))], Known())
    plan = imported(SCOPE, portion, [vector("a"), vector("b")], NOW, "key")

    done = [(one.kind, one.memory_id, one.version) for one in applied(plan).changes]
    assert done == [("add", TEA.id, 2), ("file", TEA.id, 1)]
    (add, _) = plan.changes
    assert isinstance(add, Add)
    assert add.record.memory.last_run == plan.run
    assert add.record.memory.model_copy(update={"last_run": TEA.last_run}) == TEA


def test_what_left_the_live_store_does_not_come_back_when_its_snapshot_is_past_its_retention() -> (
    None
):
    def change(kind: Any, version: int) -> Changed:
        return Changed(kind=kind, memory_id=TEA.id, version=version, relation="update", why="")

    gone = [
        run("a", changes=(change("add", 1), change("revise", 2))),
        run("b", changes=(change("retire", 2),)),
        run("c", changes=(change("retire", 9),), state="undone"),
    ]

    assert retired_in(gone) == {TEA.id: 2}
    later = line(TEA.model_copy(update={"version": 3}))
    assert lacking([later], Known(retired=retired_in(gone))).memories == (later,)
