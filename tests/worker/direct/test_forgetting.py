"""Forgetting a memory, or what a query names, on both stores: it is gone everywhere, and nothing else is."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, cast
from uuid import UUID

import pytest
from redis import Redis

from schemas.keys import PartitionKeys
from schemas.memory import Archive, ArchiveRecord, Fact, MemoryRecord
from schemas.plan import Held, Retire, Run
from schemas.scope import Scope
from tests.build import fact, uid
from tests.desk import PATIENT, Desk, Judges, Says, desk, scripted
from tests.endpoint import Refusal
from tests.fragile import Fragile, Killed
from tests.similarity import GivenSimilarities
from worker.adapters.lease import Lease
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.hearing.heard import Heard
from worker.core.judging.detectors import Judging
from worker.core.ports import Store
from worker.direct.exporting import exported
from worker.direct.forgetting import Receipt, Wanted, forget, sighted
from worker.direct.importing import import_lines
from worker.direct.undoing import undo
from worker.errors import Unprocessable
from worker.pipeline import consolidate

LATER = datetime(2026, 11, 20, tzinfo=UTC)


NEVER = Judging(Judges(lambda case: Groups(groups=(), new=case.fact_labels)))


@dataclass(frozen=True)
class Case:
    """Two things that were merged, and the one of them that is to go."""

    private: str
    other: str
    merged: str
    query: str

    @property
    def texts(self) -> tuple[str, str, str]:
        return self.private, self.other, self.merged


CASES = {
    "english": Case(
        "Has a heart condition",
        "Cycles to work",
        "Has a heart condition and cycles to work",
        "heart condition",
    ),
    "german": Case(
        "Leidet an Asthma",
        "Singt dienstags im Chor",
        "Leidet an Asthma und singt dienstags im Chor",
        "Asthma",
    ),
    "russian": Case(
        "Лечится от бессонницы",
        "Разводит пчёл",
        "Лечится от бессонницы и разводит пчёл",
        "бессонницы",
    ),
    "chinese": Case("患有糖尿病", "每天骑车上班", "患有糖尿病，每天骑车上班", "糖尿病"),
    "japanese": Case(
        "痛風の薬を飲んでいる",
        "週末は登山をする",
        "痛風の薬を飲んでいる。週末は登山をする",
        "痛風",
    ),
    "korean": Case(
        "우울증 치료를 받는다",
        "주말에 도자기를 굽는다",
        "우울증 치료를 받는다, 주말에 도자기를 굽는다",
        "우울증",
    ),
    "arabic": Case(
        "يعالج من الصداع", "يعزف على العود", "يعالج من الصداع، يعزف على العود", "الصداع"
    ),
    "a number": Case(
        "The locker code is 4711",
        "Trains for the regatta",
        "Trains for the regatta; the locker code is 4711",
        "4711",
    ),
}


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (GivenSimilarities().fingerprint, GivenSimilarities().dimensions)


def every_turn(heard: Heard) -> Sequence[Fact]:
    return [fact(one.text, turn_ids=(one.id,), said_at=one.said_at) for one in heard.turns]


def merging(case: Case) -> Callable[[Candidacy], Groups]:
    """The third fact brings both together; whatever else comes is new."""

    def judge(candidacy: Candidacy) -> Groups:
        if candidacy.facts[0].text != case.merged or len(candidacy.memory_labels) < 2:
            return Groups(groups=(), new=candidacy.fact_labels)
        why = f"both: {case.merged}"
        members = ("f1", *candidacy.memory_labels[:2])
        return Groups(
            groups=(Group(why=why, members=members, relation="update", text=case.merged),), new=()
        )

    return judge


def at(store: Store, redis: Redis, scope: Scope, case: Case, lease_seconds: float = 60.0) -> Desk:
    near = dict.fromkeys(case.texts[:2], (case.merged, 0.9))
    made = desk(store, redis, scope, GivenSimilarities(near), lease_seconds=lease_seconds)
    made.parts = replace(
        made.parts,
        settings=made.parts.settings.model_copy(update={"model": "rules"}),
        extraction=Says(every_turn),
        judging=Judging(Judges(merging(case)), resolver="rewrite"),
    )
    return made


def told(made: Desk, case: Case) -> Desk:
    for day, text in enumerate(case.texts, start=1):
        made.say(text, f"2026-05-0{day}T09:00:00Z", id=f"turn {day}")
        made.settle()
    return made


@pytest.fixture(params=[*CASES.values()], ids=[*CASES])
def case(request: pytest.FixtureRequest) -> Case:
    return cast("Case", request.param)


@pytest.fixture
def table(store: Store, redis_client: Redis, scope: Scope, case: Case) -> Desk:
    return told(at(store, redis_client, scope, case), case)


ENGLISH = CASES["english"]


@pytest.fixture
def english(store: Store, redis_client: Redis, scope: Scope) -> Desk:
    return told(at(store, redis_client, scope, ENGLISH), ENGLISH)


def everything(made: Desk, redis: Redis) -> str:
    """All that anybody could ever read of the scope."""
    store, scope = made.parts.store, made.scope
    texts = [record.model_dump_json() for record in store.memories(scope)]
    texts += [record.model_dump_json() for record in store.archives(scope)]
    texts += [run.model_dump_json() for run in store.runs(scope)]
    for key in sorted(redis.scan_iter(f"*{scope.key}*")):
        texts.append(str(dumped(redis, key)))
    return "\n".join(texts)


def dumped(redis: Redis, key: Any) -> list[str]:
    kind = redis.type(key)
    read: dict[bytes, Callable[[], Any]] = {
        b"list": lambda: redis.lrange(key, 0, -1),
        b"hash": lambda: [*redis.hgetall(key).items()],
        b"zset": lambda: redis.zrange(key, 0, -1),
        b"string": lambda: [redis.get(key)],
    }
    found = read[cast("bytes", kind)]()
    flat = [part for one in found for part in (one if isinstance(one, tuple) else (one,))]
    return [part.decode() for part in flat]


def named(made: Desk, query: str) -> Wanted:
    found = sighted(made.parts, made.scope, query, LATER)
    return Wanted(tuple(one.id for one in found.named), query)


def redacting(text: str) -> Callable[[str, dict[str, Any]], Any]:
    return lambda job, document: {"text": text} if job == "redact" else {}


def test_without_a_model_what_was_merged_with_it_stands_again(
    table: Desk, case: Case, redis_client: Redis
) -> None:
    assert set(table.live()) == {case.merged}
    receipt = forget(table.parts, table.scope, named(table, case.query), LATER)

    assert set(table.live()) == {case.other}
    assert case.query not in everything(table, redis_client)
    assert (receipt.redacted, receipt.memories, receipt.archives) == (1, 0, 2)
    assert receipt.runs >= 1
    assert receipt.recent == 2


def test_with_a_model_only_the_part_is_taken_out(
    table: Desk, case: Case, redis_client: Redis
) -> None:
    with scripted(table, redacting(case.other), model="scripted") as server:
        receipt = forget(table.parts, table.scope, named(table, case.query), LATER)

    assert set(table.live()) == {case.other}
    assert case.query not in everything(table, redis_client)
    assert receipt.redacted == 1
    assert server.calls == {"redact": 1}


@pytest.mark.parametrize(
    "lie",
    [
        "Has a heart condition",
        "Cycles to work with a bad heart",
        "Cycles to work since 2019",
        "Cycles to work with Marjolein",
        "Does not cycle to work",
        "",
        {"texts": "?"},
    ],
    ids=str,
)
def test_what_a_model_may_not_say_is_refused_and_the_old_words_return(
    english: Desk, redis_client: Redis, lie: Any
) -> None:
    reply = lie if isinstance(lie, dict) else {"text": lie}
    with scripted(english, lambda job, document: reply, model="scripted") as server:
        forget(english.parts, english.scope, named(english, "heart condition"), LATER)

    assert server.calls["redact"] == (2 if lie == "" else 3)
    assert set(english.live()) == {ENGLISH.other}
    assert "heart" not in everything(english, redis_client)


def test_a_model_that_is_down_holds_nothing_up(english: Desk, redis_client: Redis) -> None:
    with scripted(english, lambda job, document: Refusal(503), model="scripted"):
        forget(english.parts, english.scope, named(english, "heart condition"), LATER)

    assert set(english.live()) == {ENGLISH.other}
    assert "heart" not in everything(english, redis_client)


def test_the_same_turns_stay_out_and_what_is_said_anew_is_stored(
    table: Desk, case: Case, redis_client: Redis
) -> None:
    forget(table.parts, table.scope, named(table, case.query), LATER)
    redis_client.flushall()
    table.parts.inbox.configure(PATIENT)
    told(table, case)
    assert set(table.live()) == {case.other}

    table.say(case.private, "2026-12-01T09:00:00Z", id="anew")
    table.settle()
    assert set(table.live()) == {case.other, case.private}


def test_a_second_call_finds_nothing(english: Desk) -> None:
    wanted = named(english, "heart condition")
    forget(english.parts, english.scope, wanted, LATER)
    before = english.runs()

    assert named(english, "heart condition").ids == ()
    assert forget(english.parts, english.scope, wanted, LATER) == Receipt()
    assert forget(english.parts, english.scope, Wanted((), "heart condition"), LATER) == Receipt()
    assert english.runs() == before


def test_ids_versions_and_relations_of_runs_stay_but_no_words(english: Desk) -> None:
    before = {run.id: run for run in english.runs()}
    forget(english.parts, english.scope, named(english, "heart condition"), LATER)
    (act, *runs) = english.runs()

    assert act.kind == "write"
    assert set(before) == {run.id for run in runs}
    for run in runs:
        for old, new in zip(before[run.id].changes, run.changes, strict=True):
            assert new.model_copy(update={"why": old.why, "said": old.said}) == old
    assert {change.why for run in runs for change in run.changes if change.kind != "add"} == {""}


def ids_of(made: Desk) -> dict[str, UUID]:
    texts = {archive.memory.text: archive.memory.id for archive in made.archives()}
    return texts | {text: memory.id for text, memory in made.live().items()}


def test_a_memory_goes_with_all_it_was_made_of(
    table: Desk, case: Case, redis_client: Redis
) -> None:
    receipt = forget(table.parts, table.scope, Wanted((ids_of(table)[case.merged],)), LATER)

    assert table.live() == {}
    assert table.archives() == []
    assert not any(text in everything(table, redis_client) for text in case.texts)
    assert (receipt.memories, receipt.redacted, receipt.archives) == (1, 0, 3)


@pytest.mark.parametrize("has_model", [False, True])
def test_its_part_in_what_it_went_on_into_goes_too(
    table: Desk, case: Case, redis_client: Redis, has_model: bool
) -> None:
    gone = next(
        archive.memory
        for archive in table.archives()
        if archive.memory.id != table.live()[case.merged].id
    )
    stays = case.other if gone.text == case.private else case.private
    asked = scripted(table, redacting(stays), model="scripted") if has_model else nullcontext()
    with cast("AbstractContextManager[object]", asked):
        receipt = forget(table.parts, table.scope, Wanted((gone.id,)), LATER)

    assert set(table.live()) == {stays}
    assert gone.text not in everything(table, redis_client)
    assert receipt.redacted == 1
    assert forget(table.parts, table.scope, Wanted((gone.id,)), LATER) == Receipt()


def test_an_id_that_was_never_known_is_refused(english: Desk) -> None:
    before = english.runs()
    with pytest.raises(Unprocessable, match="not found in this scope"):
        forget(english.parts, english.scope, Wanted((uid("never"),)), LATER)

    assert english.runs() == before


def test_a_memory_of_another_scope_is_not_found_and_nothing_of_it_changes(
    english: Desk, store: Store, redis_client: Redis, scope: Scope
) -> None:
    other = Scope(app=scope.app, user=f"{scope.user} too")
    theirs = told(at(store, redis_client, other, ENGLISH), ENGLISH)
    theirs.say("My heart condition is back", "2026-05-09T09:00:00Z")
    before = everything(theirs, redis_client)

    with pytest.raises(Unprocessable, match="not found"):
        forget(english.parts, english.scope, Wanted((ids_of(theirs)[ENGLISH.merged],)), LATER)
    forget(english.parts, english.scope, named(english, "heart condition"), LATER)
    assert everything(theirs, redis_client) == before


def test_what_waits_was_parked_or_is_context_goes_too(english: Desk, redis_client: Redis) -> None:
    english.say("There it is, my HEART condition!", "2026-05-04T09:00:00Z", id="parked")
    claim = english.claim()
    english.parts.inbox.park(claim, 1, "too odd")
    english.say("Ask about the heart; my condition is fine", "2026-05-05T09:00:00Z", id="waits")
    english.say("The heart of the city", "2026-05-06T09:00:00Z", id="stays")
    receipt = forget(english.parts, english.scope, named(english, "heart condition"), LATER)

    assert (receipt.pending, receipt.parked, receipt.recent) == (1, 1, 2)
    assert [one.text for one in english.parts.inbox.pending(english.scope.key)] == [
        "The heart of the city"
    ]
    assert list(english.parts.inbox.parking.letters()) == []
    redis_client.flushall()
    english.parts.inbox.configure(PATIENT)
    english.say("There it is, my HEART condition!", "2026-05-04T09:00:00Z", id="parked")
    english.say("Ask about the heart; my condition is fine", "2026-05-05T09:00:00Z", id="waits")
    english.settle()
    assert set(english.live()) == {ENGLISH.other}


def test_what_only_waits_can_be_forgotten(english: Desk) -> None:
    english.say("I owe Bertil 900 crowns", "2026-05-04T09:00:00Z", id="waits")
    receipt = forget(english.parts, english.scope, Wanted((), "Bertil crowns"), LATER)

    assert receipt == Receipt(pending=1)
    english.say("I owe Bertil 900 crowns", "2026-05-04T09:00:00Z", id="waits")
    english.settle()
    assert set(english.live()) == {ENGLISH.merged}


def test_a_parked_turn_with_a_proposal_about_it_is_judged_anew(english: Desk) -> None:
    (merged,) = english.parts.store.memories(english.scope)
    english.say("Sold the bicycle", "2026-05-04T09:00:00Z", id="sold")
    claim = english.claim()
    proposal = (Retire(relation="contradict", archive=archived(merged)),)
    held = Held(turn_id=english.parts.inbox.turns(claim)[0].id, reason="many", proposal=proposal)
    english.parts.inbox.commit(claim, 1, 4, (held,))
    forget(english.parts, english.scope, named(english, "heart condition"), LATER)

    assert list(english.parts.inbox.parking.letters()) == []
    assert [one.text for one in english.parts.inbox.pending(english.scope.key)] == [
        "Sold the bicycle"
    ]


def archived(record: MemoryRecord) -> ArchiveRecord:
    archive = Archive(
        memory=record.memory,
        replaced_by=None,
        archived_at=LATER,
        reason="superseded",
        why="sold",
        run=record.memory.last_run,
    )
    return ArchiveRecord(archive=archive, vector=record.vector)


@pytest.mark.parametrize("nth", [*range(1, 7)])
def test_what_a_dead_worker_had_decided_is_found_too(
    store: Store, redis_client: Redis, scope: Scope, nth: int
) -> None:
    """Its plan, or its open run, is finished first: what comes of that was in nobody's list."""
    made = at(store, redis_client, scope, ENGLISH)
    made.say(ENGLISH.private, "2026-05-01T09:00:00Z", id="1")
    dying = replace(made.parts, store=cast("Any", Fragile(store, nth + 3, after=True)))
    with suppress(Killed):
        consolidate(dying, made.claim(), made.now)
    expire(made, redis_client)
    forget(made.parts, scope, Wanted(None, ENGLISH.query), LATER)

    assert made.live() == {}
    assert "heart" not in everything(made, redis_client)


