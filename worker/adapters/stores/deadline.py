"""Calls side by side, and never longer than so many seconds."""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Generic, TypeVar

T = TypeVar("T")

#: The longest call of a store unless its caller says another: well within half a lease of 60 s.
DEADLINE_SECONDS = 15.0


class DeadlinePool(Generic[T]):
    """A call that is late is left to its thread; the threads end with the process at the latest.

    The standard library's executor would wait for such calls when the process ends.
    """

    def __init__(self, threads: int, name: str = "slowwave-store") -> None:
        self._waiting: queue.SimpleQueue[tuple[Future[T], Callable[[], T]] | None] = (
            queue.SimpleQueue()
        )
        self._threads = threads
        for _ in range(threads):
            threading.Thread(target=self._work, name=name, daemon=True).start()

    def run(self, calls: list[Callable[[], T]], seconds: float) -> list[T]:
        """Results in order. Raises `TimeoutError`, or what a call raised."""
        futures: list[Future[T]] = [Future() for _ in calls]
        for future, call in zip(futures, calls, strict=True):
            self._waiting.put((future, call))
        _, late = wait(futures, timeout=seconds)
        for future in late:
            future.cancel()
        if late:
            raise TimeoutError
        return [future.result() for future in futures]

    def close(self) -> None:
        """Each thread ends after what it is doing now."""
        for _ in range(self._threads):
            self._waiting.put(None)

    def _work(self) -> None:
        while task := self._waiting.get():
            future, call = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(call())
            except BaseException as error:  # noqa: BLE001 - it is raised where the result is asked for
                future.set_exception(error)
            del task, future, call
