"""Streams of our own: people say things again, change them, say them late, for a while, or ask to forget them. Pure.

The sentences are `bench/quality/sayings.json`, in several languages and scripts. Of the first half of the people the
language is English, which the rules read; all of it a model may read. The same seed makes the same streams.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Literal

from bench.quality.stream import Needs, Said, Slot, Stream, Thing, Truth

SAYINGS = Path(__file__).parent / "sayings.json"
FIRST_AT = datetime(2024, 3, 4, 9, 0, tzinfo=UTC)
#: From the first thing said to the last.
DAYS = 300
#: Turns that arrive together.
SESSION = 10
#: How long what is over by the end was to last, and what is not, in days.
SHORT, LONG = 10, 400
#: Turns that say nothing, for each that does.
CHATTER = 0.4

#: How a value is told: plainly, in other words, as a change, long after it was said, for a while, as to be forgotten.
Form = Literal["say", "again", "change", "late", "short", "long", "forget"]


@dataclass(frozen=True)
class _Fate:
    """What becomes of a slot: which of its values is told when, and which are true and have been."""

    told: tuple[tuple[Form, int], ...]
    current: int | None
    earlier: tuple[int, ...] = ()


FATES: dict[str, _Fate] = {
    "again": _Fate((("say", 0), ("again", 0), ("say", 0)), 0),
    "changed": _Fate((("say", 0), ("change", 1)), 1, (0,)),
    "twice changed": _Fate((("say", 0), ("change", 1), ("change", 2)), 2, (0, 1)),
    "late": _Fate((("late", 0), ("say", 1)), 1, (0,)),
    "over": _Fate((("say", 0), ("short", 1)), 0, (1,)),
    "back": _Fate((("say", 0), ("change", 1), ("change", 0)), 0, (0, 1)),
    "forgotten": _Fate((("say", 0), ("forget", 0)), None),
    "for now": _Fate((("say", 0), ("long", 1)), 1, (0,)),
    "plain": _Fate((("say", 0),), 0),
}


@cache
def sayings() -> dict[str, Any]:
    """Language → its sentences."""
    loaded: dict[str, Any] = json.loads(SAYINGS.read_text(encoding="utf-8"))
    return loaded


def streams(seed: int, people: int) -> list[Stream]:
    """So many scopes, each of one person."""
    return [stream(seed, nth, language) for nth, language in enumerate(_languages(people))]


def _languages(people: int) -> Iterator[str]:
    first, *others = sayings()
    for nth in range(people):
        yield first if nth % 2 == 0 else others[nth // 2 % len(others)]


@dataclass
class _Made:
    """What has been written of one person so far."""

    who: str
    words: dict[str, Any]
    chance: Random
    #: Said, and how many days after that it arrives.
    said: list[tuple[Said, float]] = field(default_factory=list)
    slots: list[Slot] = field(default_factory=list)
    things: list[Thing] = field(default_factory=list)
    forbidden: list[Needs] = field(default_factory=list)
    forgotten: list[Needs] = field(default_factory=list)

    def say(self, text: str, day: float, late: float = 0, role: str = "user") -> None:
        at = FIRST_AT + timedelta(days=day)
        said = (
            Said("", self.who, text, at)
            if role == "user"
            else Said("", "Assistant", text, at, "assistant")
        )
        self.said.append((said, late))

    def days(self, many: int) -> list[float]:
        """Moments in order, at least two weeks apart."""
        step = DAYS / many
        return [step * nth + self.chance.uniform(0, max(0.0, step - 14)) for nth in range(many)]


def stream(seed: int, nth: int, language: str) -> Stream:
    """One person's."""
    chance = Random(f"{seed} {nth} {language}")
    words = sayings()[language]
    made = _Made(chance.choice(words["names"]), words, chance)
    fates = chance.sample(list(FATES), len(FATES))
    for at, slot in enumerate(words["slots"]):
        _slot(made, slot, FATES[fates[at % len(fates)]])
    _things(made)
    _alike(made)
    _unsaid(made)
    _chatter(made)
    truth = Truth(
        tuple(made.slots), tuple(made.things), tuple(made.forbidden), tuple(made.forgotten)
    )
    return Stream(
        f"made-{seed}-{nth}-{language}",
        _sessions(made.said),
        truth,
        FIRST_AT + timedelta(days=DAYS + 30),
    )


