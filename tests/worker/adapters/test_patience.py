"""Waiting for an endpoint: on a clock that only sleeping moves."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from pydantic import BaseModel

from worker.adapters.model import Completion, Message
from worker.adapters.patience import SPREAD_SECONDS, PatientChat, Pause
from worker.core.failing.retry import LONGEST_HINT_SECONDS
from worker.core.step import Prompt
from worker.errors import Misconfigured, SlowwaveError, TooLong, Unavailable

PROMPT = Prompt("extraction", {}, BaseModel)
DONE = Completion("ja")


@dataclass
class Clock:
    """Seconds; whoever sleeps moves it."""

    now: float = 1_000.0
    slept: list[float] = field(default_factory=list)
    meanwhile: Callable[[], None] = lambda: None
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        with self.lock:
            self.slept.append(seconds)
            self.now += seconds
        self.meanwhile()


@dataclass
class Chat:
    """Fails as it is told, then answers; notes when it was asked."""

    clock: Clock
    faults: list[SlowwaveError]
    asked_at: list[float] = field(default_factory=list)

    def complete(self, prompt: Prompt, messages: Sequence[Message]) -> Completion:
        with self.clock.lock:
            self.asked_at.append(self.clock.now)
            fault = self.faults.pop(0) if self.faults else None
        if fault is not None:
            raise fault
        return DONE

    def close(self) -> None:
        pass


def patient(*faults: SlowwaveError, seconds: float = 30.0, luck: float = 0.0) -> PatientChat:
    clock = Clock()
    return PatientChat(Chat(clock, list(faults)), seconds, clock.sleep, clock, lambda: luck)


def chat_of(patient: PatientChat) -> Chat:
    assert isinstance(patient._chat, Chat)
    return patient._chat


def test_a_short_wait_is_sat_out_and_the_work_goes_on() -> None:
    chat = patient(Unavailable("down"), Unavailable("down"), luck=1.0)

    assert chat.complete(PROMPT, []) == DONE
    assert chat_of(chat).clock.slept == [0.5, 1.0], "each twice as long as the one before"


@pytest.mark.parametrize("luck", [0.0, 0.5, 1.0])
def test_an_endpoint_that_asks_for_seven_seconds_is_left_alone_for_seven(luck: float) -> None:
    chat = patient(Unavailable("busy", 7), luck=luck)
    chat.complete(PROMPT, [])

    first, second = chat_of(chat).asked_at
    assert 7 <= second - first <= 7 + SPREAD_SECONDS


def test_what_would_wait_longer_than_patience_rises_at_once_with_the_hint() -> None:
    chat = patient(Unavailable("busy", 31))

    with pytest.raises(Unavailable, match="busy") as caught:
        chat.complete(PROMPT, [])

    assert caught.value.after_seconds == 31
    assert chat_of(chat).clock.slept == []


def test_patience_is_for_all_tries_of_a_call_together() -> None:
    chat = patient(*[Unavailable("down")] * 99, luck=1.0)

    with pytest.raises(Unavailable, match="down"):
        chat.complete(PROMPT, [])

    assert sum(chat_of(chat).clock.slept) <= 30
    assert len(chat_of(chat).asked_at) == 6


def test_a_call_that_took_longer_than_patience_is_not_made_again() -> None:
    chat = patient()

    def slow(prompt: Prompt, messages: Sequence[Message]) -> Completion:
        chat_of(chat).asked_at.append(chat_of(chat).clock.now)
        chat_of(chat).clock.now += 60
        raise Unavailable("did not answer in time")

    chat_of(chat).complete = slow  # type: ignore[method-assign] # a chat that takes its time

    with pytest.raises(Unavailable, match="in time"):
        chat.complete(PROMPT, [])

    assert len(chat_of(chat).asked_at) == 1


@pytest.mark.parametrize("error", [Misconfigured("key"), TooLong("long")])
def test_what_waiting_cannot_mend_is_not_waited_for(error: SlowwaveError) -> None:
    chat = patient(error)

    with pytest.raises(type(error)):
        chat.complete(PROMPT, [])

    assert len(chat_of(chat).asked_at) == 1


def test_while_an_endpoint_is_left_alone_nobody_sends_it_anything() -> None:
    chat = patient(Unavailable("busy", 600))
    with pytest.raises(Unavailable):
        chat.complete(PROMPT, [])

    with pytest.raises(Unavailable, match="nothing to be sent for 600 s") as caught:
        chat.complete(PROMPT, [])

    assert caught.value.after_seconds == 600
    assert len(chat_of(chat).asked_at) == 1
    chat_of(chat).clock.now += 599
    assert chat.complete(PROMPT, []) == DONE, "the last second is sat out"
    assert chat_of(chat).asked_at[1] - chat_of(chat).asked_at[0] >= 600


def test_what_one_thread_was_told_holds_for_all() -> None:
    chat = patient(Unavailable("busy", 7))
    told = threading.Barrier(8)

    def ask() -> None:
        told.wait(10)
        chat.complete(PROMPT, [])

    with pytest.raises(Unavailable):
        PatientChat.complete(_without_patience(chat), PROMPT, [])
    first = chat_of(chat).clock.now
    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(chat_of(chat).asked_at) == 9
    assert min(chat_of(chat).asked_at[1:]) >= first + 7


def _without_patience(chat: PatientChat) -> PatientChat:
    """The same endpoint, its pause shared, for a caller that waits for nothing."""
    other = PatientChat(chat._chat, 0, chat._sleep, chat._clock, chat._luck)
    other._pause = chat._pause
    return other


def test_who_wakes_up_looks_again_whether_the_endpoint_wants_to_be_asked() -> None:
    chat = patient(Unavailable("down"))
    clock = chat_of(chat).clock

    def someone_else_is_told_to_wait() -> None:
        clock.meanwhile = lambda: None
        chat._pause.ask_for(5)

    clock.meanwhile = someone_else_is_told_to_wait
    chat.complete(PROMPT, [])

    first, second = chat_of(chat).asked_at
    assert second - first >= 5


@pytest.mark.parametrize("hint", [float("inf"), 10 * 365 * 86_400.0])
def test_no_server_stops_a_process_for_years(hint: float) -> None:
    pause = Pause(Clock())
    pause.ask_for(hint)

    assert pause.left == LONGEST_HINT_SECONDS


def test_a_shorter_hint_takes_nothing_from_a_longer_one() -> None:
    pause = Pause(Clock())
    pause.ask_for(20)
    pause.ask_for(1)

    assert pause.left == 20
