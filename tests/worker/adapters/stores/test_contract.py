"""What every store promises, asked of each for real."""

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.base import Vector
from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.plan import Changed, Plan
from schemas.scope import Scope
from tests.build import NOW, at, memory, uid, vector
from tests.hold import HELD, Holding
from tests.weaviate_service import opened
from tests.worker.adapters.stores.keeping import (
    POOL,
    archived,
    by_words,
    kept,
    nominated,
    record,
    run,
    texts,
)
from worker.adapters.stores.opening import open_store
from worker.core.ports import About, Nominated, Query, Store
from worker.core.texts.words import terms
from worker.errors import LeaseLost, Misconfigured, Retryable, Unprocessable

FULL: dict[str, Any] = {
    "text": 'Grüße, 東京 😀 “quoted”\n\ttabs\\ and "quotes" ﬁ e\u0301',
    "subject": "Zoë O'Hara; DROP TABLE memory",
    "attribute": "home: \x1f town",
    "kind": "place",
    "volatile": True,
    "said_by": "Zoë",
    "authority": "assistant",
    "turn_ids": (uid("t1"), uid("t2")),
    "said_at": datetime(2026, 3, 29, 2, 30, 0, 123456, tzinfo=timezone(timedelta(hours=5.75))),
    "happened_at": "2024-01",
    "until": datetime(2027, 1, 1, tzinfo=UTC),
    "until_assumed": True,
    "identifiers": ("err_mem_4412", "ü-1"),
    "version": 3,
    "after": "Makes pour-over.",
    "confirmations": 4,
    "uses": 2**53 + 1,
    "tags": ("a", "b"),
    "metadata": {"nested": {"list": [1, 2.5, None, "é"]}, "big": 2**60, "": ""},
    "pinned": True,
    "links": (uid("other"),),
    "flagged": "unsure",
}


def test_a_memory_comes_back_as_it_was_put(store: Store, scope: Scope) -> None:
    one = record(scope, **FULL)
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories([one])

    assert list(store.memories(scope)) == [one]
    assert next(store.memories(scope)).model_dump_json() == one.model_dump_json()


def test_an_archive_comes_back_as_it_was_put(store: Store, scope: Scope) -> None:
    one = archived(record(scope, **FULL), "other")
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_archives([one])

    assert list(store.archives(scope)) == [one]


def test_a_run_comes_back_as_it_was_put(store: Store, scope: Scope) -> None:
    plan = Plan(
        run=uid("r"),
        kind="batch",
        scope=scope,
        turn_ids=(uid("t"),),
        base={uid("m"): 2},
        changes=(),
        planned_at=NOW,
    )
    changed = Changed(kind="add", memory_id=uid("m"), version=1, relation="new", why="“new”")
    one = run(scope, "r", state="open", plan=plan, changes=(changed,), facts=3, model="m")
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_run(one)

    assert list(store.runs(scope)) == [one]


@pytest.mark.parametrize(
    "text", ["x" * 100_000, "語" * 100_000, "a b " * 25_000], ids=["word", "han", "words"]
)
def test_a_text_of_100_000_signs_fits(store: Store, scope: Scope, text: str) -> None:
    one = record(scope, text)
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories([one])
    store.writer(scope, HELD).put_archives([archived(one)])

    assert list(store.memories(scope)) == [one]
    assert list(store.archives(scope)) == [archived(one)]


def test_a_scope_never_written_to_is_empty(store: Store, scope: Scope) -> None:
    query = Query(vector=vector("x"), terms=("x",), identifiers=("x1",), slot=("user", "home"))

    found = store.nominate(scope, [query, query], POOL)

    assert found.rankings == (Nominated(), Nominated())
    assert found.records == {}
    assert list(store.memories(scope)) == []
    assert list(store.memories(scope, [uid("x")])) == []
    assert list(store.archives(scope)) == []
    assert list(store.archives(scope, uid("x"))) == []
    assert list(store.runs(scope)) == []
    assert list(store.runs(scope, [uid("x")])) == []
    assert store.open_runs(scope) == []
    assert store.run(scope, uid("x")) is None
    assert store.forgotten(scope) == []
    assert store.slots(scope, 40) == []
    assert store.count(scope) == 0
    assert store.about(scope) == About()
    assert scope not in store.scopes()


def test_a_prepared_scope_without_memories_is_empty(store: Store, scope: Scope) -> None:
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).prepare()
    query = Query(vector=vector("x"), terms=("x",), identifiers=("x1",), slot=("user", "home"))

    assert store.nominate(scope, [query], POOL).rankings == (Nominated(),)
    assert list(store.memories(scope)) == []
    assert store.slots(scope, 40) == []
    assert store.count(scope) == 0


