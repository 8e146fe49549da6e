"""What must be true of a small world of values, told without a line of the code that is tested."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import product
from uuid import UUID

from schemas.memory import Memory

#: What can be said of each slot; no word stands in two of the texts.
VALUES = {
    "home": ("Rents rooms around Oslo", "Owns cottages near Bergen", "Shares flats at Narvik"),
    "job": ("Bakes bread", "Mends clocks", "Teaches chemistry"),
    "pet": ("Feeds hamsters", "Walks greyhounds"),
    "state": ("Limps badly", "Coughs nightly"),
}
SLOT_OF = {text: slot for slot, texts in VALUES.items() for text in texts}
#: The word by which a text is known wherever it turns up.
WORD_OF = {text: text.split()[-1].casefold() for text in SLOT_OF}
#: Of this slot everything is true for a while only.
FOR_A_WHILE, LASTS = "state", timedelta(days=2)


def words_in(text: str) -> frozenset[str]:
    """Values that a text of any kind tells of."""
    plain = text.casefold()
    return frozenset(word for word in WORD_OF.values() if word in plain)


def end_of(slot: str, said_at: datetime) -> datetime | None:
    return said_at + LASTS if slot == FOR_A_WHILE else None


@dataclass(frozen=True)
class Said:
    """One statement; without a text what is known of the slot is to be forgotten."""

    slot: str
    text: str | None
    at: datetime
    turns: frozenset[UUID]
    fields: frozenset[tuple[str, int]] = frozenset()
    tags: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Stand:
    """What a live memory is, but for its id, version and counts."""

    text: str
    said_at: datetime
    until: datetime | None
    pinned: bool = False
    tags: frozenset[str] = frozenset()
    fields: frozenset[tuple[str, int]] = frozenset()

    @classmethod
    def of(cls, memory: Memory) -> "Stand":
        fields = frozenset((name, int(str(value))) for name, value in memory.metadata.items())
        tags = frozenset(memory.tags)
        return cls(memory.text, memory.said_at, memory.until, memory.pinned, tags, fields)

    @property
    def slot(self) -> str:
        return SLOT_OF[self.text]

    def has_lapsed(self, now: datetime) -> bool:
        return self.until is not None and self.until <= now

    def said_again(self, said: Said) -> "Stand":
        said_at = max(self.said_at, said.at)
        return replace(self, said_at=said_at, until=end_of(self.slot, said_at))

    def carrying(self, said: Said, *, pinned: bool = False) -> "Stand":
        """With what a caller attaches."""
        return replace(
            self,
            pinned=self.pinned or pinned,
            tags=self.tags | said.tags,
            fields=self.fields | said.fields,
        )


def newly(said: Said) -> Stand:
    assert said.text is not None
    return Stand(said.text, said.at, end_of(said.slot, said.at), fields=said.fields)


def made_one(text: str, many: Sequence[Stand], at: datetime) -> Stand:
    """All of them as one: nothing that callers attached is lost."""
    return Stand(
        text,
        at,
        end_of(SLOT_OF[text], at),
        any(one.pinned for one in many),
        frozenset[str]().union(*(one.tags for one in many)),
        frozenset[tuple[str, int]]().union(*(one.fields for one in many)),
    )


@dataclass(frozen=True)
class After:
    """What stands in a slot afterwards; `carrier` is the one that what was said last went into."""

    rest: tuple[Stand, ...]
    carrier: Stand | None = None

    @property
    def stands(self) -> tuple[Stand, ...]:
        return (*self.rest, self.carrier) if self.carrier else self.rest


def heard(live: Sequence[Stand], said: Sequence[Said], now: datetime) -> list[list[Stand]]:
    """What may stand once a batch is settled: one of these, whatever the order."""
    by_slot = [
        slot_after(
            [one for one in live if one.slot == slot],
            [one for one in said if one.slot == slot],
            now,
        )
        for slot in VALUES
    ]
    return [[one for after in each for one in after.stands] for each in product(*by_slot)]


def slot_after(live: Sequence[Stand], said: Sequence[Said], now: datetime) -> list[After]:
    """A wish to forget comes first; what lapsed is nobody's concern."""
    lapsed = tuple(one for one in live if one.has_lapsed(now))
    live = [one for one in live if one not in lapsed]
    facts = list(_each_once([one for one in said if one.text]))
    for wish in (one for one in said if one.text is None):
        live = [one for one in live if one.said_at > wish.at]
        facts = [one for one in facts if one.at > wish.at]
    found = _settled(live, facts) if facts else [After(tuple(live))]
    return [replace(one, rest=(*lapsed, *one.rest)) for one in found]


