"""What a verdict does to a memory, compared with the right one.

Relations of two statements: those of groups, and `new` where they have nothing to do with each other. At the store
there is also `waits`: nothing was done, because the judgment failed or a person has to look at it.
"""

from collections import Counter
from dataclasses import dataclass

from bench.judge.items import RELATIONS

WAITS = "waits"
COLUMNS = (*RELATIONS, WAITS)
#: The store does the same about both: what was known is replaced.
CHANGES = ("update", "contradict")

#: What is lost, in words for people; the order is that of tables.
HARMS = {
    "destroyed": "a memory that holds was replaced, or forgotten",
    "swallowed": "what is new was taken for known, and stands nowhere",
    "stale": "what holds no longer stands beside what is new",
    "kept": "what a person asked to forget is still there",
}
#: What costs nothing but room or calls.
FLAWS = {
    "repeated": "what was known stands twice",
    "rewritten": "what was known was replaced by other words for it",
    WAITS: "nothing was done",
}


def effect(right: str, got: str, *, only_adds: bool = False) -> str | None:
    """The name of what goes wrong; nothing where the store does what is right.

    What `only_adds` leaves what was known true.
    """
    if got == right or (got in CHANGES and right in CHANGES):
        return None
    if got == WAITS:
        return WAITS
    if right == "forget":
        return "kept"
    if got == "forget":
        return "destroyed"
    if right == "same":
        return "repeated" if got == "new" else "rewritten"
    if got == "same":
        return "swallowed"
    if right == "new":
        return "destroyed"
    return "repeated" if only_adds else "stale"


@dataclass(frozen=True)
class Judged:
    """Two statements of an item."""

    #: Their labels.
    pair: tuple[str, str]
    right: str
    #: The judge's first word.
    said: str
    #: What became of it.
    stored: str
    #: Whether the one was offered to the other at all.
    is_offered: bool
    #: Whether what was known is true as well.
    only_adds: bool = False

    @property
    def feared(self) -> str | None:
        """What the first word would have done."""
        return effect(self.right, self.said, only_adds=self.only_adds)


@dataclass(frozen=True)
class Result:
    """What became of one item, and what it cost."""

    id: str
    kind: str
    language: str
    pairs: tuple[Judged, ...]
    #: Patterns of what should stand and does not, or stands and should not.
    words: tuple[str, ...] = ()
    #: Facts that were stored beside what they were judged with, for sleep to look at.
    flagged: int = 0
    #: Readable replies that broke a rule.
    refused: int = 0
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    live: tuple[str, ...] = ()
    #: Why there is no judgment at all.
    failure: str | None = None

    #: Whether the item says which words have to stand.
    is_spelled_out: bool = False

    def became(self, pair: Judged) -> str | None:
        """What went wrong at the store. What was taken for known and yet stands in full was not swallowed."""
        found = effect(pair.right, pair.stored, only_adds=pair.only_adds)
        stands = self.is_spelled_out and not self.words
        return "rewritten" if found == "swallowed" and stands else found

    @property
    def effects(self) -> Counter[str]:
        """At the store, by name."""
        return Counter(filter(None, map(self.became, self.pairs)))

    @property
    def harms(self) -> Counter[str]:
        return Counter({name: n for name, n in self.effects.items() if name in HARMS})

    @property
    def is_right(self) -> bool:
        """Whether all is as it should be."""
        return not self.effects and not self.words
