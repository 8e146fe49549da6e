"""A scope to be tidied, of which it is known what is said twice, what is over, and what only looks alike. Pure."""

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, Literal

from bench.sleep.rewording import reworded
from bench.sleep.sayings import NAMES, SEVERAL, SLOTS
from worker.core.evaluating.locomo import WHEN

Kind = Literal["plain", "twice", "over", "alike"]

#: Of all statements, the share that is planted of each kind.
TWICE, OVER, ALIKE = 0.10, 0.10, 0.10
#: Of what is said twice, the share that is said a third time.
THRICE = 0.2
#: What is planted later is said so many days later, at least and at most.
LATER = (1, 300)

NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.,]*\d)")
NAME = re.compile(r"(?<=[a-z] )[A-Z][a-z]+\b")


@dataclass(frozen=True)
class Said:
    """One statement as it was said, and what is known of it."""

    text: str
    subject: str
    at: datetime
    kind: Kind = "plain"
    #: What it is about: statements about one thing belong together, any others do not.
    thing: str = ""
    #: Whether a later one says that it is true no more.
    is_over: bool = False
    #: What of it is then no longer true.
    value: str = ""


def facts(data: Sequence[dict[str, Any]]) -> Iterator[Said]:
    """What LoCoMo's own annotators found, each at the time of its session, of people with their own names."""
    for sample in data:
        for n in count(1):
            found = sample["observation"].get(f"session_{n}_observation")
            if found is None:
                break
            began = sample["conversation"][f"session_{n}_date_time"]
            at = datetime.strptime(began, WHEN).replace(tzinfo=UTC)
            for who, observed in found.items():
                yield from (Said(text, who, at) for text, _ in observed)


def planted(known: Iterable[Said], many: int, seed: int) -> list[Said]:
    """So many statements in the order they were said; no two at one time, nor in the same words."""
    chance = random.Random(seed)
    known = list({one.text: one for one in known}.values())
    chance.shuffle(known)
    people = sorted({one.subject for one in known})
    made = [
        *_twice(known, round(TWICE * many), chance),
        *_over(people, round(OVER * many), chance),
        *_alike(known, people, round(ALIKE * many), chance),
    ]
    uses = Counter(one.text for one in made)
    clashing = {_together(one) for one in made if uses[one.text] > 1}
    made = [one for one in made if _together(one) not in clashing]
    used = {one.text for one in made}
    plain = (
        Said(one.text, one.subject, one.at, thing=f"plain {at}")
        for at, one in enumerate(known)
        if one.text not in used
    )
    made += [one for one, _ in zip(plain, range(many - len(made)), strict=False)]
    return _apart(made)


def _together(one: Said) -> str:
    return twin(one) if one.kind == "alike" else one.thing


def _apart(made: Iterable[Said]) -> list[Said]:
    """Each a second later than the one before, at least."""
    found: list[Said] = []
    for one in sorted(made, key=lambda one: one.at):
        least = found[-1].at + timedelta(seconds=1) if found else one.at
        found.append(replace(one, at=max(one.at, least)))
    return found


def _later(at: datetime, chance: random.Random) -> datetime:
    return at + timedelta(days=chance.uniform(*LATER))


def _twice(known: list[Said], many: int, chance: random.Random) -> Iterator[Said]:
    """So many in other words, with what they repeat; takes it from what is known."""
    left = many
    while left > 0 and known:
        one = known.pop()
        texts = [one.text]
        for _ in range(2 if left > 1 and chance.random() < THRICE else 1):
            text = reworded(one.text, one.subject, chance)
            if text not in texts:
                texts.append(text)
        if len(texts) == 1:
            continue
        left -= len(texts) - 1
        for at, text in enumerate(texts):
            when = _later(one.at, chance) if at else one.at
            yield Said(text, one.subject, when, "twice", f"twice {one.text}")


def _over(people: Sequence[str], many: int, chance: random.Random) -> Iterator[Said]:
    """Half of so many, each with what took its place."""
    slots = [(who, slot) for who in people for slot in SLOTS]
    for who, (was, now, values) in chance.sample(slots, min(many // 2, len(slots))):
        old, new = chance.sample(values, 2)
        at = datetime(2022, 6, 1, tzinfo=UTC) + timedelta(days=chance.uniform(0, 400))
        thing = f"over {who} {was}"
        yield Said(was.format(x=who, v=old), who, at, "over", thing, is_over=True, value=old)
        yield Said(now.format(x=who, v=new, w=old), who, _later(at, chance), "over", thing)


def _alike(
    known: list[Said], people: Sequence[str], many: int, chance: random.Random
) -> Iterator[Said]:
    """Half of so many, each with one that differs in one number or one name: half of them of what is known."""
    taken = [one for one in known if other_detail(one, chance) is not None][: many // 4]
    for nth, one in enumerate(taken):
        other = other_detail(one, chance) or ""
        yield Said(one.text, one.subject, one.at, "alike", f"alike {nth} a")
        yield Said(other, one.subject, _later(one.at, chance), "alike", f"alike {nth} b")
    asked = [(who, form) for who in people for form in SEVERAL]
    for who, form in chance.sample(asked, min(many // 2 - len(taken), len(asked))):
        at = datetime(2022, 6, 1, tzinfo=UTC) + timedelta(days=chance.uniform(0, 400))
        numbers, names = chance.sample(range(11, 999), 2), chance.sample(NAMES, 2)
        for when, which, n, m in zip((at, _later(at, chance)), "ab", numbers, names, strict=True):
            thing = f"alike {who} {form} {which}"
            yield Said(form.format(x=who, n=n, m=m), who, when, "alike", thing)


def other_detail(one: Said, chance: random.Random) -> str | None:
    """With another number or, where it has none, another person; null where it has neither."""
    if found := NUMBER.search(one.text):
        other = str(int(found[0]) + chance.randint(1, 9))
        return re.sub(rf"(?<!\w){found[0]}(?!\w)", other, one.text)
    names = [name for name in NAME.findall(one.text) if name != one.subject]
    return re.sub(rf"\b{names[0]}\b", chance.choice(NAMES), one.text) if names else None


def twin(one: Said) -> str:
    """Of two that look alike, what both have."""
    return one.thing[:-2]


def crowd(known: Iterable[Said], many: int, seed: int) -> list[Said]:
    """So many plain statements: of what is known, and then the same of further people; the first are always there."""
    known = list({one.text: one for one in known}.values())
    random.Random(seed).shuffle(known)
    rounds, rest = divmod(many, len(known))
    found = [
        Said(one.text, f"{one.subject} {nth or ''}".strip(), one.at)
        for nth in range(rounds + 1)
        for one in (known if nth < rounds else known[:rest])
    ]
    return [replace(one, thing=f"plain {at}") for at, one in enumerate(found)]


def again(one: Said, at: datetime, chance: random.Random) -> Said:
    """The same in other words."""
    return replace(one, text=reworded(one.text, one.subject, chance), at=at)
