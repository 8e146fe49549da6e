"""Turns into the queue of a bench, however busy the machine is."""

import time
from collections.abc import Mapping, Sequence

from producers.producer import Producer

TRIES = 20
PAUSE_SECONDS = 0.5


def publish(producer: Producer, lines: Sequence[Mapping[str, object]]) -> None:
    """Again while Redis is too slow to answer: what it took already is a duplicate. Raises `RuntimeError`."""
    for _ in range(TRIES):
        answers = producer.publish_many(lines)
        wrong = [one for one in answers if one.status not in {"accepted", "duplicate"}]
        if not wrong:
            return
        if any(one.status != "unavailable" for one in wrong):
            break
        time.sleep(PAUSE_SECONDS)
    raise RuntimeError(f"{len(wrong)} turns were not accepted: {wrong[0]}")
