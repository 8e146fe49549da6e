"""What people say of themselves in slots of one value, in words that the rules read as well. Pure.

What is true does not depend on when it arrives: of each slot the value that was said last, and before it the others.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random

FIRST_AT = datetime(2025, 1, 1, tzinfo=UTC)
DAYS = 400
#: After all that is ever said.
NOW = datetime(2026, 6, 1, tzinfo=UTC)
PEOPLE = ("Ana", "Bo")
#: How often the first value of a slot is true again in the end.
BACK = 0.3

#: Slot → how it is said of whom, and its values.
SLOTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "home": ("{who} lives in {value}", ("Graz", "Lyon", "Porto", "Ulm", "Oslo")),
    "partner": ("{who} is married to {value}", ("Kim", "Noa", "Ira", "Sam")),
    "favourite colour": ("{who}'s favourite colour is {value}", ("blue", "green", "red", "black")),
    "phone number": (
        "{who}'s phone number is {value}",
        ("0170 111222", "0170 333444", "0170 555666"),
    ),
    "email": (
        "{who}'s email is {value}",
        ("ek@post.example", "ek@mail.example", "ek@work.example"),
    ),
    "job": ("{who} works at {value}", ("Siemens", "the bakery", "Nokia", "the museum")),
}
#: What stays true; two of them differ in one digit.
THINGS = (
    "{who} plays chess on Tuesdays",
    "{who} has locker 4412",
    "{who} has locker 4413",
    "{who} is allergic to walnuts",
)


@dataclass(frozen=True, order=True)
class Key:
    """Whose slot; of what stays true the words are its slot."""

    who: str
    name: str


@dataclass(frozen=True)
class Told:
    """One statement."""

    key: Key
    value: str
    text: str
    at: datetime
    is_slot: bool = True


@dataclass(frozen=True)
class State:
    """Of a store what must not depend on arrival."""

    #: Values that stand, one for each memory.
    live: Mapping[Key, tuple[str, ...]] = field(default_factory=dict)
    #: Each value by when it was last said to be true, in that order.
    history: Mapping[Key, tuple[str, ...]] = field(default_factory=dict)


def world(seed: int) -> list[Told]:
    """In the order in which it is said, no two at one time."""
    chance = Random(seed)
    said = list[tuple[Key, str, str, bool]]()
    for who in PEOPLE:
        for name, (form, values) in SLOTS.items():
            for value in _fate(chance, values):
                said.append((Key(who, name), value, form.format(who=who, value=value), True))
        for form in THINGS:
            text = form.format(who=who)
            said += [(Key(who, text), text, text, False)] * chance.choice((1, 2))
    times = sorted(chance.sample(range(DAYS * 24), len(said)))
    places = _mixed(chance, said)
    return [
        Told(*said[place][:3], FIRST_AT + timedelta(hours=hour), said[place][3])
        for place, hour in zip(places, times, strict=True)
    ]


def _fate(chance: Random, values: Sequence[str]) -> list[str]:
    """Values in the order in which they become true; some are said twice, and the first may come back."""
    chosen = chance.sample(values, chance.randint(2, len(values)))
    told = [value for value in chosen for _ in range(chance.choice((1, 1, 2)))]
    return [*told, chosen[0]] if chance.random() < BACK else told


def _mixed(chance: Random, said: Sequence[tuple[Key, str, str, bool]]) -> list[int]:
    """Places of all, those of one slot in their own order."""
    waiting = defaultdict[Key, list[int]](list)
    for place, (key, *_) in enumerate(said):
        waiting[key].append(place)
    turns = [key for key, places in waiting.items() for _ in places]
    chance.shuffle(turns)
    return [waiting[key].pop(0) for key in turns]


def truth(told: Iterable[Told]) -> State:
    sayings = defaultdict[Key, list[tuple[datetime, str]]](list)
    for one in told:
        sayings[one.key].append((one.at, one.value))
    live = {key: (max(found)[1],) for key, found in sayings.items()}
    return State(live, {key: by_last(found) for key, found in sayings.items()})


def by_last(sayings: Iterable[tuple[datetime, str]]) -> tuple[str, ...]:
    """Each value once, where it was said last."""
    last = {value: at for at, value in sorted(sayings)}
    return tuple(sorted(last, key=last.__getitem__))


def stretches(sayings: Iterable[tuple[datetime, str]]) -> tuple[str, ...]:
    """All values in order, each as often as it became true."""
    found = list[str]()
    for _, value in sorted(sayings):
        if found[-1:] != [value]:
            found.append(value)
    return tuple(found)
