"""A night's pass and a fresh word about the same thing: the fresh word stands, whoever comes to write first."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, cast

import pytest
from redis import Redis

from schemas.keys import PartitionKeys
from schemas.plan import Plan
from schemas.scope import Scope
from tests.cases.night import pass_over
from tests.cases.talk import AtDesk, found
from tests.cases.verdicts import Judge, Thing
from tests.desk import Desk, scripted
from tests.fragile import Fragile, Killed
from worker.adapters.apply import apply
from worker.direct import holding as holding_module
from worker.direct.holding import Holding, holding
from worker.errors import LeaseLost, PlanConflict, Retryable

#: A store that is asked for the versions first says what has moved; either way nothing is written.
REFUSED = (LeaseLost, PlanConflict)


@dataclass(frozen=True)
class Story:
    """Two wordings of what was so, which a pass makes one, and what is so now."""

    old: str
    twin: str
    merged: str
    new: str

    @property
    def near(self) -> dict[str, tuple[str, float]]:
        return dict.fromkeys((self.twin, self.merged, self.new), (self.old, 0.9))


STORIES = {
    "home": Story(
        "Lives in Turin",
        "Has a flat in Turin",
        "Lives in a flat in Turin",
        "Lives in Basel",
    ),
    "employer": Story(
        "Arbeitet bei der Post",
        "Hat eine Stelle bei der Post",
        "Arbeitet bei der Post und hat dort eine Stelle",
        "Arbeitet in einer Gärtnerei",
    ),
    "pet": Story("养了一只猫", "家里有一只猫", "家里养了一只猫", "养了一只狗"),
}


@pytest.fixture(params=[*STORIES.values()], ids=[*STORIES])
def story(request: pytest.FixtureRequest) -> Story:
    return cast("Story", request.param)


@contextmanager
def before_night(at_desk: AtDesk, scope: Scope, story: Story) -> Iterator[Desk]:
    """Both wordings stand; a judge waits who knows what the new one replaces."""
    table = at_desk(scope, story.near)
    texts = (story.old, story.twin, story.new)
    facts = {f"{text}!": [found(text)] for text in texts}
    things = [
        Thing((story.new, story.old, story.twin), "contradict"),
        Thing((story.new, story.merged), "contradict"),
    ]
    with scripted(table, Judge(facts, things), resolver="replace"):
        for day, text in enumerate(texts[:2], start=1):
            table.say(f"{text}!", f"2026-05-0{day}T09:00:00Z")
            table.settle()
        assert set(table.live()) == {story.old, story.twin}
        yield table


def hear_the_new(table: Desk, story: Story) -> None:
    table.say(f"{story.new}!", "2026-06-01T12:00:00Z", id="moved")
    table.settle()


def night_of(table: Desk, story: Story) -> Plan:
    return pass_over(table, {story.merged: (story.old, story.twin)}, table.now)


def all_of(table: Desk) -> tuple[object, ...]:
    return table.live(), table.archives(), table.runs()


def only_the_new_stands(table: Desk, story: Story) -> None:
    """One record; what it replaced is history, each version once, in one straight chain."""
    (memory,) = table.live().values()
    assert memory.text == story.new
    assert {one.reason for one in table.archives(memory.id)} <= {"superseded", "merged"}
    own = [one.memory.version for one in table.archives() if one.memory.id == memory.id]
    assert own == list(range(1, memory.version))
    assert {one.replaced_by for one in table.archives()} == {memory.id}
    assert {run.state for run in table.runs()} == {"applied"}
    assert table.parts.inbox.idle()


def lapse(client: Redis, scope: Scope) -> None:
    """Whoever held it has not been heard of for longer than a lease."""
    client.zadd(PartitionKeys(0).busy, {scope.key: 1})


def test_a_pass_whose_lease_lapsed_while_it_waited_writes_nothing(
    at_desk: AtDesk, scope: Scope, story: Story, redis_client: Redis
) -> None:
    with before_night(at_desk, scope, story) as table:
        with suppress(LeaseLost), holding(table.parts, scope, table.now) as held:
            stale = night_of(table, story)
            lapse(redis_client, scope)
            hear_the_new(table, story)
            before = all_of(table)
            with pytest.raises(REFUSED):
                apply(table.parts.store, stale, held.lease)

        assert all_of(table) == before
        only_the_new_stands(table, story)


def test_a_pass_that_comes_back_with_what_it_read_before_is_refused(
    at_desk: AtDesk, scope: Scope, story: Story
) -> None:
    with before_night(at_desk, scope, story) as table:
        stale = night_of(table, story)
        hear_the_new(table, story)
        before = all_of(table)
        with (
            pytest.raises(PlanConflict, match="was decided on version 1"),
            holding(table.parts, scope, table.now) as held,
        ):
            apply(table.parts.store, stale, held.lease)

        assert all_of(table) == before
        only_the_new_stands(table, story)


def test_a_mere_repetition_meanwhile_also_makes_it_stale(at_desk: AtDesk, scope: Scope) -> None:
    story = STORIES["home"]
    with before_night(at_desk, scope, story) as table:
        stale = night_of(table, story)
        table.say(f"{story.old}!", "2026-06-01T12:00:00Z", id="again")
        table.settle()
        before = all_of(table)
        assert table.live()[story.old].confirmations == 2
        with pytest.raises(PlanConflict), holding(table.parts, scope, table.now) as held:
            apply(table.parts.store, stale, held.lease)

        assert all_of(table) == before


def test_what_is_said_while_a_pass_holds_the_person_is_judged_against_what_it_leaves(
    at_desk: AtDesk, scope: Scope, story: Story
) -> None:
    with before_night(at_desk, scope, story) as table:
        with holding(table.parts, scope, table.now) as held:
            merge = night_of(table, story)
            table.say(f"{story.new}!", "2026-06-01T12:00:00Z", id="moved")
            table.parts.inbox.flush()
            assert table.parts.inbox.claim() is None, "the worker waits"
            apply(table.parts.store, merge, held.lease)
            assert set(table.live()) == {story.merged}
        table.settle()

        only_the_new_stands(table, story)


def test_killed_anywhere_in_its_writing_a_pass_is_finished_before_anything_is_judged(
    at_desk: AtDesk, scope: Scope, redis_client: Redis
) -> None:
    story, finished = STORIES["home"], set[bool]()
    for nth in count(1):
        own = Scope(app=scope.app, user=f"night {nth}")
        with before_night(at_desk, own, story) as table:
            fragile = cast("Any", Fragile(table.parts.store, nth, after=True))
            with suppress(Killed), holding(table.parts, own, table.now) as held:
                apply(fragile, night_of(table, story), held.lease)
                break
            hear_the_new(table, story)
            only_the_new_stands(table, story)
            finished.add(story.merged in {one.memory.text for one in table.archives()})
    assert finished == {False, True}


def test_a_second_pass_declines_in_plain_words_and_others_are_served(
    at_desk: AtDesk, scope: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holding_module, "WAIT_SECONDS", 0.0)
    story = STORIES["home"]
    other = Scope(app=scope.app, user="ben")
    with (
        before_night(at_desk, scope, story) as table,
        before_night(at_desk, other, story) as next_door,
    ):
        with holding(table.parts, scope, table.now):
            with (
                pytest.raises(
                    Retryable, match=f"a worker holds scope {scope.key} just now: try again"
                ),
                holding(table.parts, scope, table.now),
            ):
                pass
            hear_the_new(next_door, story)
            assert set(next_door.live()) == {story.new}
            with holding(next_door.parts, other, next_door.now) as theirs:
                assert theirs.claim.scope_key == other.key
        assert set(table.live()) == {story.old, story.twin}


def test_after_a_pass_was_killed_the_next_gets_the_person_once_the_lease_has_lapsed(
    at_desk: AtDesk, scope: Scope, redis_client: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holding_module, "WAIT_SECONDS", 0.0)
    story = STORIES["home"]
    with before_night(at_desk, scope, story) as table:
        killed = holding(table.parts, scope, table.now)
        first: Holding = killed.__enter__()
        stale = night_of(table, story)
        with pytest.raises(Retryable), holding(table.parts, scope, table.now):
            pass
        lapse(redis_client, scope)

        with holding(table.parts, scope, table.now) as second:
            assert second.claim.fence > first.claim.fence
            with pytest.raises(LeaseLost):
                apply(table.parts.store, stale, first.lease)
            apply(table.parts.store, night_of(table, story), second.lease)
        with suppress(LeaseLost):
            killed.__exit__(None, None, None)

        assert set(table.live()) == {story.merged}
        hear_the_new(table, story)
        only_the_new_stands(table, story)
