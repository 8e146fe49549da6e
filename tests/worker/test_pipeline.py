"""The story of a batch on both stores: what a crash, a replay or a second delivery leaves."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count
from typing import Any, cast
from uuid import UUID

import pytest
from redis import Redis

from schemas.keys import PartitionKeys, ScopeKeys
from schemas.memory import Archive, ArchiveRecord, Fact, MemoryRecord
from schemas.plan import Plan, Revise, Run
from schemas.scope import Scope
from tests.build import fact
from tests.desk import Desk, Judges, Says, desk
from tests.fragile import Fragile, Killed
from tests.hold import Holding
from tests.similarity import GivenSimilarities
from worker.adapters.inbox import Claim, Inbox
from worker.adapters.lease import Lease
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.hearing.heard import Heard
from worker.core.judging.detectors import Judging
from worker.core.planning.runs import opened
from worker.core.ports import Hold, Store, Writer
from worker.errors import LeaseLost, Misconfigured, PlanConflict
from worker.parts import Parts
from worker.pipeline import consolidate

SEATTLE, AUSTIN = "User lives in Seattle", "User lives in Austin"
NEAR = GivenSimilarities({AUSTIN: (SEATTLE, 0.9)})


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (NEAR.fingerprint, NEAR.dimensions)


def every_turn_is_a_fact(heard: Heard) -> Iterable[Fact]:
    return (fact(turn.text, turn_ids=(turn.id,), said_at=turn.said_at) for turn in heard.turns)


def each_fact_replaces_its_candidates(case: Candidacy) -> Groups:
    groups, new, used = [], [], set[str]()
    for at, offered in enumerate(case.offered):
        label, free = f"f{at + 1}", [one for one in offered if one[0] == "c" and one not in used]
        used |= set(free)
        text = f"{case.facts[at].text}, not {case.candidate(free[0]).memory.text}" if free else None
        if free:
            groups.append(
                Group(why="moved", members=(label, *free), relation="contradict", text=text)
            )
        else:
            new.append(label)
    return Groups(groups=tuple(groups), new=tuple(new))


@pytest.fixture
def table(store: Store, redis_client: Redis, scope: Scope) -> Desk:
    made = desk(store, redis_client, scope, NEAR)
    made.parts = replace(
        made.parts,
        extraction=Says(lambda heard: tuple(every_turn_is_a_fact(heard))),
        judging=Judging(Judges(each_fact_replaces_its_candidates)),
    )
    return made


def crash_at(table: Desk, part: str, nth: int, *, after: bool) -> bool:
    """Consolidate with a part that dies at its nth call; false once there is no such call."""
    whole, claim = table.parts, table.claim()
    fragile = Fragile(getattr(whole, part), nth, after)
    table.parts = replace(whole, **{part: cast("Any", fragile)})
    try:
        consolidate(table.parts, claim, table.now)
    except Killed:
        return True
    finally:
        table.parts = whole
    return False


def expire(table: Desk) -> None:
    """Time passes, the dead worker's lease runs out, and what is left is settled."""
    server = server_of(table)
    for scope_key in server.zrange(PartitionKeys(0).busy, 0, -1):
        server.zadd(PartitionKeys(0).busy, {cast("bytes", scope_key): 0})
    table.settle()
    assert table.parts.inbox.idle()


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("part", ["store", "inbox"])
def test_a_crash_at_any_call_loses_nothing_and_doubles_nothing(
    table: Desk, part: str, after: bool
) -> None:
    nth = 0
    crashed = True
    while crashed:
        nth += 1
        table.scope = Scope(app=table.scope.app, user=f"{part} {nth} {after}")
        table.say(SEATTLE, "2026-01-01T10:00:00Z")
        table.settle()
        table.say(AUSTIN, "2026-02-01T10:00:00Z")
        table.say("User has a cat", "2026-02-01T10:01:00Z")

        crashed = crash_at(table, part, nth, after=after)
        expire(table)

        assert set(table.live()) == {f"{AUSTIN}, not {SEATTLE}", "User has a cat"}
        assert [archive.memory.text for archive in table.archives()] == [SEATTLE]
        assert {run.state for run in table.runs()} == {"applied"}
    assert nth > 3, "the crash points were reached"