def expire(made: Desk, redis: Redis) -> None:
    redis.zadd(PartitionKeys(0).busy, {made.scope.key: 1}, xx=True)


def the_merge(made: Desk) -> Run:
    return next(run for run in made.runs() if "retire" in {one.kind for one in run.changes})


@pytest.mark.parametrize("whose", ["survivor", "other"])
def test_what_a_merge_that_was_undone_had_brought_together_is_none_of_each_other(
    english: Desk, whose: str
) -> None:
    (survivor,) = english.live().values()
    english.now += timedelta(days=1)
    undo(english.parts, english.scope, the_merge(english).id, english.now)
    ids = {one.id == survivor.id: one.id for one in english.live().values()}
    gone, stays = ids[whose == "survivor"], ids[whose != "survivor"]
    (text,) = [text for text, one in english.live().items() if one.id == stays]
    english.say(f"{text}, and the flight is at nine", "2026-05-08T09:00:00Z", id="waits")
    before = versions(english, stays)
    forget(english.parts, english.scope, Wanted((gone,)), LATER)

    assert set(english.live()) == {text}
    assert versions(english, stays) == before
    assert len(english.parts.inbox.pending(english.scope.key)) == 1


def test_several_things_go_of_one_memory(table: Desk, case: Case, redis_client: Redis) -> None:
    (merged,) = table.live().values()
    parents = [id for text, id in ids_of(table).items() if text != case.merged]
    forget(table.parts, table.scope, Wanted((*parents, merged.id)), LATER)

    assert table.live() == {}
    assert not any(text in everything(table, redis_client) for text in case.texts)