def _each_once(facts: Sequence[Said]) -> Iterator[Said]:
    """The same words of one batch are one statement, unless they hold for other times."""
    alike: dict[object, list[Said]] = {}
    for one in facts:
        alike.setdefault(one.at if one.slot == FOR_A_WHILE else one.text, []).append(one)
    for equal in alike.values():
        yield replace(
            max(equal, key=lambda one: one.at),
            turns=frozenset[UUID]().union(*(one.turns for one in equal)),
            fields=frozenset[tuple[str, int]]().union(*(one.fields for one in equal)),
        )


def _settled(live: Sequence[Stand], facts: Sequence[Said]) -> list[After]:
    """The same value is said again; of different ones the latest stands, beside what is pinned."""
    newest = max(facts, key=lambda one: one.at)
    values = {one.text for one in facts}
    equal = [one for one in live if one.text == newest.text]
    if len(values) == 1 and (len(equal) == 1 or (equal and len(equal) == len(live))):
        return list(_again(live, equal, newest))
    if newest.slot != FOR_A_WHILE and all(_are_one(live, one) for one in facts):
        for one in facts:
            live = [stand.said_again(one) if stand.text == one.text else stand for stand in live]
        return [After(tuple(live))]
    if not live:
        return [After((), newly(newest))]
    if any(one.pinned for one in live):
        return [After((*live, *map(newly, facts)))] if len(facts) > 1 else _beside(live, newest)
    if max(one.said_at for one in live) > newest.at:
        return [After(tuple(live))]
    assert newest.text
    return [After((), made_one(newest.text, live, newest.at))]


def _are_one(live: Sequence[Stand], said: Said) -> bool:
    return sum(one.text == said.text for one in live) == 1


def _beside(live: Sequence[Stand], newest: Said) -> list[After]:
    return [After(tuple(live), newly(newest))]


def _again(live: Sequence[Stand], equal: Sequence[Stand], newest: Said) -> Iterator[After]:
    """One is confirmed; several become one, but for a pinned one, which stands as it is beside the others."""
    if len(equal) > 1 and not any(one.pinned for one in equal):
        said_at = max(newest.at, *(one.said_at for one in equal))
        yield After((), made_one(equal[0].text, equal, said_at))
        return
    pinned = [one for one in equal if one.pinned] or equal
    for one in pinned:
        yield After(_without(live, one), one.said_again(newest))


def as_it_is(live: Sequence[Stand], said: Said, now: datetime) -> list[After]:
    """Without a judge: one memory of the same words is confirmed, else it stands beside."""
    equal = [one for one in live if one.text == said.text and not one.has_lapsed(now)]
    if not equal or said.slot == FOR_A_WHILE:
        return [After(tuple(live), replace(newly(said), fields=frozenset()))]
    return [After(_without(live, one), one.said_again(said)) for one in equal]


def in_place_of(live: Sequence[Stand], named: Sequence[Stand], said: Said) -> After:
    rest = tuple(live)
    for one in named:
        rest = _without(rest, one)
    assert said.text
    said_at = max(said.at, *(one.said_at for one in named))
    stands = made_one(said.text, named, said_at)
    until = end_of(said.slot, said.at)
    return After(rest, replace(stands, until=until, pinned=any(one.pinned for one in named)))


def _without(live: Iterable[Stand], gone: Stand) -> tuple[Stand, ...]:
    left = list(live)
    left.remove(gone)
    return tuple(left)
