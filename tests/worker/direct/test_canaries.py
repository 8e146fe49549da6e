"""A night that would leave a question without its answer only proposes that, and what recall served is counted."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, cast

import pytest
from redis import Redis

from schemas.keys import PartitionKeys
from schemas.scope import Scope
from tests.build import uid
from tests.desk import Desk, desk
from tests.fragile import Fragile, Killed
from tests.similarity import GivenSimilarities
from tests.worker.direct.nightly import (
    FIRST_NIGHT,
    everything,
    group,
    judging,
    night,
    nothing,
    remember,
    sleeps,
)
from worker.adapters.served import Note
from worker.core.groups.judgment import Group
from worker.core.ports import Store
from worker.core.sleeping.withheld import told
from worker.direct.canaries import Canaries
from worker.direct.erasing import contents, erase
from worker.direct.forgetting import Wanted, forget
from worker.direct.holding import holding
from worker.direct.proposals import accept, proposals
from worker.direct.undoing import undo
from worker.direct.using import count_uses

ROSA, CLINIC = "Emergency contact is Aunt Rosa", "Emergency contact is the clinic"
WINDOW, SEAT = "Prefers window seats", "Prefers a window seat on trains"
LATHE, KILN = "Owns a lathe", "Owns a kiln"
ALL = (ROSA, CLINIC, WINDOW, SEAT)
WHO = "When does one call Rosa?"
ALIKE = GivenSimilarities(
    dict.fromkeys((CLINIC, WINDOW, SEAT, LATHE, KILN), (ROSA, 0.8)) | {WHO: (ROSA, 0.9)}
)


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (ALIKE.fingerprint, ALIKE.dimensions)


@pytest.fixture
def table(store: Store, redis_client: Redis, scope: Scope) -> Desk:
    made = desk(store, redis_client, scope, ALIKE)
    remember(made, *ALL)
    return made


def bad(texts: Sequence[str]) -> list[Group]:
    """The clinic takes the place of the aunt; what it says of seats is true."""
    for some, relation in ((ROSA, CLINIC), "update"), ((WINDOW, SEAT), "same"):
        places = [at for at, text in enumerate(texts) if text in some]
        if len(places) > 1 and 0 in places:
            drops = ("Aunt Rosa",) if relation == "update" else ()
            return [group(places, relation, drops=drops)]
    return []


def badly(table: Desk, **settings: Any) -> Any:
    return judging(
        table, bad, **({"resolver": "replace", "sleep_canaries": {"*": (WHO,)}} | settings)
    )


def serve(table: Desk, query: str, *found: str, scope: Scope | None = None) -> None:
    ids = tuple(uid(text) for text in found)
    note = Note(tuple(map(str, ids)), query, ids)
    table.parts.inbox.served.add((scope or table.scope).key, [(0, note)])


def uses(table: Desk) -> dict[str, int]:
    return {text: one.uses for text, one in table.live().items() if one.uses}


# Questions


def test_a_bad_judge_is_stopped_where_a_question_would_lose_its_answer(table: Desk) -> None:
    badly(table)

    report = night(table)

    assert set(table.live()) == {ROSA, CLINIC, SEAT}
    (only,) = proposals(table.parts.store, table.scope)
    assert only.plan.withheld
    assert [one.query for one in only.plan.withheld.lost] == [WHO]
    assert not only.plan.withheld.beyond_share
    (tidy,) = [one for one in report.passes if one.name == "tidy"]
    assert {diff.withheld and told(diff.withheld) for diff in tidy.proposed} == {
        f'the question "{WHO}" would no longer find memory {str(uid(ROSA))[:8]}'
    }
    assert {diff.withheld for diff in tidy.changes} == {None}
    assert report.waiting == 1


def test_without_a_question_the_same_judge_is_believed(table: Desk) -> None:
    badly(table, sleep_canaries={"another app": (WHO,)})
    night(table)

    assert set(table.live()) == {CLINIC, SEAT}


def test_questions_that_recall_has_answered_are_watched_of_this_scope_alone(table: Desk) -> None:
    serve(table, WHO, ROSA, scope=Scope(app=table.scope.app, user="ben"))
    badly(table, sleep_canaries={})
    assert night(table, dry_run=True).waiting == 0
    assert "proposed" not in _fates(night(table, dry_run=True), ROSA)

    serve(table, WHO, ROSA)
    night(table)

    assert ROSA in table.live()


def _fates(report: Any, text: str) -> set[str]:
    return {
        name
        for one in report.passes
        for name, diffs in (("done", one.changes), ("proposed", one.proposed))
        for diff in diffs
        if diff.before == text
    }


def test_a_dry_run_says_what_the_night_does_and_the_next_one_does_nothing(table: Desk) -> None:
    asked = badly(table)
    serve(table, WHO, ROSA)
    before = everything(table)

    foreseen = night(table, dry_run=True)
    assert everything(table) == before
    done = night(table)

    for dry, real in zip(foreseen.passes, done.passes, strict=True):
        assert real.model_copy(update={"seconds": dry.seconds}) == dry
    asked.heard()
    after = everything(table)
    assert night(table, 2).changes == 0
    assert (asked.heard(), everything(table)) == ([], after)


def test_what_a_question_holds_back_uses_up_no_share(table: Desk) -> None:
    """Were it to, the pair of seats that comes after it would wait as well."""
    badly(table, sleep_max_share=0.5, sleep_groups=1)
    night(table)
    assert set(table.live()) == {ROSA, CLINIC, SEAT}


def _proposed(report: Any) -> list[Any]:
    return [diff for one in report.passes for diff in one.proposed]


def test_for_want_of_a_share_is_said_too(table: Desk) -> None:
    badly(table, sleep_canaries={}, sleep_max_share=0.0)

    proposed = _proposed(night(table))

    assert {diff.withheld.beyond_share for diff in proposed} == {True}


def test_what_a_person_accepts_is_done_whatever_it_costs(table: Desk) -> None:
    badly(table)
    night(table)
    (only,) = proposals(table.parts.store, table.scope)

    plan = accept(table.parts, table.scope, only.run.id, FIRST_NIGHT + timedelta(hours=1))

    assert set(table.live()) == {CLINIC, SEAT}
    assert plan.withheld is None
    undo(table.parts, table.scope, plan.run, FIRST_NIGHT + timedelta(hours=2))
    assert set(table.live()) == {ROSA, CLINIC, SEAT}


def test_a_memory_that_lapses_is_written_down_whatever_is_asked(table: Desk) -> None:
    remember(table, ROSA, until=FIRST_NIGHT - timedelta(days=1), version=2)
    judging(table, nothing, sleep_canaries={"*": (WHO,)})
    night(table)

    assert ROSA not in table.live()


def test_questions_are_embedded_once_a_night_and_only_if_something_is_to_be_done(
    table: Desk,
) -> None:
    embedder = cast("Any", _Counting(ALIKE))
    table.parts = replace(table.parts, embedder=embedder)
    badly(table, sleep_groups=1)
    night(table)
    assert embedder.embedded.count(WHO) == 1

    night(table, 2)
    assert embedder.embedded.count(WHO) == 1


class _Counting:
    def __init__(self, real: GivenSimilarities) -> None:
        self.real, self.embedded = real, list[str]()

    def embed(self, texts: Sequence[str]) -> Any:
        self.embedded += texts
        return self.real.embed(texts)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


def test_without_questions_nobody_is_asked(table: Desk) -> None:
    judging(table, nothing)
    watch = Canaries(table.parts, table.scope, FIRST_NIGHT, cast("Any", None))

    assert watch.before().lost([], []) == ()


# What was forgotten


@pytest.mark.parametrize(
    "wanted", [Wanted((uid(CLINIC),)), Wanted(None, "lathe")], ids=["id", "query"]
)
def test_forgetting_drops_every_question_also_those_that_hold_a_proposal(
    table: Desk, wanted: Wanted
) -> None:
    remember(table, LATHE, KILN)
    badly(table)
    serve(table, "What is her lathe's number?", LATHE, ROSA)
    night(table)
    serve(table, "What is her lathe's number?", LATHE, KILN)

    forget(table.parts, table.scope, wanted, FIRST_NIGHT)

    assert table.parts.inbox.served.questions(table.scope.key) == []
    runs = "".join(run.model_dump_json() for run in table.runs())
    assert WHO not in runs
    (uid_of_gone,) = {uid(CLINIC), uid(LATHE)} - {one.id for one in table.live().values()}
    counts = {uid(LATHE), uid(KILN)} - {uid_of_gone}
    assert set(table.parts.inbox.served.used(table.scope.key)) == counts


def test_forgetting_while_a_night_is_on_drops_its_questions_from_what_it_proposes_later(
    store: Store, redis_client: Redis, scope: Scope
) -> None:
    table = desk(store, redis_client, scope, ALIKE)
    remember(table, WINDOW, SEAT, LATHE, ROSA, CLINIC)
    serve(table, WHO, ROSA)
    asked = badly(table, sleep_canaries={"*": ("Who is called?",)}, sleep_groups=1)
    real, done = table.parts.inbox.waiting, list[bool]()

    def between(scope_key: str) -> int:
        if (SEAT, WINDOW) in asked.groups and not done:
            done.append(True)
            forget(table.parts, table.scope, Wanted((uid(LATHE),)), FIRST_NIGHT)
        return real(scope_key)

    table.parts.inbox.waiting = between  # type: ignore[method-assign]
    night(table)

    assert done
    assert LATHE not in table.live()
    assert WHO not in repr(everything(table))


def test_questions_go_also_where_no_memory_tells_what_is_forgotten(table: Desk) -> None:
    serve(table, "Is she in debt?", ROSA)

    receipt = forget(table.parts, table.scope, Wanted(None, "debt"), FIRST_NIGHT)

    assert receipt.memories == 0
    assert table.parts.inbox.served.questions(table.scope.key) == []


def test_erasing_a_scope_drops_what_was_served(table: Desk, redis_client: Redis) -> None:
    serve(table, WHO, ROSA)
    table.parts.inbox.served.add(table.scope.key, [(0, Note((f"wrong:{uid(ROSA)}",)))])
    assert contents(table.parts, table.scope).served == 1

    receipt = erase(table.parts, table.scope, FIRST_NIGHT)

    assert receipt.gone.served == 1
    assert redis_client.keys(f"*{table.scope.key}*") == []


# Uses


def test_what_was_served_is_counted_in_the_memories_and_changes_nothing_else(table: Desk) -> None:
    serve(table, "", ROSA, CLINIC)
    serve(table, "", ROSA, "long gone")
    asked = judging(table, nothing)
    before = {text: one.model_dump(exclude={"uses"}) for text, one in table.live().items()}

    report = night(table)

    assert uses(table) == {ROSA: 2, CLINIC: 1}
    assert {text: one.model_dump(exclude={"uses"}) for text, one in table.live().items()} == before
    assert (report.changes, table.archives(), sleeps(table)) == (0, [], [])
    assert table.parts.inbox.served.used(table.scope.key) == {}
    vectors = {one.vector for one in table.parts.store.memories(table.scope)}
    assert vectors == set(ALIKE.embed(ALL))
    asked.heard()
    after = everything(table)
    night(table, 2)
    assert (asked.heard(), everything(table)) == ([], after)


def test_nothing_served_is_nothing_written(table: Desk) -> None:
    with holding(table.parts, table.scope, FIRST_NIGHT) as held:
        sound = table.parts
        table.parts = replace(sound, store=cast("Any", _NoWrites(sound.store)))
        assert count_uses(table.parts, table.scope, held.lease) == 0
        table.parts = sound


class _NoWrites:
    def __init__(self, real: Any) -> None:
        self.real = real

    def writer(self, scope: Scope, hold: Any) -> Any:
        return object()


def test_a_dry_run_counts_nothing_and_foresees_what_counting_changes(table: Desk) -> None:
    """What was recalled does not fade."""
    remember(table, LATHE, KILN, days=-3_000, volatile=True)
    judging(table, nothing, sleep_passes=("tidy", "forget"))
    serve(table, "", LATHE)
    before = everything(table)

    foreseen = night(table, dry_run=True)

    assert everything(table) == before
    assert table.parts.inbox.served.used(table.scope.key) == {uid(LATHE): 1}
    assert _fates(foreseen, LATHE) == set()
    assert _fates(foreseen, KILN) == _fates(night(table), KILN) != set()
    assert uses(table) == {LATHE: 1}


def test_what_was_counted_stands_in_the_way_of_no_undo_and_no_proposal(table: Desk) -> None:
    badly(table)
    night(table)
    (run,) = [one for one in sleeps(table) if one.state == "applied"]
    serve(table, "", ROSA, WINDOW)
    with holding(table.parts, table.scope, FIRST_NIGHT) as held:
        assert count_uses(table.parts, table.scope, held.lease) == 2

    undo(table.parts, table.scope, run.id, FIRST_NIGHT + timedelta(hours=1))
    assert set(table.live()) == set(ALL)
    (only,) = proposals(table.parts.store, table.scope)
    assert only.stands


def test_a_crash_counts_nothing_less_and_one_portion_twice_at_most(
    table: Desk, redis_client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worker.direct.using.PORTION", 2)
    judging(table, nothing)
    serve(table, "", *ALL)
    nth, sound = 1, table.parts
    while True:
        table.parts = replace(sound, store=cast("Any", Fragile(sound.store, nth, after=True)))
        try:
            night(table)
            break
        except Killed:
            nth += 1
            redis_client.zadd(PartitionKeys(0).busy, {table.scope.key: 1})
    table.parts = sound

    assert nth > 5
    assert {uses(table)[text] for text in ALL} <= {1, 2}
    assert sum(uses(table).values()) <= len(ALL) + 4
    assert table.parts.inbox.served.used(table.scope.key) == {}