def versions(made: Desk, id: UUID) -> list[Archive]:
    """Its snapshots, but for that of the merge."""
    found = (one for one in made.archives(id) if one.memory.id == id)
    return [
        one.model_copy(update={"why": ""}) for one in found if one.memory.text != ENGLISH.merged
    ]


TEA = Case("User likes tea", "User likes hiking", "User likes tea and hiking", "likes tea")


@pytest.mark.parametrize("has_model", [False, True])
@pytest.mark.parametrize("by", ["query", "id"])
def test_a_word_that_both_share_takes_neither_along(
    store: Store, redis_client: Redis, scope: Scope, by: str, has_model: bool
) -> None:
    made = told(at(store, redis_client, scope, TEA), TEA)
    gone, stays = TEA.private, TEA.other
    if by == "id" and ids_of(made)[gone] == ids_of(made)[TEA.merged]:
        gone, stays = stays, gone
    wanted = Wanted(None, TEA.query) if by == "query" else Wanted((ids_of(made)[gone],))
    asked = scripted(made, redacting(stays), model="scripted") if has_model else nullcontext()
    with cast("AbstractContextManager[object]", asked):
        forget(made.parts, scope, wanted, LATER)

    assert set(made.live()) == {stays}
    assert gone not in everything(made, redis_client)


