"""In which ways the same statements may arrive. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from bench.nights.world import Told

Again = Literal["", "by id", "by words"]

BATCHES = (1, 10, 50)
#: Of this size is what comes twice, or is broken off.
USUAL = 10


@dataclass(frozen=True)
class Sent:
    """One delivery of a statement; with the same id, or without any, it is the same turn."""

    told: Told
    id: str | None


@dataclass(frozen=True)
class Way:
    """One way of arriving."""

    #: Of the shuffle; null where all comes in the order in which it was said.
    shuffle: int | None = None
    batch: int = 1
    #: How what has come comes once more.
    again: Again = ""
    #: Whether each batch is broken off in the middle of its writes, and taken up again.
    crashes: bool = False

    @property
    def name(self) -> str:
        order = "as said" if self.shuffle is None else f"shuffle {self.shuffle}"
        again = f", twice {self.again}" if self.again else ""
        return f"{order}, by {self.batch}{again}{', with crashes' if self.crashes else ''}"


def ways(shuffles: int) -> Iterator[Way]:
    orders = (None, *range(1, shuffles + 1))
    for shuffle in orders:
        yield from (Way(shuffle, batch) for batch in BATCHES)
    for shuffle in orders[:2]:
        yield Way(shuffle, USUAL, "by id")
        yield Way(shuffle, USUAL, "by words")
        yield Way(shuffle, USUAL, crashes=True)


def batches(told: Sequence[Told], way: Way) -> list[list[Sent]]:
    places = list(range(len(told)))
    if way.shuffle is not None:
        Random(way.shuffle).shuffle(places)
    sent = [Sent(told[place], f"s{place}") for place in places]
    if way.again == "by id":
        sent += sent
    if way.again == "by words":
        sent += [Sent(one.told, None) for one in sent]
    return [sent[at : at + way.batch] for at in range(0, len(sent), way.batch)]
