from hypothesis import given
from hypothesis import strategies as st

from worker.core.failing.resting import untouched

TOUCHED = {"a": 10.0, "b": 20.0, "c": 30.0, "d": 40.0}


def test_what_was_not_touched_for_so_long_may_rest() -> None:
    assert untouched(TOUCHED, now=40.0, seconds=20.0, most=10) == {"a": 10.0, "b": 20.0}


def test_beyond_the_most_the_longest_untouched_may_rest() -> None:
    assert untouched(TOUCHED, now=40.0, seconds=1_000.0, most=1) == {
        "a": 10.0,
        "b": 20.0,
        "c": 30.0,
    }


@given(
    st.lists(st.floats(0, 1_000), max_size=20),
    st.floats(0, 1_000),
    st.floats(0.1, 1_000),
    st.integers(1, 25),
)
def test_what_stays_awake_was_touched_lately_and_is_never_too_much(
    moments: list[float], now: float, seconds: float, most: int
) -> None:
    touched = {str(place): when for place, when in enumerate(sorted(moments))}

    awake = touched.keys() - untouched(touched, now, seconds, most).keys()

    assert len(awake) <= most
    assert all(now - touched[key] < seconds for key in awake)
    assert len(touched) > most or awake == {
        k for k, when in touched.items() if now - when < seconds
    }