@pytest.mark.parametrize("by", ["query", "id"])
def test_an_export_from_before_brings_nothing_back(
    table: Desk, case: Case, redis_client: Redis, by: str
) -> None:
    lines = list(exported(table.parts.store, table.scope))
    (merged,) = table.live().values()
    forget(
        table.parts,
        table.scope,
        Wanted(None, case.query) if by == "query" else Wanted((merged.id,)),
        LATER,
    )
    before = everything(table, redis_client)
    import_lines(table.parts, table.scope, lines, LATER)

    assert everything(table, redis_client) == before


def test_what_only_a_run_tells_goes_too(store: Store, redis_client: Redis, scope: Scope) -> None:
    """In other words than those that stand, or as what was planned and could not be done."""
    said = "Rides to work past the clinic"
    made = at(store, redis_client, scope, ENGLISH)
    made.say(ENGLISH.other, "2026-05-01T09:00:00Z", id="1")
    made.settle()
    (batch,) = made.runs()
    (change,) = batch.changes
    told = batch.model_copy(update={"changes": (change.model_copy(update={"said": (said,)}),)})
    claim = made.parts.inbox.claim_scope(scope.key)
    assert claim
    with Lease(made.parts.inbox, claim) as lease:
        store.writer(scope, lease).put_run(told)
    made.parts.inbox.release(claim)
    receipt = forget(made.parts, scope, Wanted(None, "clinic"), LATER)

    assert receipt == Receipt(runs=1)
    assert "clinic" not in everything(made, redis_client)
    assert set(made.live()) == {ENGLISH.other}
    assert forget(made.parts, scope, Wanted(None, "clinic"), LATER) == Receipt()


