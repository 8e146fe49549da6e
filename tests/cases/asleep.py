"""Whole nights with a scripted model: what it is shown, and what it says of it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.cases.verdicts import Reply, Thing
from tests.desk import Desk, scripted

#: The texts of one question, the one that it is about first → what is said to be one.
Verdict = Callable[[Sequence[str]], Sequence[Thing]]


@dataclass
class AtNight:
    """Answers `reorganize`."""

    verdict: Verdict
    shown: list[tuple[str, ...]] = field(default_factory=list)

    def __call__(self, job: str, document: dict[str, Any]) -> Reply:
        assert job == "reorganize", "nothing else is asked at night"
        ids = {one["text"]: one["id"] for one in document["memories"]}
        self.shown.append((*ids,))
        things = self.verdict((*ids,))
        groups = [{**one.told, "members": [ids[text] for text in one.texts]} for one in things]
        grouped = {id for group in groups for id in group["members"]}
        return {"groups": groups, "new": [id for id in ids.values() if id not in grouped]}

    def heard(self) -> list[tuple[str, ...]]:
        """What it was shown since the last time."""
        heard, self.shown = sorted(self.shown), []
        return heard


@contextmanager
def asleep(table: Desk, verdict: Verdict, **settings: Any) -> Iterator[AtNight]:
    """At this table it is night, under the settings that are named."""
    model = AtNight(verdict)
    with scripted(table, model, **settings):
        yield model


def separate(_: Sequence[str]) -> Sequence[Thing]:
    return ()


def those(*things: Thing) -> Verdict:
    """Says so of each of these that it is shown whole."""

    def verdict(texts: Sequence[str]) -> Sequence[Thing]:
        return [one for one in things if {*one.texts} <= {*texts}]

    return verdict
