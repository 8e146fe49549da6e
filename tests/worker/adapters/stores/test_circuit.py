"""Threads of one process share what they know of a server."""

import threading
from dataclasses import dataclass
from typing import NoReturn

import pytest

from worker.adapters.stores.circuit import CircuitBreaker
from worker.adapters.stores.weaviate_errors import NoTenant
from worker.core.failing.circuit import FIRST_SECONDS, LONGEST_SECONDS, SEVERAL
from worker.errors import LeaseLost, Misconfigured, Unavailable, Unprocessable

SILENCE = Unavailable("no answer", part="store")


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def circuit(clock: Clock) -> CircuitBreaker:
    return CircuitBreaker("the server", clock)


def fail(circuit: CircuitBreaker, error: BaseException = SILENCE, times: int = 1) -> None:
    def work() -> NoReturn:
        raise error

    for _ in range(times):
        with pytest.raises(type(error)):
            circuit.call(work)


def is_sent(circuit: CircuitBreaker) -> bool:
    sent: list[bool] = []
    try:
        circuit.call(lambda: sent.append(True))
    except Unavailable:
        assert not sent
    return bool(sent)


def test_a_server_that_does_not_answer_is_soon_asked_nothing_more(circuit: CircuitBreaker) -> None:
    fail(circuit, times=SEVERAL)

    with pytest.raises(Unavailable, match=r"the server .*nothing is sent") as caught:
        circuit.call(lambda: pytest.fail("it was sent"))

    assert caught.value.part == "store"
    assert caught.value.after_seconds == FIRST_SECONDS
    assert not caught.value.may_be_text


def test_an_answer_in_between_starts_the_count_anew(circuit: CircuitBreaker) -> None:
    fail(circuit, times=SEVERAL - 1)
    assert is_sent(circuit)
    fail(circuit, times=SEVERAL - 1)

    assert is_sent(circuit)


@pytest.mark.parametrize(
    "error",
    [
        NoTenant(),
        Unprocessable("a vector of the wrong size"),
        Misconfigured("a wrong key", part="store"),
        Unavailable("it answers 500", part="store", may_be_text=True),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_refusal_is_an_answer(circuit: CircuitBreaker, error: Exception) -> None:
    fail(circuit, times=SEVERAL - 1)
    fail(circuit, error, times=SEVERAL)
    fail(circuit, times=SEVERAL - 1)

    assert is_sent(circuit)


@pytest.mark.parametrize(
    "error", [LeaseLost(), Unavailable("Redis is away")], ids=["lease", "redis"]
)
def test_what_stops_a_call_before_it_is_sent_says_nothing(
    circuit: CircuitBreaker, clock: Clock, error: Exception
) -> None:
    fail(circuit, error, times=SEVERAL)
    fail(circuit, times=SEVERAL - 1)
    fail(circuit, error)
    fail(circuit)
    assert not is_sent(circuit)

    clock.now = FIRST_SECONDS
    fail(circuit, error)

    assert is_sent(circuit), "the probe was given back"


def test_one_call_probes_and_the_others_fail_meanwhile(
    circuit: CircuitBreaker, clock: Clock
) -> None:
    fail(circuit, times=SEVERAL)
    clock.now = FIRST_SECONDS
    begun, release = threading.Event(), threading.Event()

    def probe() -> None:
        begun.set()
        release.wait(10)

    thread = threading.Thread(target=circuit.call, args=(probe,))
    thread.start()
    assert begun.wait(10)
    assert not is_sent(circuit)
    release.set()
    thread.join()

    assert is_sent(circuit), "it answered"


def test_rests_grow_while_probes_fail_and_are_short_again_after_an_answer(
    circuit: CircuitBreaker, clock: Clock
) -> None:
    fail(circuit, times=SEVERAL)
    for _ in range(10):
        clock.now += LONGEST_SECONDS
        fail(circuit)
    clock.now += LONGEST_SECONDS - 0.1
    assert not is_sent(circuit)
    clock.now += 0.1
    assert is_sent(circuit)

    fail(circuit, times=SEVERAL)
    clock.now += FIRST_SECONDS
    assert is_sent(circuit)