def test_only_prepare_makes_room_for_a_scope(store: Store, scope: Scope) -> None:
    one = record(scope, "Lives in Austin.")
    writes: tuple[Callable[[], None], ...] = (
        lambda: store.writer(scope, HELD).put_memories([one]),
        lambda: store.writer(scope, HELD).put_archives([archived(one)]),
        lambda: store.writer(scope, HELD).put_run(run(scope, "r")),
        lambda: store.writer(scope, HELD).remove_memories([one.memory.id]),
        lambda: store.writer(scope, HELD).remove_archives([(one.memory.id, 1)]),
    )

    for write in writes:
        with pytest.raises(Retryable, match=scope.key):
            write()
    assert store.count(scope) == 0


def test_what_was_just_put_is_found_by_every_search(store: Store, scope: Scope) -> None:
    one = record(scope, "The code is ERR_MEM_4412.", attribute="code")
    store.writer(scope, HELD).prepare()
    for _ in range(20):
        store.writer(scope, HELD).put_memories([record(scope, str(uuid4()))])
    store.writer(scope, HELD).put_memories([one])

    found = store.nominate(
        scope,
        [Query(one.vector, terms("code"), ("err_mem_4412",), ("user", "code"))],
        POOL,
    )

    ranking, wanted = found.rankings[0], one.memory.id
    assert ranking.by_vector[0] == wanted
    assert ranking.by_words == (wanted,)
    assert ranking.by_identifier == (wanted,)
    assert ranking.by_slot == (wanted,)
    assert found.records[wanted] == one


def test_records_are_exactly_those_that_a_ranking_names(store: Store, scope: Scope) -> None:
    kept(store, scope, *(f"Memory number {n}." for n in range(30)))

    found = store.nominate(scope, [Query(vector("a"), ("memory",)), Query(vector("b"))], 3)

    named = {one for ranking in found.rankings for one in (*ranking.by_vector, *ranking.by_words)}
    assert found.records.keys() == named
    assert [len(ranking.by_vector) for ranking in found.rankings] == [3, 3]


def test_a_changed_text_is_found_by_its_new_words_only(store: Store, scope: Scope) -> None:
    (old,) = kept(store, scope, "Lives in Seattle.")
    new = old.model_copy(
        update={"memory": old.memory.model_copy(update={"text": "Lives in Austin.", "version": 2})}
    )
    store.writer(scope, HELD).put_memories([new])

    assert by_words(store, scope, "Seattle") == ()
    assert by_words(store, scope, "Austin") == (old.memory.id,)
    assert list(store.memories(scope)) == [new]


def test_a_changed_memory_is_found_by_its_new_vector_slot_and_identifiers_only(
    store: Store, scope: Scope
) -> None:
    old = record(scope, "one", attribute="home", identifiers=("a1",))
    other = record(scope, "other", attribute="pet", identifiers=())
    new = MemoryRecord(
        memory=old.memory.model_copy(update={"attribute": "town", "identifiers": ("b2",)}),
        vector=vector("elsewhere"),
    )
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories([old, other])
    store.writer(scope, HELD).put_memories([new])

    assert nominated(store, scope, slot=("user", "home")).by_slot == ()
    assert nominated(store, scope, slot=("user", "town")).by_slot == (old.memory.id,)
    assert nominated(store, scope, identifiers=("a1",)).by_identifier == ()
    assert nominated(store, scope, identifiers=("b2",)).by_identifier == (old.memory.id,)
    assert nominated(store, scope, vector=new.vector).by_vector[0] == old.memory.id
    assert len(nominated(store, scope, vector=old.vector).by_vector) == 2


def test_what_is_emptied_stays_empty(store: Store, scope: Scope) -> None:
    old = record(scope, "The gate code is 4417.", attribute="gate", after="Nothing.")
    bare = old.memory.model_copy(update={"attribute": None, "identifiers": (), "after": None})
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories([old])
    store.writer(scope, HELD).put_memories([old.model_copy(update={"memory": bare})])

    assert nominated(store, scope, slot=("user", "gate")).by_slot == ()
    assert nominated(store, scope, identifiers=("4417",)).by_identifier == ()
    assert by_words(store, scope, "nothing") == ()
    assert store.slots(scope, 40) == []