def test_likeness_alone_removes_nothing(store: Store, redis_client: Redis, scope: Scope) -> None:
    like = {"Takes beta blockers": ("heart condition", 0.99)}
    made = desk(store, redis_client, scope, GivenSimilarities(like))
    made.parts = replace(made.parts, extraction=Says(every_turn), judging=NEVER)
    made.say("Takes beta blockers", "2026-05-01T09:00:00Z")
    made.say("Has a heart of gold", "2026-05-02T09:00:00Z")
    made.settle()
    found = sighted(made.parts, made.scope, "heart condition", LATER)

    assert found.named == ()
    assert {one.text for one in found.near} == {"Takes beta blockers", "Has a heart of gold"}
    assert forget(made.parts, made.scope, Wanted((), "heart condition"), LATER) == Receipt()
    assert len(made.live()) == 2


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("whose", ["store", "inbox"])
def test_after_a_crash_at_any_call_a_further_call_completes_it(
    store: Store, redis_client: Redis, scope: Scope, whose: str, after: bool
) -> None:
    for nth in count(1):
        own = Scope(app=scope.app, user=f"{scope.user} {nth}")
        # Whoever takes a scope over waits a third of the lease for what is under way.
        made = told(at(store, redis_client, own, ENGLISH, lease_seconds=3.0), ENGLISH)
        made.say("my heart condition", "2026-05-04T09:00:00Z", id="waits")
        wanted = named(made, "heart condition")
        whole = made.parts
        fragile = Fragile(getattr(whole, whose), nth, after)
        died = False
        try:
            forget(replace(whole, **{whose: cast("Any", fragile)}), own, wanted, LATER)
        except Killed:
            died = True
        if nth % 2:
            settled_by_a_worker(made)
        ids = (*(wanted.ids or ()), *(named(made, "heart condition").ids or ()))
        again = Wanted(ids, wanted.query)
        forget(whole, own, again, LATER)

        assert set(made.live()) == {ENGLISH.other}, nth
        assert "heart" not in everything(made, redis_client), nth
        told(made, ENGLISH)
        assert set(made.live()) == {ENGLISH.other}, nth
        if not died:
            assert nth > 5
            return


def settled_by_a_worker(made: Desk) -> None:
    made.say("Cycles to work", "2026-05-08T09:00:00Z", id="other")
    made.settle()
