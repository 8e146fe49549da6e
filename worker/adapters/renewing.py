"""What runs out by itself, and is renewed as long as the process lives."""

from threading import Event, Thread
from types import TracebackType
from typing import Self

from worker.errors import Unavailable


class Renewing:
    """Renewed from a thread three times in `seconds` while it is entered, as far as Redis is in reach."""

    def __init__(self, seconds: float, name: str) -> None:
        self._seconds = seconds
        self._over = Event()
        self._thread = Thread(target=self._keep, name=name, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()

    def _keep(self) -> None:
        while not self._over.wait(self._seconds / 3):
            try:
                if not self._is_renewed():
                    return
            except Unavailable:
                continue

    def _is_renewed(self) -> bool:
        """Renew it; false where it is another's by now, and there is nothing left to renew. Raises `Unavailable`."""
        raise NotImplementedError
