"""What a plan is made under: which run, of which turns, when, by which rules."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import JsonValue

from schemas.plan import RunKind, Usage
from schemas.scope import Scope
from schemas.turn import Turn

Resolver = Literal["keep", "replace", "rewrite"]

#: What an update writes, in words for people.
RESOLVERS: dict[Resolver, str] = {
    "keep": "old and new stay side by side, linked",
    "replace": "the newest words stand, the archive keeps the rest",
    "rewrite": "one text stands that loses no detail, as the guard sees to",
}

#: How facts are put to a judge: see `worker.core.judging.detectors`.
DetectorName = Literal["add_only", "pointwise", "listwise", "listwise_multitarget", "batchwise"]

#: What sleep does: see `worker.core.sleeping`.
PassName = Literal[
    "re-embed", "expire", "tidy", "flags", "forget", "retention", "unfounded", "insights"
]

#: Kinds of facts that are judged however little is new in them.
ALWAYS_JUDGED = frozenset({"instruction", "forget"})


@dataclass(frozen=True)
class Policy:
    """What a deployment allows."""

    #: Memories that the facts of one turn may replace.
    max_replaced_per_turn: int = 3
    #: Store what only the assistant or a tool said.
    remember_assistant: bool = False
    resolver: Resolver = "rewrite"


@dataclass(frozen=True)
class Account:
    """Where a plan came from, for its run: no decision depends on it."""

    facts: int = 0
    dropped: Mapping[str, int] = field(default_factory=dict)
    model: str = ""
    prompts: Mapping[str, str] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    #: Fingerprint of the embedder that made the vectors.
    embedder: str = ""


@dataclass(frozen=True)
class Setting:
    """Everything about a plan but the judgment: which run, of which turns, when, under which rules."""

    run: UUID
    scope: Scope
    turns: tuple[Turn, ...]
    now: datetime
    kind: RunKind = "batch"
    policy: Policy = field(default_factory=Policy)

    def metadata(self, turn_ids: Iterable[UUID]) -> dict[str, JsonValue]:
        """The callers' fields of these turns, the latest turn's value standing."""
        by_id = {turn.id: turn for turn in self.turns}
        merged: dict[str, JsonValue] = {}
        for id in turn_ids:
            merged |= by_id[id].metadata if id in by_id else {}
        return merged
