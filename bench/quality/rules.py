"""The rules that need no judge. Each is given the facts that the same extraction found: only judging differs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from bench.quality.contestants import Heard, Look, Played, stated
from bench.quality.held import Held, Kept, Past
from bench.quality.likeness import Likeness
from bench.quality.stream import Stream
from bench.quality.words import statement
from schemas.memory import Fact
from worker.core.texts.words import normalised

#: A fact and the live ones → places of those that it takes the place of.
About = Callable[[Fact, Sequence[Fact]], list[int]]


@dataclass(frozen=True)
class Rule:
    """Keeps every fact, but what it is about gives way: the later said stands, the other is history.

    Questions are answered by the nearest of what is live, where it is known how near texts are.
    """

    name: str
    about: About
    likeness: Likeness | None = None
    lacks: frozenset[str] = frozenset()

    def play(self, stream: Stream, heard: Heard) -> Played:
        ledger, looks = _Ledger(), list[Look]()
        for after, facts in enumerate(heard, 1):
            for fact in facts:
                ledger.hear(fact, self.about(fact, [one for _, one in ledger.live]))
            looks += [
                Look(ledger.held(), stated(heard, after))
                for moment in stream.before
                if moment.after == after
            ]
        last = Look(ledger.held(), stated(heard, len(heard)), self._hits(stream, ledger))
        return Played((*looks, last), heard)

    def _hits(self, stream: Stream, ledger: "_Ledger") -> tuple[tuple[str, ...], ...]:
        if self.likeness is None:
            return ()
        live = [one for _, one in ledger.live]
        texts = [one.text for one in live]
        nearest = (self.likeness.nearest(one.text, texts) for one in stream.questions)
        return tuple(tuple(_told(live[place]) for place in places) for places in nearest)


def _told(fact: Fact) -> str:
    return statement(fact.subject, fact.text)


@dataclass
class _Ledger:
    live: list[tuple[str, Fact]] = field(default_factory=list)
    past: list[Past] = field(default_factory=list)
    count: int = 0

    def hear(self, fact: Fact, places: Sequence[int]) -> None:
        """A request to forget removes what it is about, and leaves no history of it."""
        found = [self.live[place] for place in places]
        for place in sorted(places, reverse=True):
            del self.live[place]
        if fact.kind == "forget":
            return
        self.count += 1
        among = [*found, (str(self.count), fact)]
        newest = max(reversed(among), key=lambda one: one[1].said_at)
        self.live.append(newest)
        for id, older in among:
            if (id, older) != newest:
                self.past.append(Past(id, _told(older), older.said_at, newest[0]))

    def held(self) -> Held:
        live = (Kept(id, _told(one)) for id, one in self.live)
        return Held(tuple(live), tuple(self.past))


def add_only(likeness: Likeness | None = None) -> Rule:
    return Rule("add only", lambda _fact, _live: [], likeness)


def same_slot(likeness: Likeness | None = None) -> Rule:
    """The same subject and attribute, as extraction names them, or the same words."""
    plain = cache(normalised)

    def about(fact: Fact, live: Sequence[Fact]) -> list[int]:
        words, slot = plain(fact.text), fact.slot
        return [
            place
            for place, one in enumerate(live)
            if (slot and slot == one.slot) or plain(one.text) == words
        ]

    return Rule("same slot", about, likeness)


def newest_wins(least: float, likeness: Likeness) -> Rule:
    """The nearest live fact gives way where its cosine is high enough."""

    def about(fact: Fact, live: Sequence[Fact]) -> list[int]:
        best = likeness.nearest(fact.text, [one.text for one in live], many=1)
        return [place for place in best if likeness.cosine(fact.text, live[place].text) >= least]

    return Rule(f"cosine {least:g}", about, likeness)


def vectors_needed(streams: Sequence[Stream], heard: Mapping[str, Heard]) -> list[str]:
    """Texts that the rules compare: of all facts and questions."""
    facts = (one.text for found in heard.values() for facts in found for one in facts)
    asked = (one.text for stream in streams for one in stream.questions)
    return sorted({*facts, *asked})
