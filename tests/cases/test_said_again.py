"""The same thing said, or delivered, again."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from redis import Redis

from schemas.keys import PartitionKeys, ScopeKeys
from schemas.scope import Scope
from tests.cases.greyhounds import DOG_SIMILARITY, DOGS, GREYHOUNDS, MERGED, SAID, WALK
from tests.cases.talk import AtDesk, Talk, found
from tests.desk import scripted
from tests.fragile import Killed
from worker.core.ports import Hold
from worker.pipeline import consolidate


@pytest.mark.parametrize("at_once", [False, True], ids=["turn by turn", "as one import"])
def test_a_fact_said_again_adds_nothing_and_a_richer_version_takes_its_place(
    at_desk: AtDesk, scope: Scope, at_once: bool
) -> None:
    table = at_desk(scope, DOG_SIMILARITY)
    with scripted(table, GREYHOUNDS):
        for at, (text, said_at) in enumerate(SAID):
            table.say(text, said_at, conversation=f"s{at}")
            if not at_once:
                table.settle()
        table.settle()

    assert set(table.live()) == {MERGED, WALK}
    if not at_once:
        (archive,) = table.archives()
        assert archive.memory.text == DOGS
        assert archive.memory.confirmations == 2
        assert archive.replaced_by == table.live()[MERGED].id


def test_a_confirmation_writes_nothing_new_but_when_it_was_last_said(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope, DOG_SIMILARITY)
    with scripted(table, GREYHOUNDS):
        for text, said_at in SAID[:2]:
            table.say(text, said_at)
            table.settle()

    dogs = table.live()[DOGS]
    assert dogs.version == 1
    assert dogs.last_confirmed_at.isoformat() == "2026-04-20T07:10:00+00:00"
    assert table.archives() == []


ALLERGY = "I'm allergic to penicillin and I take the tram to work."


class Rewording:
    """Words its answer differently on every call, as models do."""

    def __init__(self) -> None:
        self.answers = [
            [found("Allergic to penicillin"), found("Commutes by tram")],
            [found("Has a penicillin allergy"), found("Takes the tram to work")],
        ]
        self.relations = {
            ("Has a penicillin allergy", "Allergic to penicillin"): "same",
            ("Takes the tram to work", "Commutes by tram"): "same",
        }

    def __call__(self, job: str, document: dict[str, Any]) -> Any:
        answer = self.answers[0] if len(self.answers) > 1 else self.answers[-1]
        talk = Talk({ALLERGY: answer}, self.relations)
        if job == "extraction" and len(self.answers) > 1:
            self.answers.pop(0)
        return talk(job, document)


REWORDED = {
    "Has a penicillin allergy": ("Allergic to penicillin", 0.9),
    "Takes the tram to work": ("Commutes by tram", 0.9),
}


def test_the_same_turn_published_again_is_one_turn(
    at_desk: AtDesk, scope: Scope, redis_client: Redis
) -> None:
    table = at_desk(scope, REWORDED)
    with scripted(table, Rewording()) as server:
        table.say(ALLERGY, "2026-01-12T10:00:00Z", id="e1")
        table.settle()
        written = table.runs()

        assert table.say(ALLERGY, "2026-01-12T10:00:00Z", id="e1").status == "duplicate"
        redis_client.flushall()  # the whole session comes again once the queue has forgotten it
        assert table.say(ALLERGY, "2026-01-12T10:00:00Z", id="e1").status == "accepted"
        table.settle()

    assert set(table.live()) == {"Allergic to penicillin", "Commutes by tram"}
    assert table.archives() == []
    assert table.runs() == written
    assert server.calls["extraction"] == 1


def test_the_same_sentence_said_on_another_day_confirms(at_desk: AtDesk, scope: Scope) -> None:
    """What it is worded in newly stands, what it was worded in before is kept."""
    table = at_desk(scope, REWORDED)
    with scripted(table, Rewording()):
        table.say(ALLERGY, "2026-01-12T10:00:00Z", id="e1")
        table.settle()
        table.say(ALLERGY, "2026-02-01T10:00:00Z", id="e9")
        table.settle()

    assert set(table.live()) == {"Allergic to penicillin", "Takes the tram to work"}
    assert [one.memory.text for one in table.archives()] == ["Commutes by tram"]
    for memory in table.live().values():
        assert memory.last_confirmed_at.date().isoformat() == "2026-02-01"
        assert memory.confirmations == 2


@dataclass(frozen=True)
class Dies:
    """A part whose process is killed where it is asked for this; `first` does what was done of it by then."""

    real: Any
    asked_for: str
    first: Callable[[Any, Any], None] = lambda *_: None

    def writer(self, scope: Scope, hold: Hold) -> Any:
        return replace(self, real=self.real.writer(scope, hold))

    def __getattr__(self, name: str) -> Any:
        if name != self.asked_for:
            return getattr(self.real, name)

        def call(given: Any, *_: Any, **__: Any) -> None:
            self.first(self.real, given)
            raise Killed

        return call


def writes_one(writer: Any, records: Any) -> None:
    writer.put_memories(records[:1])


@pytest.mark.parametrize(
    ("part", "dying"),
    [
        ("inbox", lambda real: Dies(real, "commit")),
        ("store", lambda real: Dies(real, "put_memories", writes_one)),
        ("store", lambda real: Dies(real, "put_memories")),
    ],
    ids=["written, not yet acknowledged", "one of two written", "none written"],
)
def test_a_turn_that_goes_to_a_second_worker_is_finished_and_not_learned_anew(
    at_desk: AtDesk, scope: Scope, redis_client: Redis, part: str, dying: Callable[[Any], Any]
) -> None:
    table = at_desk(scope, REWORDED)
    with scripted(table, Rewording()) as server:
        table.say(ALLERGY, "2026-01-12T10:00:00Z", id="e1")
        mortal = replace(table.parts, **{part: dying(getattr(table.parts, part))})
        with pytest.raises(Killed):
            consolidate(mortal, table.claim(), table.now)
        redis_client.zadd(PartitionKeys(0).busy, {scope.key: 1})
        table.settle()

    assert {one.text: one.version for one in table.live().values()} == {
        "Allergic to penicillin": 1,
        "Commutes by tram": 1,
    }
    assert {one.confirmations for one in table.live().values()} == {1}
    assert table.archives() == []
    (run,) = table.runs()
    assert (run.state, len(run.changes)) == ("applied", 2)
    assert server.calls == {"extraction": 1}
    assert table.parts.inbox.idle()


def test_a_turn_in_another_envelope_is_the_same_turn(
    at_desk: AtDesk, scope: Scope, redis_client: Redis
) -> None:
    """An envelope is what carries a turn: the time of receipt, other fields, another way in."""
    table = at_desk(scope, REWORDED)
    with scripted(table, Rewording()) as server:
        table.say(ALLERGY, "2026-01-12T10:00:00Z", id="e1", metadata={"envelope": "1"})
        table.settle()
        written = table.live(), table.runs()
        redis_client.delete(ScopeKeys(0, scope.key).seen)
        again = table.say(ALLERGY, "2026-01-12T10:00:00Z", id="e1", metadata={"envelope": "2"})
        table.settle()

    assert again.status == "accepted"
    assert (table.live(), table.runs()) == written
    assert server.calls == {"extraction": 1}