def test_a_removed_memory_is_found_by_nothing(store: Store, scope: Scope) -> None:
    gone = record(scope, "The gate code is 4417.", attribute="gate")
    stays = record(scope, "Has a dog.", attribute="pet")
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories([gone, stays])
    store.writer(scope, HELD).remove_memories([gone.memory.id, uid("never there")])
    store.writer(scope, HELD).remove_memories([gone.memory.id])

    query = Query(gone.vector, terms("gate code"), ("4417",), ("user", "gate"))
    found = store.nominate(scope, [query], POOL)
    assert found.rankings == (Nominated(by_vector=(stays.memory.id,)),)
    assert list(store.memories(scope)) == [stays]
    assert store.count(scope) == 1
    assert store.slots(scope, 40) == [("user", "pet")]


def test_a_write_repeated_changes_nothing(store: Store, scope: Scope) -> None:
    one = record(scope, "Lives in Austin.", attribute="home")
    store.writer(scope, HELD).prepare()
    for _ in range(3):
        store.writer(scope, HELD).put_run(run(scope, "r"))
        store.writer(scope, HELD).put_archives([archived(one)])
        store.writer(scope, HELD).put_memories([one])

    assert store.count(scope) == 1
    assert list(store.memories(scope)) == [one]
    assert list(store.archives(scope)) == [archived(one)]
    assert list(store.runs(scope)) == [run(scope, "r")]
    assert store.slots(scope, 40) == [("user", "home")]
    assert nominated(store, scope, vector=one.vector, terms=("austin",)) == Nominated(
        by_vector=(one.memory.id,), by_words=(one.memory.id,)
    )


def test_two_scopes_with_equal_texts_and_ids_never_mix(store: Store) -> None:
    """Two tenants with a user of the same name: neither sees, changes nor removes what the other has."""
    name = f"tenant-{uuid4()}"
    a, b = Scope(app=f"{name}-a", user="u1"), Scope(app=f"{name}-b", user="u1")
    dentist_a, gate = kept(store, a, "My dentist is in Rue Basse.", "The gate code is 4417.")
    (dentist_b,) = kept(store, b, "My dentist is in Rue Basse.")
    assert dentist_a.memory.id == dentist_b.memory.id
    for scope in (a, b):
        store.writer(scope, HELD).put_archives([archived(record(scope, "Lived in Rue Haute."))])
        store.writer(scope, HELD).put_run(run(scope, "r", state="open", model=scope.app))

    asked = Query(gate.vector, terms("gate code 4417 dentist"), ("4417",))
    found = store.nominate(b, [asked], POOL)
    store.writer(b, HELD).put_memories([record(b, "My dentist is in Rue Basse.", confirmations=7)])

    assert found.records == {dentist_b.memory.id: dentist_b}
    assert found.rankings[0].by_identifier == ()
    assert list(store.memories(b, [gate.memory.id])) == []
    assert list(store.memories(a, [dentist_a.memory.id])) == [dentist_a]
    assert [one.archive.memory.scope for one in store.archives(a)] == [a]
    assert [one.model for one in store.open_runs(b)] == [b.app]
    assert [one.model for one in store.runs(a, [uid("turn of r")])] == [a.app]

    store.writer(a, HELD).remove_memories([dentist_a.memory.id, gate.memory.id])

    assert store.count(a) == 0
    assert texts(store, b) == {"My dentist is in Rue Basse."}


def test_a_record_of_another_scope_is_refused(store: Store, scope: Scope) -> None:
    foreign = record(Scope(app="other", user="bob"), "Lives in Austin.")
    store.writer(scope, HELD).prepare()

    with pytest.raises(Unprocessable, match="belongs to scope"):
        store.writer(scope, HELD).put_memories([record(scope, "Fine."), foreign])
    with pytest.raises(Unprocessable, match="belongs to scope"):
        store.writer(scope, HELD).put_archives([archived(foreign)])
    assert store.count(scope) == 0


@pytest.mark.parametrize(
    "wrong",
    [
        vector("x", 7),
        b"",
        bytes(32),
        np.full(8, np.nan, "<f4").tobytes(),
        np.full(8, np.inf, "<f4").tobytes(),
    ],
    ids=["shorter", "none", "zero", "nan", "infinite"],
)
def test_a_wrong_vector_is_refused_with_nothing_stored(
    store: Store, scope: Scope, wrong: Vector
) -> None:
    bad = record(scope, "Wrong.").model_copy(update={"vector": wrong})
    store.writer(scope, HELD).prepare()

    with pytest.raises(Unprocessable, match=str(bad.memory.id)):
        store.writer(scope, HELD).put_memories([record(scope, "Right."), bad])
    with pytest.raises(Unprocessable, match=str(bad.memory.id)):
        store.writer(scope, HELD).put_archives([archived(bad)])
    assert store.count(scope) == 0
    assert list(store.archives(scope)) == []