def test_a_replay_asks_no_model_and_makes_the_very_same_records(table: Desk) -> None:
    asked = []

    def counted(heard: Heard) -> Sequence[Fact]:
        asked.append(heard)
        return tuple(fact(f"try {len(asked)}", turn_ids=(turn.id,)) for turn in heard.turns)

    table.parts = replace(table.parts, extraction=Says(counted))
    replays = 0
    for nth in range(1, 20):
        table.scope = Scope(app=table.scope.app, user=f"replayed {nth}")
        table.say("hello", "2026-01-01T10:00:00Z")
        crashed = crash_at(table, "store", nth, after=False)
        if not crashed:
            break
        tries, has_plan = len(asked), has_kept_plan(table)
        expire(table)

        assert len(asked) == (tries if has_plan else tries + 1)
        assert set(table.live()) == {f"try {len(asked)}"}
        replays += has_plan
    assert replays > 2, "plans were replayed"


def has_kept_plan(table: Desk) -> bool:
    keys = ScopeKeys(0, table.scope.key)
    return bool(server_of(table).exists(keys.plan))


def server_of(table: Desk) -> Redis:
    """The test stands for the server."""
    return table.parts.inbox._redis


def writer_of(table: Desk) -> Writer:
    """Under the lease that was given out last."""
    last = server_of(table).get(PartitionKeys(0).fence) or 0
    return table.parts.store.writer(table.scope, Holding(int(cast("bytes", last))))


def test_a_turn_that_a_run_has_settled_changes_nothing_however_late_it_comes_again(
    table: Desk, redis_client: Redis
) -> None:
    table.say(SEATTLE, "2026-01-01T10:00:00Z", id="e1")
    table.settle()
    before = table.live()

    redis_client.flushall()
    table.say(SEATTLE, "2026-01-01T10:00:00Z", id="e1")
    (outcome,) = table.settle()

    assert outcome.run is None
    assert table.live() == before


def test_a_run_left_open_is_finished_even_if_redis_lost_its_plan(
    table: Desk, redis_client: Redis
) -> None:
    table.say(SEATTLE, "2026-01-01T10:00:00Z")
    nth = 1
    while not table.parts.store.open_runs(table.scope):
        redis_client.flushall()
        table.say(SEATTLE, "2026-01-01T10:00:00Z")
        crash_at(table, "store", nth, after=True)
        nth += 1

    redis_client.flushall()
    table.say("User has a cat", "2026-02-01T10:00:00Z")
    table.settle()

    assert set(table.live()) == {SEATTLE, "User has a cat"}
    assert {run.state for run in table.runs()} == {"applied"}


def test_a_worker_whose_lease_ran_out_writes_nothing_more(table: Desk) -> None:
    table.say(SEATTLE, "2026-01-01T10:00:00Z")
    claim = table.claim()

    def slow(heard: Heard) -> Sequence[Fact]:
        server_of(table).zadd(PartitionKeys(0).busy, {claim.scope_key: 0})
        assert table.parts.inbox.claim() is not None, "another worker takes over"
        return tuple(every_turn_is_a_fact(heard))

    table.parts = replace(table.parts, extraction=Says(slow))
    stopped = replace(table.parts, inbox=cast("Inbox", Unrenewed(table.parts.inbox)))
    with pytest.raises(LeaseLost):
        consolidate(stopped, claim, table.now)

    assert table.live() == {}
    assert table.runs() == []


