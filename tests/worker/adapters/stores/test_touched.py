from dataclasses import dataclass

from worker.adapters.stores.touched import Touched


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def test_touching_again_counts_from_then() -> None:
    clock = Clock()
    touched = Touched(clock)
    for key in "aba":
        touched.touch(key)
        clock.now += 10

    assert list(touched.untouched(seconds=20, most=9)) == ["b"]
    assert list(touched.untouched(seconds=99, most=1)) == ["b"]


def test_what_is_touched_while_it_is_put_to_rest_stays_known() -> None:
    clock = Clock()
    touched = Touched(clock)
    touched.touch("a")
    touched.touch("b")
    clock.now = 60
    due = touched.untouched(seconds=60, most=9)
    touched.touch("a")

    touched.forget(due)

    assert due.keys() == {"a", "b"}
    assert touched.known() == {"a"}


def test_no_more_are_known_than_there_is_room_for() -> None:
    touched = Touched(Clock(), most=2)
    for key in "abcad":
        touched.touch(key)

    assert touched.known() == {"a", "d"}
