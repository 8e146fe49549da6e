"""How long calls take: one after the other, and from several threads at once."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from bench.figures import Figure, percentile

#: Asks a question by its place.
Call = Callable[[int], object]


def alternating(
    calls: Mapping[str, Call], questions: int, seconds: float
) -> dict[str, list[float]]:
    """Name → seconds of each call; all in turn, so that what else the machine does weighs on each alike.

    Every question once, or as many as there is time for; at least one. The first round is for warming up.
    """
    found: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call(0)
    until = time.perf_counter() + seconds * len(calls)
    for at in range(questions):
        for name, call in calls.items():
            found[name].append(lasted(call, at))
        if time.perf_counter() > until:
            break
    return found


def at_once(call: Call, questions: int, callers: int, seconds: float) -> tuple[list[float], float]:
    """Seconds of each call from so many threads, and calls a second of all of them."""
    until = time.perf_counter() + seconds

    def caller(nth: int) -> list[float]:
        mine = []
        for at in range(nth, questions, callers):
            mine.append(lasted(call, at))
            if time.perf_counter() > until:
                break
        return mine

    began = time.perf_counter()
    with ThreadPoolExecutor(callers) as pool:
        found = [one for mine in pool.map(caller, range(callers)) for one in mine]
    return found, len(found) / (time.perf_counter() - began)


def lasted(call: Call, at: int) -> float:
    began = time.perf_counter()
    call(at)
    return time.perf_counter() - began


def figures(name: str, seconds: Sequence[float]) -> Iterator[Figure]:
    """p50 and p99, in ms."""
    found = [1000 * one for one in seconds]
    yield Figure(f"{name}, p50", percentile(found, 0.5), "ms")
    yield Figure(f"{name}, p99", percentile(found, 0.99), "ms")
