"""What a store tells of a world of slots, and in what it differs from the truth. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from bench.nights.world import Key, State, Told, by_last, stretches, truth
from bench.quality.words import claims
from schemas.memory import Memory

Sayings = Mapping[Key, list[tuple[datetime, str]]]


@dataclass(frozen=True)
class Difference:
    """What a slot should have, and has."""

    of: Literal["live", "history"]
    key: Key
    wanted: tuple[str, ...]
    found: tuple[str, ...]

    def __str__(self) -> str:
        wanted, found = (", ".join(values) or "nothing" for values in (self.wanted, self.found))
        return f"{self.of} of {self.key.who}'s {self.key.name}: {found}, and not {wanted}"


@dataclass(frozen=True)
class Seen:
    """A store compared with the truth."""

    differences: tuple[Difference, ...]
    #: Values that came back, and of which the history does not tell the first time.
    untold_returns: int


def seen(told: Iterable[Told], live: Iterable[Memory], earlier: Iterable[Memory]) -> Seen:
    told, live = list(told), list(live)
    values = _values(told)
    now, past = _sayings(values, live), _sayings(values, (*live, *earlier))
    state = State(
        {key: tuple(sorted(value for _, value in found)) for key, found in now.items()},
        {key: by_last(found) for key, found in past.items()},
    )
    said = defaultdict[Key, list[tuple[datetime, str]]](list)
    for one in told:
        said[one.key].append((one.at, one.value))
    lacking = (
        len(stretches(found)) - len(stretches(past.get(key, ()))) for key, found in said.items()
    )
    found = tuple(differences(truth(told), state))
    return Seen(found, sum(max(0, many) for many in lacking) if not found else 0)


def differences(wanted: State, found: State) -> Iterator[Difference]:
    for key in sorted(wanted.live.keys() | found.live.keys()):
        if (one := wanted.live.get(key, ())) != (other := found.live.get(key, ())):
            yield Difference("live", key, one, other)
        elif (one := wanted.history[key]) != (other := found.history.get(key, ())):
            yield Difference("history", key, one, other)


def _values(told: Iterable[Told]) -> dict[Key, tuple[tuple[str, ...], bool]]:
    """Key → what it may be, and whether it is a slot."""
    found = defaultdict[Key, dict[str, bool]](dict)
    for one in told:
        found[one.key][one.value] = one.is_slot
    return {key: (tuple(it), next(iter(it.values()))) for key, it in found.items()}


def _sayings(
    values: Mapping[Key, tuple[tuple[str, ...], bool]], memories: Iterable[Memory]
) -> dict[Key, list[tuple[datetime, str]]]:
    """Key → when which value was last said in each memory."""
    found = defaultdict[Key, list[tuple[datetime, str]]](list)
    for memory in memories:
        for key, (may_be, is_slot) in values.items():
            if key.who != memory.subject or is_slot != (memory.attribute == key.name):
                continue
            for value in may_be:
                if claims(memory.text, (), value, may_be):
                    found[key].append((memory.said_at, value))
    return dict(found)
