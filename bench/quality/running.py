"""A run: all contestants on all sets, one after the other."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product

from bench.model.trial import Trial, opened
from bench.quality.contestants import Heard, Tell
from bench.quality.hearing import Cached
from bench.quality.likeness import Likeness
from bench.quality.match import Row, Set, baselines, played
from bench.quality.peer import Peer, PeerResolver, neatmem
from bench.quality.rules import vectors_needed
from bench.quality.slowwave import Slowwave
from worker.core.groups.setting import DetectorName, Resolver
from worker.interfaces.cli.output import progress
from worker.settings import Settings


@dataclass(frozen=True)
class Entrants:
    """Who takes part beside the rules."""

    detectors: Sequence[DetectorName]
    resolvers: Sequence[Resolver]
    #: Of the peer; none without it.
    peers: Sequence[PeerResolver] = ()
    #: Whether each turn of a person is a fact.
    is_verbatim: bool = False
    #: Whether the peer's own extraction can be measured; else it is given our facts.
    is_own: bool = False


def rows(given: Settings, sets: Sequence[Set], who: Entrants) -> Iterator[Row]:
    """Raises `SlowwaveError`, `PeerFailed`, and `Missing` of `bench.peers`."""
    with opened(given) as trial:
        embedder = Cached(trial.parts.embedder)
        for of in sets:
            yield from _of_set(of, trial, embedder, who)


def _of_set(of: Set, trial: Trial, embedder: Cached, who: Entrants) -> Iterator[Row]:
    first: Mapping[str, Heard] = {}
    for detector, resolver in product(who.detectors, who.resolvers):
        name = f"slowwave {detector} + {resolver}"
        with _told(of, name) as tell:
            one = Slowwave(trial, detector, resolver, embedder, who.is_verbatim, tell)
            found, heard = played(of, one, first)
        first = first or heard
        yield from found
    for peer in who.peers:
        name = f"neatmem {peer}"
        with (
            _told(of, name) as tell,
            neatmem(trial.parts.settings, embedder, peer) as talk,
        ):
            other = Peer(name, talk, not who.is_own, not who.is_verbatim, tell)
            yield from played(of, other, first)[0]
    with _told(of, "rules"):
        texts = vectors_needed(of.streams, first)
        vectors = dict(zip(texts, embedder.embed(texts), strict=True)) if texts else {}
        yield from baselines(of, first, Likeness(vectors))


@contextmanager
def _told(of: Set, name: str) -> Iterator[Tell]:
    """A bar of turns at a terminal; anywhere a line once it is done."""
    what = f"{of.name}, {name}" if of.seed is None else f"{of.name}, seed {of.seed}, {name}"
    with progress() as bar:
        task = bar.add_task(what, total=of.turns)
        yield lambda turns: bar.advance(task, turns)
    print(f"done: {what}", file=sys.stderr, flush=True)