@dataclass
class Unrenewed:
    """An inbox of a process that stands still: it never renews."""

    real: Any

    def renew(self, claim: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


def redis_of(table: Desk) -> dict[bytes, bytes]:
    """Everything in Redis, to be put back later: a server that lost its tail."""
    client = table.parts.inbox._redis
    return {key: client.dump(key) or b"" for key in client.scan_iter()}


def put_back(table: Desk, dump: dict[bytes, bytes]) -> None:
    client = table.parts.inbox._redis
    client.flushall()
    for key, value in dump.items():
        client.restore(key, 0, value)


def killed_before_the_commit(table: Desk) -> dict[bytes, bytes]:
    """Apply a batch and die before its commit; what Redis held then."""
    nth = 1
    while True:
        before = len(table.runs())
        assert crash_at(table, "inbox", nth, after=False)
        if len(table.runs()) > before:
            return redis_of(table)
        expire(table)
        table.say(f"another try {nth}", "2026-01-01T10:00:00Z")
        nth += 1


def test_a_kept_plan_whose_run_was_applied_brings_nothing_back_when_redis_lost_its_tail(
    table: Desk,
) -> None:
    table.say("try 0", "2026-01-01T10:00:00Z")
    dump = killed_before_the_commit(table)
    expire(table)
    gone = list(table.parts.store.memories(table.scope))
    writer_of(table).remove_memories([record.memory.id for record in gone])

    put_back(table, dump)
    expire(table)

    assert table.live() == {}, "what was removed since stays removed"
    assert table.parts.inbox.parked(table.scope.key) == []


def test_an_open_run_that_cannot_be_finished_is_marked_and_blocks_no_later_batch(
    table: Desk,
) -> None:
    table.say(SEATTLE, "2026-01-01T10:00:00Z")
    table.settle()
    table.say(AUSTIN, "2026-02-01T10:00:00Z")
    table.settle()
    first = table.runs()[-1]
    (record,) = table.parts.store.memories(table.scope)
    stale = opened(stale_plan(table, first, record))
    writer_of(table).put_run(stale)

    table.say("User has a cat", "2026-03-01T10:00:00Z")
    table.settle()

    assert "User has a cat" in table.live()
    assert {run.id: run.state for run in table.runs()}[stale.id] == "parked"
    assert table.parts.store.open_runs(table.scope) == []


def stale_plan(table: Desk, run: Run, record: MemoryRecord) -> Plan:
    """A plan decided on a version that is gone, as a write that came too late would leave it."""
    memory = record.memory.model_copy(update={"version": 9, "text": "stale", "last_run": run.id})
    old = ArchiveRecord(
        archive=Archive(
            memory=record.memory.model_copy(update={"version": 8}),
            replaced_by=memory.id,
            archived_at=table.now,
            reason="superseded",
            why="x",
            run=UUID(int=5),
        ),
        vector=record.vector,
    )
    revise = Revise(
        record=record.model_copy(update={"memory": memory}), archive=old, relation="update"
    )
    return Plan(
        run=UUID(int=5),
        kind="batch",
        scope=table.scope,
        turn_ids=(UUID(int=6),),
        base={memory.id: 8},
        changes=(revise,),
        planned_at=table.now,
    )


def test_a_plan_of_another_version_waits_for_that_version_and_loses_nothing(table: Desk) -> None:
    table.say(SEATTLE, "2026-01-01T10:00:00Z")
    for payload in ('{"v": 99, "count": 1, "plan": null}', '{"count": "what"}', "no json"):
        claim = table.claim()
        table.parts.inbox.keep_plan(claim, payload)

        with pytest.raises(Misconfigured, match="newer worker"):
            consolidate(table.parts, claim, table.now)

        table.parts.inbox.fail(claim, 0, burn=False)
    assert len(table.parts.inbox.pending(table.scope.key)) == 1


def test_a_plan_whose_base_has_moved_is_refused_before_its_first_write(table: Desk) -> None:
    table.say(SEATTLE, "2026-01-01T10:00:00Z")
    table.settle()
    (record,) = table.parts.store.memories(table.scope)

    def meddle(case: Candidacy) -> Groups:
        newer = record.memory.model_copy(update={"version": 7, "last_run": UUID(int=9)})
        writer_of(table).put_memories([record.model_copy(update={"memory": newer})])
        return each_fact_replaces_its_candidates(case)

    table.parts = replace(table.parts, judging=Judging(Judges(meddle)))
    table.say(AUSTIN, "2026-02-01T10:00:00Z")

    with pytest.raises(PlanConflict):
        table.settle()

    assert [memory.version for memory in table.live().values()] == [7]
    assert table.archives() == []
    assert sorted(run.state for run in table.runs()) == ["applied", "parked"]


LIVED, DALLAS = "User lived in Seattle for years", "User lives in Dallas"
MOVED, MOVED_AGAIN = f"{AUSTIN}, not {SEATTLE}", f"{DALLAS}, not {AUSTIN}, not {SEATTLE}"
MOVES = GivenSimilarities({LIVED: (SEATTLE, 0.8), AUSTIN: (SEATTLE, 0.9), DALLAS: (MOVED, 0.9)})
WRITES = {"prepare", "put_run", "put_archives", "put_memories", "remove_memories"}


@dataclass
class Pausing:
    """The store of a worker that stands still as its nth write begins, for as long as `meanwhile` takes."""

    real: Any
    nth: int
    meanwhile: Callable[[str], None]
    calls: Iterator[int] = field(default_factory=lambda: count(1))

    def writer(self, scope: Scope, hold: Hold) -> Any:
        return replace(self, real=self.real.writer(scope, hold))

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self.real, name)
        if name not in WRITES:
            return attribute

        def call(*args: Any) -> Any:
            if next(self.calls) == self.nth:
                self.meanwhile(name)
            return attribute(*args)

        return call