def _slot(made: _Made, given: dict[str, Any], fate: _Fate) -> None:
    values = made.chance.sample(given["values"], 3)
    say, again = made.chance.sample(given["say"], 2)
    days, before = made.days(3), ""
    for (form, which), day in zip(fate.told, days, strict=False):
        value, late = values[which], 0.0
        end = FIRST_AT + timedelta(days=day + (SHORT if form == "short" else LONG))
        forms = {
            "again": again,
            "change": made.chance.choice(given["change"]),
            "short": made.chance.choice(given["temporary"]),
            "forget": made.chance.choice(made.words["forget"]).format(said=say),
        }
        text = forms.get("short" if form == "long" else form, say)
        if form == "late":
            # It arrives after what has taken its place.
            late = days[1] - day + 20
        made.say(text.format(v=value, w=before, end=end.date().isoformat()), day, late)
        before = value
    _note(made, given, fate, values)


def _note(made: _Made, given: dict[str, Any], fate: _Fate, values: Sequence[str]) -> None:
    if fate.current is None:
        made.forgotten.append((values[0],))
        return
    about = (given.get("about", made.who),)
    earlier = tuple(values[which] for which in fate.earlier)
    passing = tuple(values[which] for form, which in fate.told if form == "short")
    made.slots.append(Slot(given["name"], about, values[fate.current], earlier, passing))


def _things(made: _Made) -> None:
    for given in made.words["things"]:
        for text, day in zip(given["says"], made.days(len(given["says"])), strict=True):
            made.say(text, day)
        made.things.append(
            Thing(given["needs"][0], tuple(given["needs"]), tuple(given.get("details", ())))
        )


def _alike(made: _Made) -> None:
    """Two of each kind, which differ in one number or name, and those hardly."""
    for form in made.words["alike"]:
        number = made.chance.randint(8100, 8800)
        numbers = (number, number + made.chance.choice((1, 10, 1000)))
        names = made.chance.choice(made.words["people"])
        for n, m, day in zip(numbers, names, made.days(2), strict=True):
            text = form.format(n=n, m=m)
            made.say(text, day)
            # The name or number, and all the rest in any words.
            key = m if "{m}" in form else f"E{n}" if "E{n}" in form else str(n)
            made.things.append(Thing(text, (key, f"~{text}")))


def _unsaid(made: _Made) -> None:
    """What nobody said of themselves."""
    values = made.chance.sample(made.words["unsaid_words"], len(made.words["unsaid"]))
    for (role, form), value, day in zip(
        made.words["unsaid"], values, made.days(len(values)), strict=True
    ):
        made.say(form.format(v=value), day, role=role)
        made.forbidden.append((value,))


def _chatter(made: _Made) -> None:
    for _ in range(int(CHATTER * len(made.said))):
        day = made.chance.uniform(0, DAYS)
        made.say(made.chance.choice(made.words["thanks"]), day)
        made.say(made.chance.choice(made.words["replies"]), day + 0.001, role="assistant")


def _sessions(said: Sequence[tuple[Said, float]]) -> tuple[tuple[Said, ...], ...]:
    """In the order in which they arrive."""
    arrived = sorted(said, key=lambda one: one[0].said_at + timedelta(days=one[1]))
    named = [
        Said(f"talk {at // SESSION}", one.speaker, one.text, one.said_at, one.role)
        for at, (one, _) in enumerate(arrived)
    ]
    return tuple(tuple(named[at : at + SESSION]) for at in range(0, len(named), SESSION))
