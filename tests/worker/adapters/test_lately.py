"""What one process has shown is in view at once."""

import threading

import pytest

from tests.build import memory, uid
from worker.adapters import lately as module
from worker.adapters.lately import Lately
from worker.adapters.served import HELD_SECONDS
from worker.adapters.shown import Place
from worker.core.recalling.answer import Answer, Recalled
from worker.core.recalling.showing import Showing

HERE, THERE = Place.of("scope", "here"), Place.of("scope", "there")
TEA = Answer(items=(Recalled(memory("tea"), 1.0),))


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_what_was_told_is_known_in_its_conversation_alone() -> None:
    lately = Lately()
    first, showings = lately.claim(HERE, TEA, {})

    assert (first, showings) == (TEA, {uid("tea"): Showing(1)})
    assert lately.of(HERE) == showings
    assert lately.of(THERE) == lately.of(Place.of("another scope", "here")) == {}


def test_it_is_known_until_redis_has_it_or_never_will() -> None:
    clock = Clock()
    lately = Lately(clock)
    lately.claim(HERE, TEA, {})
    clock.now += HELD_SECONDS - 1
    assert uid("tea") in lately.of(HERE)
    clock.now += 2
    assert lately.of(HERE) == {}
    assert lately._places == {}


def test_of_too_many_conversations_the_one_that_was_silent_longest_goes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "PLACES", 2)
    lately = Lately()
    for place in (HERE, THERE, Place.of("scope", "elsewhere")):
        lately.claim(place, TEA, {})

    assert lately.of(HERE) == {}
    assert lately.of(THERE) != {}


def test_of_many_answers_at_once_one_tells_it() -> None:
    lately, told = Lately(), list[int]()
    ready = threading.Barrier(16)

    def tell() -> None:
        ready.wait()
        answer, _ = lately.claim(HERE, TEA, {})
        told.append(len(answer.items))

    threads = [threading.Thread(target=tell) for _ in range(16)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()

    assert sorted(told) == [0] * 15 + [1]
