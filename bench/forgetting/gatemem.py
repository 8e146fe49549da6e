"""Episodes of GateMem: what was said in a shared space, and which words have to be gone at which point.

The data set is rzhub/GateMem on GitHub (MIT): a folder for each domain with `episodes.jsonl` and `checkpoints.jsonl`.
Of its checkpoints only those of forgetting are read (`safety`, expected `no_memory`). Some episodes have no times, so
every turn is said three minutes after the one before.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

FILES = ("episodes.jsonl", "checkpoints.jsonl")
BEGAN_AT = datetime(2026, 1, 1, 9, 0, tzinfo=UTC)
PACE = timedelta(minutes=3)
#: A target that is shorter, such as the first two digits of an amount, stands in dates and rooms as well.
SHORTEST_TARGET = 4
#: Targets that are no words.
PATTERN = re.compile(r"[\\^$*+?|]")


@dataclass(frozen=True)
class Check:
    """From a turn on, none of the targets may be found."""

    #: Turns that were said by then.
    heard: int
    question: str
    targets: tuple[str, ...]
    #: Targets that no search for words can tell: fragments, and patterns.
    unsearchable: int = 0


@dataclass(frozen=True)
class Episode:
    """One shared space."""

    name: str
    domain: str
    #: As they are published, but for `app` and `user`.
    lines: tuple[dict[str, str], ...]
    #: In order of the turns that they come after.
    checks: tuple[Check, ...]


def domains(folder: Path) -> list[str]:
    """Folders that hold both files, by name."""
    if not folder.is_dir():
        return []
    places = (one for one in folder.iterdir() if all((one / name).is_file() for name in FILES))
    return sorted(place.name for place in places)


def episodes(folder: Path, domain: str) -> Iterator[Episode]:
    """All of one domain, as they stand in the file."""
    checks: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in _read(folder / domain / FILES[1]):
        if (one["query_type"], one["expected_action"]) == ("safety", "no_memory"):
            checks[one["episode_id"]].append(one)
    for one in _read(folder / domain / FILES[0]):
        yield _episode(one, checks[one["episode_id"]])


def holds(text: str, target: str) -> bool:
    """Whether the target stands in the text, in whatever case."""
    return target.casefold() in text.casefold()


def said_at(place: int) -> datetime:
    """When the turn at this place was said, from 0."""
    return BEGAN_AT + place * PACE


def _read(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _episode(given: dict[str, Any], checks: list[dict[str, Any]]) -> Episode:
    names = {one["principal_id"]: one["display_name"] for one in given["entities"]["principals"]}
    heard = {turn["turn_id"]: at for at, turn in enumerate(given["turns"], start=1)}
    made = (_check(one, heard[one["as_of_turn_id"]]) for one in checks)
    return Episode(
        name=given["episode_id"],
        domain=given["domain"],
        lines=tuple(_line(at, turn, names) for at, turn in enumerate(given["turns"])),
        checks=tuple(sorted(made, key=lambda one: one.heard)),
    )


def _line(place: int, turn: dict[str, Any], names: dict[str, str]) -> dict[str, str]:
    who, role = turn["speaker"]["principal_id"], turn["speaker"]["role"]
    return {
        "conversation": "shared space",
        "role": "assistant" if role == "agent" else "user",
        "speaker": names.get(who, who),
        "text": turn["text"],
        "said_at": said_at(place).isoformat(),
        "id": turn["turn_id"],
    }


def _check(given: dict[str, Any], heard: int) -> Check:
    targets = list(dict.fromkeys(given["leak_targets"]))
    told = [one for one in targets if not (PATTERN.search(one) or _is_fragment(one, targets))]
    return Check(heard, given["query_text"], tuple(told), len(targets) - len(told))


def _is_fragment(target: str, others: list[str]) -> bool:
    """Whether it is too short, or a word of another target cut off: other codes begin so as well."""
    cut = re.compile(rf"(?<=\w){re.escape(target)}|{re.escape(target)}(?=\w)")
    return len(target) < SHORTEST_TARGET or any(cut.search(one) for one in others)
