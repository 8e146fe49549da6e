"""Nobody waits for a part longer than told, and no part keeps one after the other waiting."""

import threading
from collections.abc import Callable, Iterator

import pytest

from worker.adapters.timed import THREADS, Deadline, Timed
from worker.errors import Misconfigured, TooSlow, Unavailable

#: Longer than any test lasts.
LONG = 30.0


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def hanging() -> Iterator[Callable[[], int]]:
    """A call that does not end while the test runs."""
    ended = threading.Event()
    yield lambda: int(ended.wait(LONG))
    ended.set()


def timed(clock: Clock, several: int = 1) -> Timed:
    return Timed("it", several, clock)


def test_an_answer_is_handed_on_and_so_is_an_error(clock: Clock) -> None:
    part = timed(clock)

    assert part.call(lambda: 7, LONG) == 7
    with pytest.raises(ZeroDivisionError):
        part.call(lambda: 1 // 0, LONG)
    assert part.call(lambda: 8, LONG) == 8
    part.close()


def test_what_is_late_is_given_up_and_the_part_left_alone_for_a_moment(
    clock: Clock, hanging: Callable[[], int]
) -> None:
    part, asked = timed(clock), list[int]()
    with pytest.raises(TooSlow, match=r"it did not answer within 0\.01 seconds"):
        part.call(hanging, 0.01)

    with pytest.raises(Unavailable, match=r"asked again in 0\.5 seconds"):
        part.call(lambda: asked.append(1), LONG)
    clock.now += 0.5
    part.call(lambda: asked.append(2), LONG)
    part.call(lambda: asked.append(3), LONG)
    assert asked == [2, 3]
    part.close()


def test_its_rests_grow_while_it_is_late_again(clock: Clock, hanging: Callable[[], int]) -> None:
    part, rests = timed(clock), list[str]()
    for _ in range(6):
        with pytest.raises(TooSlow):
            part.call(hanging, 0.01)
        with pytest.raises(Unavailable) as rest:
            part.call(lambda: 1, LONG)
        rests.append(str(rest.value).split()[-2])
        clock.now += 60
    assert rests == ["0.5", "1.0", "2.0", "4.0", "5.0", "5.0"]
    part.close()


def test_one_call_at_a_time_tries_it_again(clock: Clock, hanging: Callable[[], int]) -> None:
    part = timed(clock)
    with pytest.raises(TooSlow):
        part.call(hanging, 0.01)
    clock.now += 0.5

    def probe() -> None:
        with pytest.raises(Unavailable):
            part.call(lambda: 1, LONG)

    part.call(probe, LONG)
    part.close()


def test_a_part_may_be_late_several_times_first(clock: Clock, hanging: Callable[[], int]) -> None:
    part = timed(clock, several=3)
    for _ in range(3):
        with pytest.raises(TooSlow):
            part.call(hanging, 0.01)
    with pytest.raises(Unavailable, match="asked again"):
        part.call(lambda: 1, LONG)
    part.close()


def test_a_caller_in_a_hurry_puts_nothing_to_rest(clock: Clock, hanging: Callable[[], int]) -> None:
    part = Timed("it", 1, clock, fair_seconds=0.02)
    for _ in range(3):
        with pytest.raises(TooSlow):
            part.call(hanging, 0.01)
    assert part.call(lambda: 7, LONG) == 7

    with pytest.raises(TooSlow):
        part.call(hanging, 0.02)
    clock.now += 0.5
    with pytest.raises(TooSlow):
        part.call(hanging, 0.01)
    assert part.call(lambda: 8, LONG) == 8
    part.close()


def test_nor_does_it_say_that_the_part_answers(clock: Clock, hanging: Callable[[], int]) -> None:
    part = Timed("it", 2, clock, fair_seconds=0.02)
    for seconds in (0.02, 0.01, 0.02):
        with pytest.raises(TooSlow):
            part.call(hanging, seconds)
    with pytest.raises(Unavailable, match="asked again"):
        part.call(lambda: 1, LONG)
    part.close()


@pytest.mark.parametrize(
    ("error", "rests"),
    [
        (Unavailable("nobody there"), True),
        (TooSlow("by its own clock"), True),
        (Unavailable("HTTP 500", may_be_text=True), False),
        (Misconfigured("a wrong key"), False),
        (ValueError("a bug"), False),
    ],
    ids=str,
)
def test_what_fails_at_once_is_asked_again_unless_nobody_is_there(
    clock: Clock, error: Exception, rests: bool
) -> None:
    part = timed(clock)

    def fail() -> None:
        raise error

    with pytest.raises(type(error), match=str(error)):
        part.call(fail, LONG)
    if rests:
        with pytest.raises(Unavailable, match="asked again"):
            part.call(lambda: 1, LONG)
    else:
        assert part.call(lambda: 1, LONG) == 1
    part.close()


def test_without_time_nothing_is_begun_and_nobody_blamed(clock: Clock) -> None:
    part, begun = timed(clock), list[int]()
    with pytest.raises(TooSlow):
        part.call(lambda: begun.append(1), 0.0)

    part.call(lambda: begun.append(2), LONG)
    assert begun == [2]
    part.close()


def test_calls_that_were_given_up_hold_few_threads(
    clock: Clock, hanging: Callable[[], int]
) -> None:
    before = set(threading.enumerate())
    part = timed(clock)
    for _ in range(THREADS + 4):
        with pytest.raises(TooSlow):
            part.call(hanging, 0.001)
        clock.now += 60

    assert len(set(threading.enumerate()) - before) == THREADS
    part.close()


def test_a_deadline_has_nothing_left_once_it_is_over(clock: Clock) -> None:
    deadline = Deadline(102.0, clock)

    assert deadline.left == 2.0
    clock.now = 105.0
    assert deadline.left == 0.0