def test_a_worker_that_stood_still_at_any_write_changes_nothing_once_another_went_on(
    table: Desk,
) -> None:
    table.parts = replace(table.parts, embedder=MOVES)
    paused_at: list[str] = []
    stands: list[object] = []

    def meanwhile(write: str) -> None:
        paused_at.append(write)
        expire(table)
        table.say(DALLAS, "2026-03-01T10:00:00Z")
        table.settle()
        stands.append(everything(table))

    for nth in count(1):
        table.scope = Scope(app=table.scope.app, user=f"paused {nth}")
        table.say(SEATTLE, "2026-01-01T10:00:00Z")
        table.say(LIVED, "2026-01-01T10:01:00Z")
        table.settle()
        table.say(AUSTIN, "2026-02-01T10:00:00Z")
        claim, store = table.claim(), Pausing(table.parts.store, nth, meanwhile)
        pausing = replace(table.parts, store=cast("Store", store))
        if not is_refused(pausing, claim, table.now):
            break

        assert everything(table) == stands[-1]
        assert set(table.live()) == {MOVED_AGAIN}
        assert {run.state for run in table.runs()} == {"applied"}
    assert set(paused_at) == WRITES


def is_refused(parts: Parts, claim: Claim, now: datetime) -> bool:
    try:
        consolidate(parts, claim, now)
    except LeaseLost:
        return True
    return False


def everything(table: Desk) -> object:
    return table.live(), table.archives(), table.runs()


def test_a_redis_that_lost_its_data_and_the_time_says_how_to_go_on(
    sqlite_store: Store, redis_client: Redis, scope: Scope
) -> None:
    table = desk(sqlite_store, redis_client, scope, NEAR)
    sqlite_store.writer(scope, Holding(2**52)).prepare()
    table.say("hello", "2026-01-01T10:00:00Z")
    claim = table.claim()

    with pytest.raises(Misconfigured, match="lost its data while its clock was behind") as refused:
        consolidate(table.parts, claim, table.now)

    assert table.runs() == []
    table.parts.inbox.fail(claim, 0, burn=False)
    _, key, fence = str(refused.value).split("`redis-cli ")[1].split("`")[0].split()
    redis_client.set(key, fence)
    table.settle()
    assert [run.state for run in table.runs()] == ["applied"]


def test_what_a_predecessor_writes_while_its_successor_thinks_is_refused(
    sqlite_store: Store, redis_client: Redis, scope: Scope
) -> None:
    """Else its open run would come after the look for open runs, and its turns be consolidated twice."""
    table = desk(sqlite_store, redis_client, scope, NEAR)
    table.say(SEATTLE, "2026-01-01T10:00:00Z")
    predecessor = table.claim()
    late_run = Run(
        id=UUID(int=5), kind="batch", scope=scope, state="open", turn_ids=(), started_at=table.now
    )
    refused = []

    def thinks(heard: Heard) -> Sequence[Fact]:
        late = sqlite_store.writer(scope, Lease(table.parts.inbox, predecessor))
        with pytest.raises(LeaseLost) as raised:
            late.put_run(late_run)
        refused.append(raised)
        return tuple(every_turn_is_a_fact(heard))

    table.parts = replace(table.parts, extraction=Says(thinks))
    expire(table)

    assert len(refused) == 1
