"""What this process has shown lately: in view at once, while its notes are on their way to Redis."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from uuid import UUID

from worker.adapters.served import HELD_SECONDS
from worker.adapters.shown import Place
from worker.core.recalling.answer import Answer
from worker.core.recalling.showing import Showing, Showings, shown_by, without_doubles

#: Conversations in view; one more drops the one that was silent longest.
PLACES = 10_000


class Lately:
    """Safe from any thread. A note that could not be brought within `HELD_SECONDS` never will be: it is let go then."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._places: OrderedDict[Place, dict[UUID, tuple[float, Showing]]] = OrderedDict()

    def of(self, place: Place) -> Showings:
        with self._lock:
            return self._of(place)

    def claim(
        self, place: Place, answer: Answer, shown: Mapping[UUID, int]
    ) -> tuple[Answer, Showings]:
        """The answer without what another has told meanwhile, and what it tells, which is known from now on."""
        with self._lock:
            answer = without_doubles(answer, self._of(place))
            told = shown_by(answer, shown)
            now = self._clock()
            if told:
                kept = self._places.setdefault(place, {})
                kept.update({id: (now, one) for id, one in told.items()})
                self._places.move_to_end(place)
                if len(self._places) > PLACES:
                    self._places.popitem(last=False)
            return answer, told

    def _of(self, place: Place) -> Showings:
        until = self._clock() - HELD_SECONDS
        kept = {id: one for id, one in self._places.get(place, {}).items() if one[0] > until}
        if kept:
            self._places[place] = kept
        else:
            self._places.pop(place, None)
        return {id: one for id, (_, one) in kept.items()}
