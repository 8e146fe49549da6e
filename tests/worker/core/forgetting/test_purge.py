from datetime import timedelta

import pytest

from schemas.memory import ArchiveRecord, Reason
from schemas.plan import Changed, Held, Plan, Retire, Run, RunKind
from tests.build import NOW, SCOPE, at, turn, uid
from tests.worker.core.forgetting.test_going import stands, was
from worker.core.forgetting.descent import Known
from worker.core.forgetting.purge import due, purge_of, silenced, without_words
from worker.core.forgetting.topics import ASKED


def run(name: str, kind: RunKind = "batch", **fields: object) -> Run:
    given = {"id": uid(name), "kind": kind, "scope": SCOPE, "state": "applied"}
    return Run.model_validate({**given, "turn_ids": (), "started_at": NOW, **fields})


def forgotten(name: str, days: float, by: str, reason: Reason = "forgotten") -> ArchiveRecord:
    one = was("Has gout", name, 1, None, reason, by)
    archive = one.archive.model_copy(update={"archived_at": at(days)})
    return one.model_copy(update={"archive": archive})


@pytest.mark.parametrize(
    ("days", "by", "grace", "is_due"),
    [
        (-29, "talk", 30, False),
        (-30, "talk", 30, True),
        (0, "talk", 0, True),
        (0, "act", 30, True),
        (-29, "unknown", 30, False),
        (-31, "unknown", 30, True),
    ],
)
def test_a_direct_act_has_no_grace(days: float, by: str, grace: int, is_due: bool) -> None:
    runs = {one.id: one for one in (run("talk"), run("act", "write"))}
    one = forgotten("a", days, by)

    assert due([one], runs, timedelta(days=grace), NOW) == ([one] if is_due else [])


OTHER = forgotten("z", 0, "later")
GONE = was("Has gout and sails", "a", 2, "a", "forgotten", "act")
KNOWN = Known.of(
    [stands("Sails", "a", 3, turn_ids=(uid("1"), uid("2"), uid("3")))],
    [
        GONE,
        was("Has gout", "a", 1, "a", run="merge"),
        was("Sails", "b", 1, "a", run="merge"),
        OTHER,
    ],
)
PURGE = purge_of(KNOWN, [GONE], {uid("act"): run("act", "write", turn_ids=(uid("waited"),))})


def test_what_it_hides_goes_with_it_but_not_what_else_was_forgotten() -> None:
    assert set(PURGE.versions) == {(uid("a"), 1), (uid("a"), 2)}
    assert uid("waited") in PURGE.turn_ids
    assert uid("turn of Has gout") in PURGE.turn_ids
    assert uid("turn of Sails") not in PURGE.turn_ids


@pytest.mark.parametrize(
    ("text", "days", "is_told"),
    [("My GOUT!", -1000, True), ("My gout is back", 1000, False), ("I sail", -1000, False)],
)
def test_what_is_said_later_is_said_anew(text: str, days: float, is_told: bool) -> None:
    assert PURGE.is_told_by(turn(text, text, said_at=at(days))) is is_told


def changed(
    name: str, why: str, turns: tuple[str, ...] = (), said: tuple[str, ...] = ()
) -> Changed:
    return Changed(
        kind="add",
        memory_id=uid(name),
        version=1,
        relation="new",
        why=why,
        said=said,
        turn_ids=tuple(map(uid, turns)),
    )


@pytest.mark.parametrize(
    ("change", "why", "said"),
    [
        (changed("a", "she is ill", (), ("podagra",)), "", ()),
        (changed("c", "beside the gout", ("waited",)), "", ()),
        (changed("c", "beside the boat", ("waited",), ("boats",)), "beside the boat", ("boats",)),
        (changed("c", "beside the gout", ("t9",)), "beside the gout", ()),
        (changed("c", "beside the boat", ("t9",), ("gouty",)), "beside the boat", ("gouty",)),
        (changed("a", ASKED), ASKED, ()),
    ],
)
def test_a_run_loses_its_words_about_it_and_nothing_else(
    change: Changed, why: str, said: tuple[str, ...]
) -> None:
    before = run("batch", changes=(change,))
    after = without_words(before, PURGE)

    assert (after.changes[0].why, after.changes[0].said) == (why, said)
    kept = change.model_copy(update={"why": why, "said": said})
    assert after == before.model_copy(update={"changes": (kept,)})
    assert without_words(after, PURGE) == after


def proposing(text: str, name: str) -> Retire:
    return Retire(relation="contradict", archive=was(text, name, 1, None, "superseded"))


@pytest.mark.parametrize(
    ("proposal", "is_kept"),
    [
        (proposing("Sails", "a"), False),
        (proposing("Had gout", "c"), False),
        (proposing("Bakes", "c"), True),
    ],
)
def test_what_was_only_proposed_or_planned_about_it_goes(proposal: Retire, is_kept: bool) -> None:
    held = Held(turn_id=uid("t9"), reason="many", proposal=(proposal,))
    plan = Plan(
        run=uid("p"),
        kind="batch",
        scope=SCOPE,
        turn_ids=(),
        base={},
        changes=(proposal,),
        planned_at=NOW,
    )
    parked = without_words(run("p", state="parked", plan=plan, held=(held,)), PURGE)
    opened = without_words(run("p", state="open", plan=plan), PURGE)

    assert (parked.plan is not None) is is_kept
    assert (parked.held == (held,)) is is_kept
    assert parked.held[0].turn_id == held.turn_id
    assert opened.plan == plan


def test_the_run_that_forgot_it_settles_what_goes_unread() -> None:
    act, other = (
        without_words(run(name, turn_ids=(uid("t1"),)), PURGE, [uid("parked")])
        for name in ("act", "batch")
    )

    assert act.turn_ids == (uid("t1"), uid("parked"))
    assert other.turn_ids == (uid("t1"),)


def test_what_stays_keeps_no_reason_that_may_tell_it() -> None:
    reasons = {"b": "both are about gout", "x": "gout elsewhere"}
    stay = [
        one.model_copy(update={"archive": one.archive.model_copy(update={"why": why})})
        for one, why in (
            (was("Sails", "b", 1, "a", run="merge"), reasons["b"]),
            (was("Bakes", "x", 1, "y"), reasons["x"]),
        )
    ]
    known = Known.of(KNOWN.live.values(), [*KNOWN.archives[:2], *stay])

    assert [(one.archive.memory.id, one.archive.why) for one in silenced(known, PURGE)] == [
        (uid("b"), "")
    ]


@pytest.mark.parametrize(("days", "said"), [(-1000, ()), (1000, ("The gout", "A boat"))])
def test_what_was_said_in_other_words_than_any_record_has_goes_unless_it_was_said_since(
    days: float, said: tuple[str, ...]
) -> None:
    words = changed("c", "", ("t9",), ("The gout", "A boat"))
    after = without_words(run("batch", changes=(words,), started_at=at(days)), PURGE)

    assert after.changes[0].said == said
