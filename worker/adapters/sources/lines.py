"""Lines of a file or of stdin as a source: a file's place is kept, so that the next run goes on there."""

import select
import time
from collections import deque
from collections.abc import Sequence
from hashlib import blake2b
from io import BufferedIOBase, UnsupportedOperation
from os import fstat
from pathlib import Path

from worker.adapters.sources.places import Place, Places
from worker.adapters.sources.reading import CHUNK, Cut, Cutter, cuts, turn_on
from worker.adapters.sources.source import Delivery
from worker.errors import Unprocessable

#: Seconds between two looks at a file that is followed.
LOOK_SECONDS = 0.5


class LinesSource:
    """Turns on lines, in order. A last line without a line feed may be unfinished: no place is kept behind it."""

    unit = "line"
    aside = None

    def __init__(
        self, stream: BufferedIOBase, places: Places | None = None, followed: Path | None = None
    ) -> None:
        """`places` for what can be read again from the start; `followed`, where the file is, to wait for more."""
        self._stream, self._places, self._followed = stream, places, followed
        self._cutter = Cutter()
        self._read = 0
        self._ended = False
        self._next: deque[Cut] = deque()
        #: What stands before the place: whole lines taken, up to the first that is not settled.
        self._taken: deque[Cut] = deque()
        self._unsettled: set[str] = set()
        self._digest = blake2b()
        self._known = self._place_of_before()

    def _place_of_before(self) -> int:
        """Byte up to which an earlier run has settled it; 0 where what stood there is no longer the same."""
        place = self._places.read() if self._places else None
        if place is None:
            return 0
        digest = blake2b()
        same = False
        for cut in cuts(self._stream):
            digest.update(_mark(cut))
            if cut.end >= place.end:
                same = Place(end=cut.end, digest=digest.hexdigest()) == place
                break
        self._stream.seek(0)
        return place.end if same else 0

    def take(self, most: int, seconds: float) -> Sequence[Delivery] | None:
        if not self._next and not self._ended:
            self._fill(seconds)
        if not self._next and self._ended:
            return None
        found: list[Delivery] = []
        while self._next and len(found) < most:
            found += self._delivered(self._next.popleft())
        return found

    def _fill(self, seconds: float) -> None:
        if not self._has_more(seconds):
            return
        chunk = self._stream.read1(CHUNK)
        self._read += len(chunk)
        for cut in self._cutter.feed(chunk):
            self._next.append(cut)
            self._taken.append(cut)
        if not chunk and (self._followed is None or self._is_replaced(self._followed)):
            self._ended = True
            self._next.extend(self._cutter.rest())
        elif not chunk:
            time.sleep(min(seconds, LOOK_SECONDS))

    def _has_more(self, seconds: float) -> bool:
        """Waits for a pipe. A file, and whatever cannot be waited for, is simply read."""
        try:
            return bool(select.select([self._stream], [], [], seconds)[0])
        except UnsupportedOperation:
            return True

    def _is_replaced(self, path: Path) -> bool:
        """Another file has taken the name, or this one was cut short: no more will come."""
        ours = fstat(self._stream.fileno())
        try:
            there = path.stat()
        except OSError:
            return True
        return (there.st_dev, there.st_ino) != (ours.st_dev, ours.st_ino) or (
            ours.st_size < self._read
        )

    def _delivered(self, cut: Cut) -> list[Delivery]:
        known = cut.end <= self._known
        if not cut.raw.strip():
            return []
        if not known:
            self._unsettled.add(str(cut.number))
        try:
            turn = turn_on(cut.raw)
        except Unprocessable as error:
            return [] if known else [Delivery(str(cut.number), problem=str(error))]
        if known and (turn.get("id") is not None or turn.get("said_at") is not None):
            return []
        return [Delivery(str(cut.number), turn, known=known)]

    def settle(self, deliveries: Sequence[Delivery]) -> None:
        self._unsettled.difference_update(delivery.id for delivery in deliveries)
        self._move_on()

    def refuse(self, delivery: Delivery, reason: str) -> None:
        self.settle([delivery])

    def _move_on(self) -> None:
        end, upcoming = 0, self._next[0].number if self._next else None
        while self._taken and str((first := self._taken[0]).number) not in self._unsettled:
            if first.number == upcoming:
                break
            end = first.end
            self._digest.update(_mark(self._taken.popleft()))
        if self._places and end > self._known:
            self._places.keep(Place(end=end, digest=self._digest.hexdigest()))

    def keep(self, deliveries: Sequence[Delivery]) -> None:
        """Nobody else reads here."""

    def leave(self, deliveries: Sequence[Delivery]) -> None:
        """The place stands before them."""

    def close(self) -> None:
        """Whoever opened the stream closes it."""


def _mark(cut: Cut) -> bytes:
    return cut.raw + b"\n"
