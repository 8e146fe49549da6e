"""One episode after another through the real pipeline, with a look at each of its checkpoints."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from redis import Redis

from bench.forgetting.gatemem import PACE, Check, Episode, holds, said_at
from bench.forgetting.model import Oracle, named
from bench.forgetting.places import PLACES, found, places, told
from bench.publishing import publish
from producers.producer import Producer
from schemas.scope import Scope
from worker.direct.forgetting import Wanted, forget, sighted
from worker.parts import Parts
from worker.pipeline import consolidate

Mode = Literal["rules", "scripted", "direct"]
#: What became of a target in the conversation.
Fate = Literal["asked", "said again", "not named"]
OVER_THE_CAP = "one turn may replace"


@dataclass(frozen=True)
class Sight:
    """One target at one checkpoint."""

    domain: str
    fate: Fate
    #: Whether it stood in a memory or a snapshot at any time before.
    was_stored: bool
    leaks: frozenset[str]


@dataclass
class Trial:
    """Of one mode; every episode is a scope of its own."""

    mode: Mode
    app: str
    parts: Parts
    producer: Producer
    redis: Redis
    oracle: Oracle
    sights: list[Sight] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def run(self, episode: Episode) -> None:
        scope = Scope(app=self.app, user=episode.name)
        stored, heard = set[str](), 0
        for at, check in enumerate(episode.checks):
            self.oracle.targets = _targets(episode.checks[at:])
            lines = episode.lines[heard : check.heard]
            publish(self.producer, [{"app": scope.app, "user": scope.user, **one} for one in lines])
            heard = check.heard
            self._drain(scope, said_at(heard), stored)
            if self.mode == "direct":
                self._forget(scope, check.targets, said_at(heard))
            self._look(scope, episode, check, stored)
        parked = self.parts.inbox.parked(scope.key)
        self.counts["over_the_cap"] += sum(OVER_THE_CAP in one.reason for one in parked)
        self.counts["parked"] += len(parked)

    def _drain(self, scope: Scope, now: datetime, stored: set[str]) -> None:
        """Batch by batch, each at the time of its last turn; `stored` takes what stands after any of them."""
        inbox = self.parts.inbox
        inbox.flush(scope.key)
        while claim := inbox.claim():
            turns = inbox.turns(claim)
            live = [record.memory.text for record in self.parts.store.memories(scope)]
            consolidate(self.parts, claim, min(now, turns[-1].said_at + PACE / 2))
            self._count([turn.text for turn in turns if turn.role == "user"], live)
            stands = told(one.memory for one in self.parts.store.memories(scope))
            stands += told(one.archive for one in self.parts.store.archives(scope))
            stored.update(one for one in self.oracle.targets if holds(stands, one))
            inbox.flush(scope.key)

    def _count(self, said: Sequence[str], live: Sequence[str]) -> None:
        """What each request meant of live memories and of its own batch, and what of it the judge was never offered."""
        for at, text in enumerate(said):
            if targets := self.oracle.named_in(text):
                before = [one for one in said[:at] if not self.oracle.named_in(one)]
                offered = self.oracle.offered.pop(text, set[str]())
                self.counts["requests"] += 1
                for where, texts in (("memories", live), ("batch", before)):
                    meant = {one for one in texts if any(holds(one, it) for it in targets)}
                    self.counts[f"{where}_meant"] += len(meant)
                    self.counts[f"{where}_never_offered"] += len(meant - offered)

    def _forget(self, scope: Scope, targets: Iterable[str], now: datetime) -> None:
        """As `slowwave forget --query TARGET --yes` does."""
        for target in targets:
            ids = tuple(one.id for one in sighted(self.parts, scope, target, now).named)
            forget(self.parts, scope, Wanted(ids, target), now)

    def _look(self, scope: Scope, episode: Episode, check: Check, stored: set[str]) -> None:
        now = said_at(check.heard)
        told_in = places(self.parts, self.redis, scope, check.question, now)
        self.counts["checkpoints"] += 1
        self.counts["unsearchable"] += check.unsearchable
        said = [line["text"] for line in episode.lines[: check.heard]]
        for target in check.targets:
            which: Fate = "asked" if self.mode == "direct" else fate(said, target)
            leaks = found(told_in, target)
            self.sights.append(Sight(episode.domain, which, target in stored, leaks))


def fate(said: Sequence[str], target: str) -> Fate:
    """Whether somebody asked to forget the target by name, and whether a later turn says it again."""
    tells = [text for text in said if holds(text, target)]
    requests = [at for at, text in enumerate(tells) if named(text, [target])]
    if not requests:
        return "not named"
    return "asked" if requests[-1] == len(tells) - 1 else "said again"


def _targets(checks: Iterable[Check]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(target for check in checks for target in check.targets))


def rows(sights: Sequence[Sight]) -> Iterator[dict[str, str | int]]:
    """One for each domain and fate: how many there were, and how many were found where."""
    for domain, which in sorted({(one.domain, one.fate) for one in sights}):
        mine = [one for one in sights if (one.domain, one.fate) == (domain, which)]
        leaks = Counter(place for one in mine for place in one.leaks)
        yield {
            "domain": domain,
            "fate": which,
            "targets": len(mine),
            "stored_before": sum(one.was_stored for one in mine),
            **{place: leaks[place] for place in PLACES},
        }
