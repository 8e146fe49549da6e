"""What a night promises whatever the judge says, what it costs, and that no chain of lookalikes grows."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4
from zlib import crc32

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis import Redis

from schemas.base import Vector
from schemas.scope import Scope
from tests.desk import Desk, desk, scripted
from tests.similarity import GivenSimilarities
from tests.worker.direct.nightly import (
    FIRST_NIGHT,
    Judge,
    everything,
    group,
    judging,
    night,
    remember,
    sleeps,
    told,
)
from worker.adapters.stores.sqlite import SqliteStore
from worker.core.groups.judgment import Group
from worker.core.ports import Store
from worker.direct.erasing import erase
from worker.direct.undoing import undo
from worker.errors import PlanConflict


@dataclass(frozen=True)
class Rays:
    """A text begins with a letter, which says where its vector points: letters near each other are near."""

    fingerprint: str = "rays_8"
    dimensions: int = 8
    floor: float = 0.8
    same: float = 0.999

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [self._ray((ord(text[0]) - ord("a")) / 4) for text in texts]

    @staticmethod
    def _ray(angle: float) -> Vector:
        ray = np.zeros(8, dtype="<f4")
        ray[:2] = np.cos(angle), np.sin(angle)
        return ray.tobytes()


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (Rays().fingerprint, Rays().dimensions)


def capricious(seed: int) -> Judge:
    """Says the same of the same texts, and about anything."""

    def judge(texts: Sequence[str]) -> list[Group]:
        luck = crc32(f"{seed}{texts}".encode())
        others = [at for at in range(1, len(texts)) if luck >> at & 1]
        relation = ("same", "update", "contradict")[luck % 3]
        return [group([0, *others], relation)] if others else []

    return judge


remembered = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.booleans(), st.integers(0, 3)), min_size=1, max_size=10
)


def filled(store: Store, redis: Redis, given: Sequence[tuple[str, bool, int]]) -> Desk:
    table = desk(store, redis, Scope(app=f"test-{uuid4()}", user="ann"), Rays())
    for at, (letter, pinned, days) in enumerate(given):
        lapses = FIRST_NIGHT - timedelta(days=1) if days == 3 else None
        remember(table, f"{letter} {at}", days=days, pinned=pinned, until=lapses)
    return table


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(remembered, st.integers(0, 99), st.sampled_from([0.0, 0.4, 1.0]), st.integers(1, 3))
def test_whatever_the_judge_says_a_night_keeps_its_promises(
    sqlite_store: SqliteStore,
    redis_client: Redis,
    scope_of: Sequence[tuple[str, bool, int]],
    seed: int,
    share: float,
    per_slice: int,
) -> None:
    table = filled(sqlite_store, redis_client, scope_of)
    asked = judging(
        table,
        capricious(seed),
        sleep_max_share=share,
        sleep_groups=per_slice,
        resolver="replace",
    )
    before = table.live()

    foreseen = night(table, dry_run=True)
    heard = asked.heard()
    report = night(table)
    after = table.live()

    assert (told(report), asked.heard()) == (told(foreseen), heard)
    assert {**after, **{t: one for t, one in before.items() if one.pinned}} == after
    judged = [diff for one in report.passes if one.name != "expire" for diff in one.changes]
    live = len(before) - sum(one.until is not None and not one.pinned for one in before.values())
    assert len(judged) <= max(2, int(share * live))
    kept = {*after, *(one.memory.text for one in table.archives())}
    assert set(before) <= kept

    done = everything(table)
    again = night(table, 2)
    assert (again.changes, asked.heard(), everything(table)) == (0, [], done)

    for run in sorted(sleeps(table), key=lambda run: run.started_at):
        assert run.state in {"applied", "parked"}
    _undo_all(table)
    assert {(t, one.id, one.confirmations) for t, one in table.live().items()} == {
        (t, one.id, one.confirmations) for t, one in before.items()
    }


def _undo_all(table: Desk) -> None:
    """Each as soon as nothing that was built on it stands any more."""
    left = [run.id for run in sleeps(table) if run.state == "applied"]
    while left:
        undone = next((id for id in left if _is_undone(table, id)), None)
        assert undone is not None, "each is built upon"
        left.remove(undone)


def _is_undone(table: Desk, run: UUID) -> bool:
    try:
        undo(table.parts, table.scope, run, FIRST_NIGHT + timedelta(days=9))
    except PlanConflict:
        return False
    return True


A, B, C, D = "a swims", "d swims", "g swims", "j swims"


@pytest.mark.parametrize("nights", [3])
def test_a_chain_of_neighbours_never_becomes_one_record(
    sqlite_store: SqliteStore, redis_client: Redis, nights: int
) -> None:
    """Each is near the next alone, and what two become is near the third: the first is not."""
    table = desk(
        sqlite_store, redis_client, Scope(app=f"test-{uuid4()}", user="ann"), Rays(floor=0.7)
    )
    remember(table, A, B, C, D)
    asked = judging(table, lambda texts: [group(range(len(texts)), "update")], resolver="replace")

    for nth in range(1, nights + 1):
        night(table, nth)

    heard = asked.heard()
    assert heard
    assert all(len(some) == 2 for some in heard)
    assert not any({A, C} <= {*some} or {B, D} <= {*some} for some in heard)
    sources = Counter(one.replaced_by for one in table.archives() if one.reason == "merged")
    assert max(sources.values()) <= 1


def many(table: Desk, count: int) -> None:
    """Texts that are all near each other, and looked at already."""
    remember(table, *(f"a thing {n} of {count}" for n in range(count)))
    judging(table, lambda texts: [])
    night(table)


@pytest.mark.parametrize("changed", [10])
def test_a_night_asks_as_often_as_memories_changed_however_many_there_are(
    sqlite_store: SqliteStore, redis_client: Redis, changed: int
) -> None:
    calls = {}
    for count in (100, 400):
        table = desk(sqlite_store, redis_client, Scope(app=f"t-{uuid4()}", user="ann"), Rays())
        many(table, count)
        remember(table, *(f"a new thing {n}" for n in range(changed)), days=100.5)
        asked = judging(table, lambda texts: [])
        report = night(table, 2)
        heard = asked.heard()
        calls[count] = sum(one.asked for one in report.passes)
        assert calls[count] == len(heard)
        assert all(len(some) <= table.parts.settings.max_group for some in heard)

    assert calls[100] == calls[400] == changed


def test_the_first_night_asks_no_more_often_than_there_are_memories(
    sqlite_store: SqliteStore, redis_client: Redis
) -> None:
    table = desk(sqlite_store, redis_client, Scope(app=f"t-{uuid4()}", user="ann"), Rays())
    remember(table, *(f"{'abcdefghij'[n % 10]} thing {n}" for n in range(100)))
    asked = judging(table, lambda texts: [])

    night(table)

    assert 0 < len(asked.heard()) < 100


WINDOW, SEAT = "Prefers window seats", "Prefers a window seat on trains"
HOME = "Lives in Oslo"
SEATS = GivenSimilarities({SEAT: (WINDOW, 0.9), HOME: (WINDOW, 0.6)})
SAME = {
    "groups": [
        {"why": "both about seats", "members": ["m1", "m2"], "relation": "update", "drops": []}
    ],
    "new": [],
}


def seats(redis: Redis, path: Any, scope: Scope) -> tuple[Desk, SqliteStore]:
    store = SqliteStore(path / "seats.db")
    store.open(SEATS.fingerprint, SEATS.dimensions)
    table = desk(store, redis, scope, SEATS)
    remember(table, WINDOW)
    remember(table, SEAT, days=1)
    remember(table, HOME, days=2)
    return table, store


def answered(
    redis: Redis, path: Any, scope: Scope, script: Callable[[dict[str, Any]], Any]
) -> tuple[Desk, SqliteStore, Any, Any]:
    table, store = seats(redis, path, scope)
    with scripted(table, lambda job, document: script(document), sleep_max_share=1.0) as endpoint:
        foreseen = night(table, dry_run=True)
        report = night(table)
        again = night(table, 2)
    assert again.calls == 0
    assert [(one.calls, one.tokens) for one in foreseen.passes] == [
        (one.calls, one.tokens) for one in report.passes
    ]
    return table, store, endpoint, report


def test_a_model_is_asked_once_a_group_and_what_it_cost_stands_in_report_and_run(
    redis_client: Redis, tmp_path: Any, scope: Scope
) -> None:
    def script(document: dict[str, Any]) -> Any:
        is_seats = [one["text"] for one in document["memories"]] == [SEAT, WINDOW]
        return SAME if is_seats else {"groups": [], "new": ["m1"]}

    table, store, endpoint, report = answered(redis_client, tmp_path, scope, script)

    assert set(table.live()) == {SEAT, HOME}
    assert endpoint.calls == {"reorganize": 4}
    assert (report.calls, report.tokens) == (2, 30)
    (run,) = sleeps(table)
    assert run.usage.calls == {"reorganize": 1}
    assert set(run.prompts) == {"reorganize"}
    store.close()


@pytest.mark.parametrize(
    "reply",
    [
        "no JSON at all",
        {"groups": [{"why": "w", "members": ["m1", "m2"], "relation": "forget"}]},
        {
            "groups": [
                {"why": "w", "members": ["m1", "m2"], "relation": "update", "text": "Owns 3 dogs"}
            ]
        },
        {"groups": [{"why": "w", "members": ["m1", "m9"], "relation": "same"}]},
    ],
    ids=["unreadable", "forget", "invented", "unknown"],
)
def test_a_reply_that_stays_bad_changes_nothing_and_is_asked_about_once_per_change(
    redis_client: Redis, tmp_path: Any, scope: Scope, reply: Any
) -> None:
    table, store, _, report = answered(redis_client, tmp_path, scope, lambda document: reply)

    assert set(table.live()) == {WINDOW, SEAT, HOME}
    assert all(one.version == 1 for one in table.live().values())
    (tidied,) = [one for one in report.passes if one.name == "tidy"]
    assert (tidied.asked, tidied.misjudged, tidied.calls) == (2, 2, 6)
    store.close()


def test_what_is_called_the_same_never_loses_a_detail(
    redis_client: Redis, tmp_path: Any, scope: Scope
) -> None:
    """Neither says what the other does: no words of theirs may stand for both."""
    one, other = "Runs 5 km on Mondays", "Runs 10 km on Mondays"
    near = GivenSimilarities({other: (one, 0.97)})
    store = SqliteStore(tmp_path / "same.db")
    store.open(near.fingerprint, near.dimensions)
    table = desk(store, redis_client, scope, near)
    remember(table, one, other)
    judging(table, lambda texts: [group(range(len(texts)), "same")])

    night(table)

    assert set(table.live()) == {one, other}
    store.close()


def test_the_prompt_holds_no_other_scope_and_nothing_the_job_does_not_need(
    redis_client: Redis, tmp_path: Any, scope: Scope
) -> None:
    _, store, endpoint, _ = answered(
        redis_client, tmp_path, scope, lambda document: {"groups": [], "new": []}
    )

    for document in endpoint.documents:
        assert set(document) == {"memories"}
        assert all(set(one) == {"id", "text", "subject", "said_at"} for one in document["memories"])
        assert scope.app not in json.dumps(document)
    store.close()


def test_what_is_said_between_two_slices_is_taken_up_in_the_same_night(
    redis_client: Redis, tmp_path: Any, scope: Scope
) -> None:
    """A direct write, or a worker's batch, that came in while the scope was let go."""
    table, store = seats(redis_client, tmp_path, scope)
    asked = judging(table, lambda texts: [], sleep_groups=1)
    real, new = table.parts.inbox.waiting, [["Prefers seats", "Prefers aisles"]]

    def between(scope_key: str) -> int:
        if asked.groups and new:
            remember(table, *new.pop(), days=99.5, attribute="seat")
            remember(table, HOME, days=99.6, version=2)
        return real(scope_key)

    table.parts.inbox.waiting = between  # type: ignore[method-assign]
    night(table)

    heard = asked.heard()
    assert ("Prefers aisles", "Prefers seats") in heard
    assert [some[0] for some in heard].count(HOME) == 1
    assert night(table, 2).changes == 0
    assert asked.heard() == []
    store.close()


def test_a_scope_that_is_erased_between_two_slices_gets_no_room_again(
    redis_client: Redis, tmp_path: Any, scope: Scope
) -> None:
    table, store = seats(redis_client, tmp_path, scope)
    asked = judging(table, lambda texts: [], sleep_groups=1)
    real = table.parts.inbox.waiting

    def between(scope_key: str) -> int:
        if asked.groups:
            erase(table.parts, scope, FIRST_NIGHT)
        return real(scope_key)

    table.parts.inbox.waiting = between  # type: ignore[method-assign]

    assert night(table).stopped == "the scope was erased"
    assert not store.about(scope).is_prepared
    store.close()
