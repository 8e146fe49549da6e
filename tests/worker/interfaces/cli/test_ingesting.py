"""The loop between a source and the inbox, with a source and a queue that misbehave as they are told."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from producers.answer import Answer, Status
from producers.producer import Producer
from schemas.line import Line
from schemas.turn import Turn
from tests.build import turn as turn_of
from worker.adapters.sources.source import Delivery
from worker.errors import Unavailable
from worker.interfaces.cli import ingesting
from worker.interfaces.cli.ingesting import Ingest, Item, portion, wait_seconds


class Time:
    """Passes only while someone sleeps."""

    now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def clock(self) -> float:
        self.now += 0.001
        return self.now


@dataclass
class Moods:
    """What goes wrong next; nothing once all of it was used up."""

    left: list[bool] = field(default_factory=list)

    def strike(self) -> None:
        if self.left and self.left.pop(0):
            raise Unavailable("the source is away")


@dataclass
class Shelf:
    """A source of given turns, which may be out of reach at any call."""

    turns: list[dict[str, Any] | None]
    moods: Moods = field(default_factory=Moods)
    unit: str = "entry"
    aside: str | None = "aside"
    given: int = 0
    settled: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    published_at: datetime | None = None
    taken_at_once: list[int] = field(default_factory=list)

    def take(self, most: int, seconds: float) -> Sequence[Delivery] | None:
        self.moods.strike()
        found = self.turns[self.given : self.given + min(most, 3)]
        first, self.given = self.given, self.given + len(found)
        self.taken_at_once.append(len(found))
        return [self._delivery(n, turn) for n, turn in enumerate(found, first)] or None

    def _delivery(self, number: int, turn: dict[str, Any] | None) -> Delivery:
        problem = "" if turn else "is nothing"
        return Delivery(str(number), turn, problem, published_at=self.published_at)

    def settle(self, deliveries: Sequence[Delivery]) -> None:
        self.moods.strike()
        self.settled += (delivery.id for delivery in deliveries)

    def refuse(self, delivery: Delivery, reason: str) -> None:
        self.moods.strike()
        self.refused.append(delivery.id)

    def keep(self, deliveries: Sequence[Delivery]) -> None:
        self.moods.strike()
        self.kept += (delivery.id for delivery in deliveries)

    def leave(self, deliveries: Sequence[Delivery]) -> None:
        self.left += (delivery.id for delivery in deliveries)

    def close(self) -> None: ...


class Queue(Producer):
    """Takes `room` turns of a scope, and as much again whenever it is full; is away as often as told."""

    def __init__(self, room: int = 100, away: Iterable[bool] = ()) -> None:
        self.inside: list[Turn] = []
        self.tries = 0
        self._room, self._filled = room, Counter[str]()
        self._moods: Iterator[bool] = iter(away)

    def publish_many(
        self, turns: Iterable[Line], earlier: Counter[UUID] | None = None
    ) -> list[Answer]:
        finished = [turn for turn in turns if isinstance(turn, Turn)]
        self.tries += bool(finished)
        away = bool(finished) and next(self._moods, False)
        if away:
            return [Answer(status="unavailable", message="Redis is away") for _ in finished]
        return [Answer(status=self._take(turn), message="told") for turn in finished]

    def _take(self, turn: Turn) -> Status:
        if turn.text == "never":
            return "refused"
        if any(turn.id == known.id for known in self.inside):
            return "duplicate"
        user = turn.scope.user
        if self._filled[user] >= self._room:
            self._filled[user] = 0
            return "full"
        self._filled[user] += 1
        self.inside.append(turn)
        return "accepted"


def line(text: str = "Hi.", user: str = "ann", **fields: Any) -> dict[str, Any]:
    return {"app": "tests", "user": user, "role": "user", "text": text} | fields


def ingest(source: Shelf, queue: Queue) -> Ingest:
    time, notes = Time(), list[str]()
    return Ingest(source, queue, {}, notes.append, sleep=time.sleep, clock=time.clock)


def run(source: Shelf, queue: Queue, *, patient: bool = True) -> ingesting.Tally:
    made = ingest(source, queue)
    for _ in made.run(lambda: False, patient=patient):
        assert set(source.settled) <= {turn.metadata["number"] for turn in queue.inside}
    return made.tally


def numbered(turns: Sequence[dict[str, Any] | None]) -> list[dict[str, Any] | None]:
    return [
        turn and turn | {"id": str(n), "metadata": {"number": str(n)}}
        for n, turn in enumerate(turns)
    ]


turns = st.lists(
    st.sampled_from([line(user="ann"), line(user="ben"), line(role="nobody"), None]), max_size=30
).map(numbered)


@given(
    turns,
    st.integers(1, 3),
    st.lists(st.booleans(), max_size=15),
    st.lists(st.booleans(), max_size=15),
)
def test_whatever_goes_wrong_everything_ends_in_or_refused_once_and_nothing_is_settled_before_it_is_in(
    given_turns: list[dict[str, Any] | None], room: int, moods: list[bool], away: list[bool]
) -> None:
    source, queue = Shelf(given_turns, Moods(moods)), Queue(room, away)

    tally = run(source, queue)

    good = [t["metadata"]["number"] for t in given_turns if t and t["role"] == "user"]
    bad = [str(n) for n, t in enumerate(given_turns) if t is None or t["role"] == "nobody"]
    assert sorted(source.settled) == sorted(str(turn.metadata["number"]) for turn in queue.inside)
    assert sorted(source.settled) == sorted(good)
    assert sorted(source.refused) == sorted(bad)
    assert (tally.counts["accepted"], tally.counts["refused"]) == (len(good), len(bad))
    assert (tally.waiting, source.left) == (0, [])


def item(number: int, user: str) -> Item:
    scope = {"app": "tests", "user": user}
    return Item(Delivery(str(number)), turn_of(f"t{number}", scope=scope))


users = st.lists(st.sampled_from("abc"), max_size=8)


@given(users, users, st.booleans())
def test_no_turn_overtakes_another_of_its_scope(held: str, new: str, due: bool) -> None:
    items = [item(number, user) for number, user in enumerate([*held, *new])]

    found = portion(items[: len(held)], items[len(held) :], due=due)

    for user in "abc":
        own = [i for i in [*found.now, *found.later] if i.turn.scope.user == user]
        assert own == [i for i in items if i.turn.scope.user == user]
    assert due or not set(held) & {i.turn.scope.user for i in found.now}


def test_a_full_user_holds_nobody_else_back() -> None:
    source = Shelf(numbered([line(user="ann")] * 4 + [line(user="ben")] * 4))

    run(source, queue := Queue(room=2))

    order = [turn.scope.user for turn in queue.inside]
    assert order.index("ben") < len(order) - 1 - order[::-1].index("ann")


def test_while_hands_are_full_nothing_more_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingesting, "MOST_IN_HAND", 5)
    source = Shelf(numbered([line()] * 50))

    tally = run(source, Queue(room=0), patient=False)

    assert sum(source.taken_at_once) == 6
    assert tally.waiting == 6
    assert source.left == [str(n) for n in range(6)]


def test_while_redis_is_away_little_is_taken_and_what_is_held_is_kept() -> None:
    source, queue = Shelf(numbered([line()] * 99)), Queue(away=[True] * 3)

    rounds = ingest(source, queue).run(lambda: False, patient=True)
    while not queue.inside:
        next(rounds)

    assert source.given <= 3 * 4, "three at each try"
    assert set(source.kept) >= {"0", "1", "2"}
    list(rounds)
    assert [turn.metadata["number"] for turn in queue.inside] == [str(n) for n in range(99)]


def test_who_is_not_patient_gives_up_and_says_what_waits() -> None:
    source = Shelf(numbered([line()]))

    tally = run(source, queue := Queue(away=[True] * 99), patient=False)

    assert queue.tries == ingesting.TRIES
    assert (tally.waiting, tally.trouble) == (1, "Redis is away")
    assert source.left == ["0"]


def test_a_source_that_is_away_is_given_up_by_who_is_not_patient() -> None:
    tally = run(Shelf([line()], Moods([True] * 99)), Queue(), patient=False)

    assert not tally.ended
    assert tally.trouble == "the source is away"


def test_a_turn_that_the_queue_refuses_is_not_tried_again() -> None:
    source = Shelf(numbered([line("never"), line()]))

    run(source, Queue())

    assert (source.refused, source.settled) == (["0"], ["1"])


def test_told_to_stop_it_finishes_what_it_is_at_and_leaves_the_rest() -> None:
    source, asked = Shelf(numbered([line()] * 9)), iter([False, True])

    made = ingest(source, queue := Queue(room=2))
    list(made.run(lambda: next(asked), patient=True))

    assert [turn.metadata["number"] for turn in queue.inside] == source.settled == ["0", "1"]
    assert source.left == ["2"]


@pytest.mark.parametrize("attempts", [1, 4])
def test_a_turn_that_is_tried_again_is_the_same_turn(attempts: int) -> None:
    """Known by its words alone, one that is tried again must not count as one more of its kind."""
    queue = Queue(away=[True] * (attempts - 1))
    source = Shelf([line("yes"), line("yes")])

    made = ingest(source, queue)
    list(made.run(lambda: False, patient=True))

    calm = Queue()
    list(ingest(Shelf([line("yes"), line("yes")]), calm).run(lambda: False, patient=True))
    assert [turn.id for turn in queue.inside] == [turn.id for turn in calm.inside]


@pytest.mark.parametrize("year", [2020, 2999])
def test_a_turn_was_said_when_its_source_got_it_unless_that_is_yet_to_come(year: int) -> None:
    published_at = datetime(year, 1, 1, tzinfo=UTC)
    said = {"said_at": "2019-01-01T00:00:00Z"}
    source = Shelf([line(id="1"), line(id="2", **said)], published_at=published_at)

    list(ingest(source, queue := Queue()).run(lambda: False, patient=True))

    without, with_own = queue.inside
    assert (without.said_at == published_at) == (year == 2020)
    assert without.approximate_time
    assert (with_own.said_at.year, with_own.approximate_time) == (2019, False)


def _known() -> Iterator[Delivery]:
    yield Delivery("1", line("yes"), known=True)
    yield Delivery("2", line("yes"))


def test_what_is_known_counts_for_the_ids_behind_it_and_goes_nowhere() -> None:
    class Known(Shelf):
        def take(self, most: int, seconds: float) -> Sequence[Delivery] | None:
            self.given += 1
            return [*_known()] if self.given == 1 else None

    list(ingest(source := Known([]), queue := Queue()).run(lambda: False, patient=True))
    list(ingest(Shelf([line("yes")] * 2), whole := Queue()).run(lambda: False, patient=True))

    assert [turn.id for turn in queue.inside] == [whole.inside[1].id]
    assert source.settled == ["2"]


@given(st.integers(1, 10_000), st.floats(0, 1))
def test_waits_grow_and_are_bounded(tries: int, luck: float) -> None:
    wait = wait_seconds(tries, luck)

    assert ingesting.FIRST_SECONDS / 2 <= wait <= ingesting.LONGEST_SECONDS
    assert wait <= wait_seconds(tries + 2, luck)
