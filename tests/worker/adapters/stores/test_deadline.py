import threading
from collections.abc import Iterator

import pytest

from worker.adapters.stores.deadline import DeadlinePool


@pytest.fixture
def pool() -> Iterator[DeadlinePool[int]]:
    made: DeadlinePool[int] = DeadlinePool(2)
    yield made
    made.close()


def test_results_come_in_the_order_of_the_calls(pool: DeadlinePool[int]) -> None:
    first = threading.Event()

    def slow() -> int:
        first.wait()
        return 1

    def quick() -> int:
        first.set()
        return 2

    assert pool.run([slow, quick], seconds=10) == [1, 2]
    assert pool.run([], seconds=10) == []


def test_what_a_call_raised_is_raised_here_and_the_thread_lives_on(pool: DeadlinePool[int]) -> None:
    for _ in range(5):
        with pytest.raises(ZeroDivisionError):
            pool.run([lambda: 1 // 0], seconds=10)

    assert pool.run([lambda: 3], seconds=10) == [3]


def test_a_late_call_is_given_up_and_those_behind_it_are_never_begun(
    pool: DeadlinePool[int],
) -> None:
    release, begun = threading.Event(), threading.Event()

    def stuck() -> int:
        release.wait()
        return 0

    def late() -> int:
        begun.set()
        return 0

    with pytest.raises(TimeoutError):
        pool.run([stuck, stuck, late], seconds=0.01)
    release.set()

    assert pool.run([lambda: 4], seconds=10) == [4]
    assert not begun.is_set()


def test_threads_end_when_the_pool_is_closed() -> None:
    before = set(threading.enumerate())
    made: DeadlinePool[int] = DeadlinePool(3)
    own = set(threading.enumerate()) - before
    made.close()
    for thread in own:
        thread.join(timeout=10)

    assert len(own) == 3
    assert not any(thread.is_alive() for thread in own)
