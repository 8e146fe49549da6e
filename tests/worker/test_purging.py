"""What was forgotten in a conversation is removed for good once its time has come: on both stores."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any, cast

import pytest
from redis import Redis

from schemas.memory import Fact
from schemas.plan import Lost, Plan, Withheld
from schemas.scope import Scope
from tests.build import fact, uid
from tests.desk import PATIENT, Desk, Judges, Says, desk
from tests.fragile import Fragile, Killed
from tests.similarity import GivenSimilarities
from worker.adapters.lease import Lease
from worker.adapters.served import Note
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.hearing.heard import Heard
from worker.core.judging.detectors import Judging
from worker.core.planning.runs import parked
from worker.core.ports import Store
from worker.direct.exporting import exported
from worker.direct.holding import holding
from worker.direct.importing import import_lines
from worker.pipeline import consolidate
from worker.purging import Purged, purge_due

BOTH = "Plays the zither and owes Torvald money"
LEFT = "Plays the zither"
PLEASE = "Forget what I owe Torvald"
DEBT = "Owes Torvald money"
NEAR = dict.fromkeys((DEBT, BOTH, PLEASE), (LEFT, 0.9))


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (GivenSimilarities().fingerprint, GivenSimilarities().dimensions)


def heard(given: Heard) -> Sequence[Fact]:
    return [
        fact(
            one.text,
            kind="forget" if one.text == PLEASE else "fact",
            turn_ids=(one.id,),
            said_at=one.said_at,
        )
        for one in given.turns
    ]


def judge(case: Candidacy) -> Groups:
    (first, *_) = case.facts
    members = ("f1", *case.memory_labels)
    if first.text == PLEASE:
        why = "no word of Torvald any more"
        group = Group(why=why, members=members, relation="forget", text=LEFT)
        return Groups(groups=(group,), new=())
    if first.text == BOTH and len(members) > 1:
        why = "both, Torvald too"
        group = Group(why=why, members=members, relation="update", text=BOTH)
        return Groups(groups=(group,), new=())
    return Groups(groups=(), new=case.fact_labels)


def at(store: Store, redis: Redis, scope: Scope, grace: float) -> Desk:
    made = desk(store, redis, scope, GivenSimilarities(NEAR))
    settings = made.parts.settings.model_copy(update={"forget_grace_days": grace})
    judging = Judging(Judges(judge), resolver="rewrite")
    made.parts = replace(made.parts, settings=settings, extraction=Says(heard), judging=judging)
    for day, text in enumerate((LEFT, DEBT, BOTH), start=1):
        made.say(text, f"2026-05-0{day}T09:00:00Z", id=text)
        made.settle()
    return made


def asked(made: Desk) -> Desk:
    made.say(PLEASE, "2026-05-04T09:00:00Z", id=PLEASE)
    made.settle()
    return made


def next_claim(made: Desk, days: float) -> None:
    """So many days later something else is said."""
    made.now += timedelta(days=days)
    made.say(f"Nothing new {made.now}", made.now.isoformat())
    made.settle()


def stored(made: Desk) -> str:
    store, scope = made.parts.store, made.scope
    texts = [one.model_dump_json() for one in store.memories(scope)]
    texts += [one.model_dump_json() for one in store.archives(scope)]
    texts += [one.model_dump_json() for one in store.runs(scope)]
    texts += [one.text for one in made.parts.inbox.recent_turns(scope.key)]
    texts += [one.parked.model_dump_json() for one in made.parts.inbox.parking.letters(scope.key)]
    return "\n".join(texts)


def test_questions_go_at_once_also_those_that_hold_a_proposal(
    store: Store, redis_client: Redis, scope: Scope
) -> None:
    made = at(store, redis_client, scope, grace=30)
    told = "Whom does she owe money?"
    made.parts.inbox.served.add(scope.key, [(0, Note((), told, (uid("any"),)))])
    plan = Plan(
        run=uid("proposed"),
        kind="sleep",
        scope=scope,
        turn_ids=(),
        base={},
        changes=(),
        planned_at=made.now,
        withheld=Withheld(lost=(Lost(query=told, memory_id=uid("any")),)),
    )
    with holding(made.parts, scope, made.now) as held:
        store.writer(scope, held.lease).put_run(parked(plan))
    assert told in stored(made)

    asked(made)

    assert told not in stored(made)
    assert made.parts.inbox.served.questions(scope.key) == []
    assert "Torvald" in stored(made), "what they were asked about waits for its time"


def test_within_the_grace_it_is_kept_and_afterwards_the_next_claim_removes_it(
    store: Store, redis_client: Redis, scope: Scope
) -> None:
    made = asked(at(store, redis_client, scope, grace=30))
    next_claim(made, days=29)
    assert {one.reason for one in made.archives()} >= {"forgotten"}
    assert "Torvald" in stored(made)

    next_claim(made, days=1)
    assert "Torvald" not in stored(made)
    assert LEFT in made.live()
    assert [one.memory.text for one in made.archives()] == [LEFT]


@pytest.mark.parametrize("grace", [0, 30])
def test_at_once_no_later_turn_is_read_in_the_light_of_what_was_forgotten(
    store: Store, redis_client: Redis, scope: Scope, grace: int
) -> None:
    made = at(store, redis_client, scope, grace)
    assert "Torvald" in str(made.parts.inbox.recent_turns(scope.key))
    asked(made)

    assert "Torvald" not in str(made.parts.inbox.recent_turns(scope.key))


@pytest.mark.parametrize("grace", [0, 30])
def test_an_export_from_before_brings_nothing_back(
    store: Store, redis_client: Redis, scope: Scope, grace: int
) -> None:
    made = at(store, redis_client, scope, grace)
    lines = list(exported(store, scope))
    asked(made)
    next_claim(made, days=31)
    import_lines(made.parts, scope, lines, made.now)

    assert "Torvald" not in stored(made)


def test_without_a_grace_the_same_claim_removes_it(
    store: Store, redis_client: Redis, scope: Scope
) -> None:
    made = asked(at(store, redis_client, scope, grace=0))

    assert set(made.live()) == {LEFT}
    assert "Torvald" not in stored(made)
    redis_client.flushall()
    made.parts.inbox.configure(PATIENT)
    for day, text in enumerate((LEFT, DEBT, BOTH, PLEASE), start=1):
        made.say(text, f"2026-05-0{day}T09:00:00Z", id=text)
    made.settle()
    assert set(made.live()) == {LEFT}


def test_a_parked_turn_that_tells_it_goes_and_stays_out_unless_it_was_said_since(
    store: Store, redis_client: Redis, scope: Scope
) -> None:
    made = asked(at(store, redis_client, scope, grace=30))
    for text, said_at in (
        ("I OWE Torvald money", "2026-05-03"),
        ("Owe money, Torvald", "2026-12-01"),
    ):
        made.say(text, f"{said_at}T09:00:00Z", id=text)
        made.parts.inbox.park(made.claim(), 1, "odd")
    next_claim(made, days=31)

    assert [one.id for one in made.parts.inbox.parking.letters()] != []
    assert [one.turn.text for one in made.parts.inbox.parking.letters() if one.turn] == [
        "Owe money, Torvald"
    ]
    made.say("I OWE Torvald money", "2026-05-03T09:00:00Z", id="I OWE Torvald money")
    made.settle()
    assert "I OWE Torvald money" not in made.live()


def test_where_nothing_was_forgotten_it_is_one_question_to_the_store(
    store: Store, redis_client: Redis, scope: Scope
) -> None:
    made = at(store, redis_client, scope, grace=30)
    counting = Fragile(store, nth=0, after=False)
    parts = replace(made.parts, store=cast("Any", counting))
    claim = made.parts.inbox.claim_scope(scope.key)
    assert claim
    with Lease(made.parts.inbox, claim) as lease:
        assert purge_due(parts, scope, lease, made.now) == Purged()

    assert next(counting.calls) == 2


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("grace", [0, 30])
def test_after_a_crash_at_any_store_call_the_next_claim_completes_it(
    store: Store, redis_client: Redis, scope: Scope, grace: int, after: bool
) -> None:
    for nth in count(1):
        own = Scope(app=scope.app, user=f"{scope.user} {nth}")
        made = at(store, redis_client, own, grace)
        if grace:
            asked(made)
            made.now += timedelta(days=grace)
            made.say("Nothing new", made.now.isoformat())
        else:
            made.say(PLEASE, "2026-05-04T09:00:00Z", id=PLEASE)
        died = dies(made, nth, after=after)
        next_claim(made, days=1)

        assert "Torvald" not in stored(made), nth
        assert LEFT in made.live(), nth
        if not died:
            assert nth > 8
            return


def dies(made: Desk, nth: int, *, after: bool) -> bool:
    whole = made.parts
    fragile = Fragile(whole.store, nth, after)
    claim = made.claim()
    try:
        consolidate(replace(whole, store=cast("Any", fragile)), claim, made.now)
    except Killed:
        made.parts.inbox.release(claim)
        return True
    return False