def test_memories_come_in_order_of_id_all_or_those_asked_for(store: Store, scope: Scope) -> None:
    records = kept(store, scope, *(f"Memory {n}." for n in range(450)))
    ordered = sorted(records, key=lambda one: one.memory.id)
    some = [one.memory.id for one in records[::2]]

    assert list(store.memories(scope)) == ordered
    assert list(store.memories(scope, [*some, uid("never there")])) == [
        one for one in ordered if one.memory.id in set(some)
    ]
    assert list(store.memories(scope, [])) == []
    assert store.count(scope) == 450


def test_archives_come_in_order_of_memory_and_version(store: Store, scope: Scope) -> None:
    records = [
        archived(record(scope, f"Text {n}.", id=uid(f"memory {n % 60}"), version=1 + n // 60))
        for n in range(601)
    ]
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_archives(records)

    assert list(store.archives(scope)) == sorted(records, key=place)


def test_a_memory_s_archives_are_its_own_and_those_it_replaced_transitively(
    store: Store, scope: Scope
) -> None:
    def version(name: str, number: int, replaced_by: str | None) -> ArchiveRecord:
        text = f"{name} {number}"
        return archived(record(scope, text, id=uid(name), version=number), replaced_by)

    history = [
        version("survivor", 1, "survivor"),
        version("survivor", 2, None),
        version("merged", 1, "merged"),
        version("merged", 2, "survivor"),
        version("filed", 1, "merged"),
        version("circle", 1, "filed"),
        version("filed", 2, "circle"),
    ]
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_archives(
        [*history, version("unrelated", 1, "other"), version("other", 1, None)]
    )

    found = list(store.archives(scope, uid("survivor")))

    assert found == sorted(history, key=place)
    assert [place(one) for one in store.archives(scope, uid("unrelated"))] == [
        (uid("unrelated"), 1)
    ]


def place(one: ArchiveRecord) -> tuple[UUID, int]:
    return one.archive.memory.id, one.archive.memory.version


def test_what_was_forgotten_is_found_apart_until_it_is_written_otherwise(
    store: Store, scope: Scope
) -> None:
    hidden = [
        archived(
            record(scope, f"Text {n}.", id=uid(f"memory {n % 60}"), version=1 + n // 60),
            reason="forgotten",
        )
        for n in range(220)
    ]
    others = [
        archived(record(scope, f"{reason}."), reason=reason)
        for reason in ("superseded", "merged", "expired", "late", "undone")
    ]
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_archives([*hidden, *others])

    assert store.forgotten(scope) == sorted(hidden, key=place)
    assert store.forgotten(Scope(app=scope.app, user="ben")) == []

    back = hidden[0].archive.model_copy(update={"reason": "undone"})
    store.writer(scope, HELD).put_archives([hidden[0].model_copy(update={"archive": back})])

    assert store.forgotten(scope) == sorted(hidden[1:], key=place)


def test_removed_archives_are_found_by_nothing(store: Store, scope: Scope) -> None:
    other = Scope(app=scope.app, user="ben")
    versions = [(uid("one"), 1), (uid("one"), 2), (uid("one"), 3), (uid("two"), 1), (uid("two"), 2)]
    for own in (scope, other):
        store.writer(own, HELD).prepare()
        store.writer(own, HELD).put_archives(
            [
                archived(record(own, f"{id} {version}", id=id, version=version), "one", "forgotten")
                for id, version in versions
            ]
        )
        store.writer(own, HELD).put_memories([record(own, "Lives on.", id=uid("one"), version=4)])

    for _ in range(2):
        store.writer(scope, HELD).remove_archives([versions[1], versions[3], (uid("three"), 1)])
    store.writer(scope, HELD).remove_archives([])

    stay = sorted([versions[0], versions[2], versions[4]])
    assert [place(one) for one in store.archives(scope)] == stay
    assert [place(one) for one in store.archives(scope, uid("one"))] == stay
    assert [place(one) for one in store.forgotten(scope)] == stay
    assert texts(store, scope) == {"Lives on."}
    assert [place(one) for one in store.archives(other)] == sorted(versions)


def test_a_thousand_archives_are_removed_at_once(store: Store, scope: Scope) -> None:
    records = [
        archived(record(scope, f"Text {n}.", id=uid(f"{n % 7}"), version=1 + n))
        for n in range(1000)
    ]
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_archives(records)

    store.writer(scope, HELD).remove_archives([place(one) for one in records[:-1]])

    assert list(store.archives(scope)) == records[-1:]


def test_runs_are_found_by_any_of_their_turns_newest_first(store: Store, scope: Scope) -> None:
    older = run(scope, "older", turn_ids=(uid("t1"), uid("t2")), started_at=at(-2))
    newer = run(scope, "newer", turn_ids=(uid("t2"), uid("t3")), started_at=at(-1))
    twin = run(scope, "twin", turn_ids=(uid("t9"),), started_at=at(-1))
    store.writer(scope, HELD).prepare()
    for one in (older, newer, twin):
        store.writer(scope, HELD).put_run(one)

    assert list(store.runs(scope, [uid("t1"), uid("t2")])) == [newer, older]
    assert list(store.runs(scope, [uid("t3"), uid("unknown")])) == [newer]
    assert list(store.runs(scope, [uid("unknown")])) == []
    assert list(store.runs(scope, [])) == []
    same_time = sorted([newer, twin], key=lambda one: one.id)
    assert list(store.runs(scope)) == [*same_time, older]


def test_a_run_is_found_by_all_of_500_turns(store: Store, scope: Scope) -> None:
    turns = tuple(uid(f"t{n}") for n in range(500))
    one = run(scope, "long", turn_ids=turns)
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_run(one)

    assert list(store.runs(scope, turns)) == [one]
    assert list(store.runs(scope, [turns[499]])) == [one]


def test_open_runs_come_oldest_first_until_they_are_closed(store: Store, scope: Scope) -> None:
    first = run(scope, "first", state="open", started_at=at(-2))
    second = run(scope, "second", state="open", started_at=at(-1))
    store.writer(scope, HELD).prepare()
    for one in (second, first, run(scope, "done")):
        store.writer(scope, HELD).put_run(one)

    assert store.open_runs(scope) == [first, second]

    store.writer(scope, HELD).put_run(first.model_copy(update={"state": "applied"}))

    assert store.open_runs(scope) == [second]
    assert [one.state for one in store.runs(scope, first.turn_ids)] == ["applied"]


def test_one_run_is_found_by_its_id(store: Store, scope: Scope) -> None:
    other = Scope(app=scope.app, user="ben")
    begun, finished = run(scope, "a", state="open"), run(scope, "b")
    for own, runs in ((scope, (begun, finished)), (other, (run(other, "b", model="ben's"),))):
        store.writer(own, HELD).prepare()
        for one in runs:
            store.writer(own, HELD).put_run(one)

    assert store.run(scope, begun.id) == begun
    assert store.run(scope, finished.id) == finished
    assert store.run(other, begun.id) is None
    assert store.run(scope, uid("unknown")) is None


def test_a_finished_run_that_is_written_anew_is_as_it_was_written_last(
    store: Store, scope: Scope
) -> None:
    """Text goes out of it, and turns that are free again."""
    first = run(scope, "r", turn_ids=(uid("t1"), uid("t2")), model="what was forgotten")
    last = first.model_copy(update={"turn_ids": (uid("t2"),), "model": "", "state": "undone"})
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_run(first)
    store.writer(scope, HELD).put_run(last)

    assert store.run(scope, first.id) == last
    assert list(store.runs(scope)) == [last]
    assert list(store.runs(scope, [uid("t1")])) == []


@pytest.mark.parametrize("state", ["applied", "parked", "undone"])
def test_an_open_run_that_is_written_too_late_reopens_no_finished_one(
    store: Store, scope: Scope, state: str
) -> None:
    """Not even where the lease could no longer be asked for."""
    late, successor = store.writer(scope, Holding(1)), store.writer(scope, Holding(2))
    begun = run(scope, "r", state="open", model="with a plan")
    finished = begun.model_copy(update={"state": state, "model": "without"})
    late.prepare()
    late.put_run(begun)
    successor.put_run(finished)
    assert list(store.runs(scope)) == [finished]
    assert store.run(scope, begun.id) == finished

    for writer in (late, successor):
        with suppress(LeaseLost):
            writer.put_run(begun)

        assert store.open_runs(scope) == []
    assert list(store.runs(scope)) == [finished]
    assert list(store.runs(scope, begun.turn_ids)) == [finished]


def test_slots_come_most_used_first_ties_by_name(store: Store, scope: Scope) -> None:
    uses = {("user", "pet"): 3, ("user", "home"): 2, ("Ben", "job: x"): 2, ("user", "É"): 1}
    records = [
        record(scope, f"{slot} {n}", subject=slot[0], attribute=slot[1])
        for slot, times in uses.items()
        for n in range(times)
    ]
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories([*records, record(scope, "Has no slot.")])

    assert store.slots(scope, 40) == [
        ("user", "pet"),
        ("Ben", "job: x"),
        ("user", "home"),
        ("user", "É"),
    ]
    assert store.slots(scope, 2) == [("user", "pet"), ("Ben", "job: x")]


def test_a_slot_is_the_same_in_any_case_and_kept_apart_by_subject(
    store: Store, scope: Scope
) -> None:
    mine = record(scope, "a", subject="Straße", attribute="Home")
    same = record(scope, "b", subject="strasse", attribute="home")
    hers = record(scope, "c", subject="Zoë", attribute="home")
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories([mine, same, hers])

    expected = tuple(sorted([mine.memory.id, same.memory.id]))
    assert nominated(store, scope, slot=("STRASSE", "home")).by_slot == expected
    assert nominated(store, scope, pool=1, slot=("STRASSE", "home")).by_slot == expected[:1]
    assert nominated(store, scope, slot=("Zoë home", "")).by_slot == ()


@pytest.mark.parametrize(
    "asked, found",
    [
        (("ERR_MEM_4412",), True),
        ((" err_mem_4412 ",), True),
        (("ERR_MEM_4413",), False),
        (("ERR_MEM",), False),
        (("4412",), False),
        (("the",), False),
        (("ERR_MEM_4413", "v2.0"), True),
        (("v2",), False),
        (("STRASSE-7",), True),
        ((), False),
        (("", " "), False),
    ],
)
def test_identifiers_match_whole_or_not_at_all(
    store: Store, scope: Scope, asked: tuple[str, ...], *, found: bool
) -> None:
    one = record(scope, "The codes.", identifiers=("ERR_MEM_4412", "v2.0", "straße-7"))
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories([one])

    expected = (one.memory.id,) if found else ()
    assert nominated(store, scope, identifiers=asked).by_identifier == expected


def test_who_shares_most_identifiers_comes_first(store: Store, scope: Scope) -> None:
    held = {"one": ("a1",), "two": ("a1", "b2"), "none": ("d4",), "also one": ("b2", "c3", "c4")}
    records = {
        name: record(scope, name, identifiers=identifiers) for name, identifiers in held.items()
    }
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories(list(records.values()))

    ranking = nominated(store, scope, identifiers=("a1", "b2")).by_identifier

    ones = sorted(records[name].memory.id for name in ("one", "also one"))
    assert ranking == (records["two"].memory.id, *ones)


@pytest.mark.parametrize(
    "text, query",
    [
        ("Lives in Zürich.", "zürich"),
        ("Speaks 日本語 at home.", "日本語"),
        ("Uses C++ and R.", "R"),
        ("Not the one.", "not"),
        ("Paid 10% on 2024-01-29.", "2024-01-29"),
        ("Wrote (ERR_MEM_4412).", "err_mem_4412"),
        ("Likes 🦊.", "🦊"),
        ("It’s O'Hara's.", "o'hara"),
        ('NOT OR AND NEAR * ^ : "', "near and or"),
    ],
)
def test_words_of_any_script_are_found(store: Store, scope: Scope, text: str, query: str) -> None:
    one, _ = kept(store, scope, text, "Something else entirely: xyzzy.")

    assert by_words(store, scope, query) == (one.memory.id,)


def test_what_stands_again_after_the_end_is_found_too(store: Store, scope: Scope) -> None:
    one = record(scope, "Drinks Americano.", after="Makes pour-over.", until=at(-1))
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories([one])

    assert by_words(store, scope, "pour-over") == (one.memory.id,)
    assert by_words(store, scope, "americano") == (one.memory.id,)


def test_rare_words_outweigh_common_ones(store: Store, scope: Scope) -> None:
    common = [f"user likes thing{n}" for n in range(10)]
    *_, rare = kept(store, scope, *common, "zebra")

    assert by_words(store, scope, "user likes zebra")[0] == rare.memory.id


def test_a_query_about_one_subject_is_not_crowded_out_by_others(store: Store, scope: Scope) -> None:
    """However many memories about others are nearer, share more words, or the same identifier."""
    wanted: dict[str, Any] = {"vector": vector("tea"), "terms": terms("drinks tea qx-118")}
    crowd = [
        MemoryRecord(
            memory=memory(
                f"Person{n} drinks tea", scope=scope, subject=f"Person{n}", identifiers=("qx-118",)
            ),
            vector=vector("tea"),
        )
        for n in range(60)
    ]
    own = record(
        scope,
        "At work Ann hardly ever drinks anything warm",
        subject="ANN",
        attribute="drink",
        identifiers=("qx-118",),
    )
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories([*crowd, own])

    def asked(subject: str | None) -> Nominated:
        slot, codes = ("Ann", "drink"), ("qx-118",)
        return nominated(store, scope, 5, slot=slot, identifiers=codes, subject=subject, **wanted)

    id = own.memory.id
    assert id not in {*asked(None).by_vector, *asked(None).by_words}
    assert asked("ann") == Nominated((id,), (id,), (id,), (id,))
    assert asked("an") == Nominated()
    assert asked("person7").by_vector == (crowd[7].memory.id,)
    assert asked("person7").by_slot == ()


def test_subjects_are_the_same_if_they_differ_in_case_only(store: Store, scope: Scope) -> None:
    names = ["Straße", "STRASSE", "strasse ", "Ines Moss", "ines", "", "İ"]
    records = [record(scope, f"Memory {n}", subject=name) for n, name in enumerate(names)]
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories(records)

    for name in names:
        same = {r.memory.id for r in records if r.memory.subject.casefold() == name.casefold()}
        found = nominated(store, scope, vector=vector("x"), subject=name.casefold())
        assert set(found.by_vector) == same


def test_a_memory_that_is_about_another_now_is_found_under_that_one_only(
    store: Store, scope: Scope
) -> None:
    old = record(scope, "Drinks tea", subject="Ann")
    new = old.model_copy(update={"memory": old.memory.model_copy(update={"subject": "Bo"})})
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories([old])
    store.writer(scope, HELD).put_memories([new])

    for query in ({"vector": vector("x")}, {"terms": ("tea",)}):
        assert nominated(store, scope, subject="ann", **query) == Nominated()
        assert nominated(store, scope, subject="bo", **query) != Nominated()


def test_the_terms_of_each_text_come_with_the_nomination(store: Store, scope: Scope) -> None:
    texts = [
        "Tea, tea and TEA.",
        "Rides the QX-118 to 東京タワー",
        "的",
        "🍵 – Zoë's",
        "user's a/b_c.py",
    ]
    records = [record(scope, text) for text in texts]
    ended = record(scope, "Drinks Americano.", after="Makes pour-over.")
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories([*records, ended])

    found = store.nominate(scope, [Query(vector("x"))], POOL)

    assert ended.memory.id in found.records
    assert found.terms == {one.memory.id: terms(one.memory.text) for one in records}


def test_other_scopes_words_do_not_weigh_in(store: Store, scope: Scope) -> None:
    """A word that is rare here ranks as rare, however common it is elsewhere."""
    kept(store, Scope(app=scope.app, user="ben"), *(f"zebra {n}" for n in range(50)))
    zebra, *_ = kept(store, scope, "zebra", *(f"stripe number{n}" for n in range(5)))

    assert by_words(store, scope, "zebra stripe")[0] == zebra.memory.id


def test_ties_go_by_id(store: Store, scope: Scope) -> None:
    twins = [
        MemoryRecord(memory=memory("Same words.", scope=scope, id=uuid4()), vector=vector("same"))
        for _ in range(25)
    ]
    store.writer(scope, HELD).prepare()
    store.writer(scope, HELD).put_memories(twins)

    first = tuple(sorted(one.memory.id for one in twins)[:10])
    ranking = nominated(store, scope, vector=vector("same"), terms=("same", "words"))
    assert ranking.by_vector == first
    assert ranking.by_words == first


def test_many_queries_at_once_get_each_its_own_answer(store: Store, scope: Scope) -> None:
    records = kept(store, scope, *(f"Fact number{n} here." for n in range(20)))
    queries = [Query(one.vector, (f"number{n}",)) for n, one in enumerate(records)]

    found = store.nominate(scope, queries, 1)

    assert [ranking.by_vector for ranking in found.rankings] == [(r.memory.id,) for r in records]
    assert [ranking.by_words for ranking in found.rankings] == [(r.memory.id,) for r in records]


def test_no_query_gets_no_ranking(store: Store, scope: Scope) -> None:
    kept(store, scope, "Something.")

    assert store.nominate(scope, [], POOL).rankings == ()
    assert store.nominate(scope, [Query(vector=None)], POOL).rankings == (Nominated(),)


def test_what_was_put_is_there_after_opening_again(
    store_url: str, embedding: tuple[str, int], scope: Scope
) -> None:
    with_one = open_store(store_url)
    with_one.open(*embedding)
    (one,) = kept(with_one, scope, "Lives in Austin.")
    with_one.close()
    again = open_store(store_url)
    again.open(*embedding)

    assert list(again.memories(scope)) == [one]
    assert by_words(again, scope, "austin") == (one.memory.id,)
    again.close()


@pytest.mark.parametrize("other", [("another_8", 8), ("tests_8", 9)])
def test_another_embedder_is_refused_on_a_store_that_is_not_empty(
    store: Store, store_url: str, scope: Scope, other: tuple[str, int]
) -> None:
    kept(store, scope, "Lives in Austin.")
    second = open_store(store_url)

    with pytest.raises(Misconfigured, match=rf"tests_8 \(8.*{other[0]} \({other[1]}.*reembed"):
        second.open(*other)
    second.close()


def test_threads_write_different_scopes_side_by_side(store: Store, scope: Scope) -> None:
    scopes = [Scope(app=scope.app, user=f"user{n}") for n in range(4)]
    failed: list[BaseException] = []

    def work(own: Scope) -> None:
        try:
            for n in range(10):
                kept(store, own, f"Memory {n} of {own.user}.")
                store.writer(own, HELD).put_run(run(own, f"run {n}"))
                assert len(by_words(store, own, own.user)) == n + 1
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=work, args=(own,)) for own in scopes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failed == []
    for own in scopes:
        assert texts(store, own) == {f"Memory {n} of {own.user}." for n in range(10)}
        assert len(list(store.runs(own))) == 10


WORDS = st.sampled_from([f"w{n}" for n in range(12)])
TEXTS = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)


@pytest.fixture
def both(
    sqlite_store: Store, request: pytest.FixtureRequest, embedding: tuple[str, int]
) -> Iterator[tuple[Store, Store]]:
    running = request.getfixturevalue("weaviate_server")
    for other in opened(f"{running.url}&prefix=Alike", embedding):
        yield sqlite_store, other


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(corpus=st.lists(TEXTS, min_size=1, max_size=40), asked=TEXTS, rewritten=st.lists(TEXTS))
def test_both_stores_nominate_alike(
    both: tuple[Store, Store], corpus: list[str], asked: str, rewritten: list[str]
) -> None:
    scope = Scope(app=f"alike-{uuid4()}", user="ann")
    query = Query(
        vector(asked), terms(asked), tuple(asked.split()[:2]), ("user", asked[:2].strip())
    )
    first, second = _numbered(scope, corpus), _numbered(scope, rewritten[: len(corpus)])
    fresh = [_after(store, scope, first).nominate(scope, [query], 12).rankings[0] for store in both]
    later = [
        _after(store, scope, second).nominate(scope, [query], 50).rankings[0] for store in both
    ]

    for one, other in (fresh, later):
        assert other.by_vector == one.by_vector
        assert other.by_slot == one.by_slot
        assert other.by_identifier == one.by_identifier
    before, after = _scores(asked, first), _scores(asked, first, second)
    _assert_ranked(fresh[0].by_words, before, pool=12, off_by=1e-4)
    _assert_ranked(fresh[1].by_words, before, pool=12, off_by=0.03)
    _assert_ranked(later[0].by_words, after, pool=50, off_by=1e-4)
    # The server weighs by word counts that still hold what was replaced: the same finds, roughly in order.
    assert set(later[1].by_words) == after.keys()


def _scores(asked: str, *writes: Sequence[MemoryRecord]) -> dict[UUID, float]:
    live = {one.memory.id: one.memory.text.split() for records in writes for one in records}
    return bm25(live, set(asked.split()))


def bm25(texts: dict[UUID, list[str]], asked: set[str]) -> dict[UUID, float]:
    """Robertson and Zaragoza (2009) in the plainest words, of what holds any of the words."""
    mean = sum(map(len, texts.values())) / len(texts)
    scores: dict[UUID, float] = {}
    for word in asked:
        holders = [one for one, text in texts.items() if word in text]
        rarity = math.log(1 + (len(texts) - len(holders) + 0.5) / (len(holders) + 0.5))
        for one in holders:
            times, length = texts[one].count(word), len(texts[one])
            weight = rarity * times / (times + 1.2 * (0.25 + 0.75 * length / mean))
            scores[one] = scores.get(one, 0.0) + weight
    return scores


def _assert_ranked(
    ranking: tuple[UUID, ...], scores: dict[UUID, float], pool: int, off_by: float
) -> None:
    """Nothing stands before what scores clearly more, and nothing like that is left out."""
    assert len(ranking) == min(pool, len(scores))
    rest = sorted((scores[one] for one in scores.keys() - set(ranking)), reverse=True)
    ranked = [*(scores[one] for one in ranking), *rest]
    for place, score in enumerate(ranked):
        assert score >= max(ranked[place:]) * (1 - off_by)


def _numbered(scope: Scope, corpus: Sequence[str]) -> list[MemoryRecord]:
    return [
        MemoryRecord(
            memory=memory(
                text,
                scope=scope,
                id=uid(f"{n}"),
                attribute=text.split()[0],
                identifiers=tuple(text.split()),
            ),
            vector=vector(text),
        )
        for n, text in enumerate(corpus)
    ]


def _after(store: Store, scope: Scope, *writes: Sequence[MemoryRecord]) -> Store:
    store.writer(scope, HELD).prepare()
    for records in writes:
        if records:
            store.writer(scope, HELD).put_memories(records)
    return store
