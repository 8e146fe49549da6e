"""The model of the torture: one fact for each turn, in other words on every call, and verdicts by chance."""

import re
from collections.abc import Callable
from random import Random
from typing import Any

#: A turn's token is its own: it names the scope, the conversation and the turn.
TURN = "I put parcel {token} on shelf {shelf}."
SAID = re.compile(r"parcel (\w+) on shelf (\w+)")
WORDINGS = (
    "The user {how} put parcel {token} on shelf {shelf}",
    "Parcel {token} was {how} put on shelf {shelf} by the user",
    "On shelf {shelf} the user has {how} put parcel {token}",
)
HOW = ("carefully", "gladly", "quickly", "quietly", "slowly", "lately", "gently", "neatly")
#: Turns that share a shelf: enough to be about the same thing now and then.
PER_SHELF = 12

#: Chance that a fact replaces one memory, and two.
REPLACES_ONE, REPLACES_TWO = 0.4, 0.2
#: Chance that an answer takes seconds.
SLOW = 0.01


def turn_text(token: str, number: int) -> str:
    return TURN.format(token=token, shelf=f"s{number // PER_SHELF}")


def script(rng: Random) -> Callable[[str, dict[str, Any]], Any]:
    """What it answers, by job and document."""

    def answer(job: str, document: dict[str, Any]) -> Any:
        if job == "extraction":
            return {"facts": [_fact(rng, turn) for turn in document["turns"]]}
        return _verdict(rng, document)

    return answer


def _fact(rng: Random, turn: dict[str, Any]) -> dict[str, Any]:
    said = SAID.search(turn["text"])
    token, shelf = said.groups() if said else ("none", "none")
    text = rng.choice(WORDINGS).format(token=token, shelf=shelf, how=rng.choice(HOW))
    return {
        "text": text,
        "subject": "user",
        "attribute": f"shelf {shelf}",
        "kind": "fact",
        "volatile": False,
        "turns": [turn["id"]],
        "happened_at": None,
        "until": None,
    }


def _verdict(rng: Random, document: dict[str, Any]) -> dict[str, Any]:
    """Each fact is new or replaces memories that no other fact does."""
    taken: set[str] = set()
    groups, new = [], []
    for fact in document["facts"]:
        free = [one for one in fact["candidates"] if one.startswith("c") and one not in taken]
        count = rng.choices(
            (0, 1, 2), (1 - REPLACES_ONE - REPLACES_TWO, REPLACES_ONE, REPLACES_TWO)
        )[0]
        chosen = rng.sample(free, min(count, len(free)))
        if not chosen:
            new.append(fact["id"])
            continue
        taken |= set(chosen)
        groups.append(
            {
                "why": "another parcel",
                "members": [fact["id"], *chosen],
                "relation": "update",
                "drops": [],
                "text": fact["text"],
                "after": None,
            }
        )
    return {"groups": groups, "new": new}


def slow_now_and_then(rng: Random) -> Callable[[], float]:
    """Seconds of one answer: mostly some hundredths, now and then longer than a lease."""
    return lambda: rng.uniform(1, 4) if rng.random() < SLOW else rng.uniform(0, 0.06)
