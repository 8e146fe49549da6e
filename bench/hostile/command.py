"""Whatever a judge replies, the promises hold: `python -m bench hostile --replies 10000 --seed 1`.

Each reply goes the whole way, judged → plan → apply, under any detector and resolver, on a real store with a scope that
grows; then all that the store holds is compared with what it held before. Exits 1 if a promise broke.
"""

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import NoReturn, get_args
from uuid import uuid5

from bench.hostile.checks import Change, broken, stock
from bench.hostile.replies import reply
from bench.hostile.talk import SPACE, Batch, batch, beginning
from schemas.plan import Plan
from schemas.scope import Scope
from worker.adapters.apply import apply
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.adapters.model import Completion, Message, Model, Tally
from worker.adapters.stores.opening import open_store
from worker.core.finding.candidates import Reach, candidacy, queries
from worker.core.groups.judgment import MAX_GROUP, Candidacy, Groups
from worker.core.groups.setting import DetectorName, Policy, Resolver, Setting
from worker.core.judging.detectors import DETECTORS, judging
from worker.core.judging.pieces import CallSize
from worker.core.planning.plan import new_texts, plan
from worker.core.ports import Store
from worker.core.step import Prompt, UnreadableReply
from worker.judging import judged

RESOLVERS: tuple[Resolver, ...] = get_args(Resolver)
#: Batches after which another scope begins.
SCOPE_LENGTH = 60
#: Messages of a first question; more of them tell what was wrong with a reply.
ASKED = 2
#: Faults that are told; all are counted.
TOLD = 20


@dataclass(frozen=True)
class Alone:
    """A lease that nobody else wants."""

    fence: int = 1

    def check(self) -> None:
        pass

    def overtaken(self, fence: int) -> NoReturn:
        raise AssertionError(f"somebody else wrote under fence {fence}")


@dataclass
class Report:
    """What happened."""

    counts: Counter[str] = field(default_factory=Counter)
    #: What broke, with the number of the reply.
    faults: list[str] = field(default_factory=list)

    def document(self) -> dict[str, int]:
        return {**dict(sorted(self.counts.items())), "broken": len(self.faults)}


@dataclass(frozen=True)
class Liar:
    """A chat that answers anything."""

    rng: Random
    report: Report

    def complete(self, prompt: Prompt, messages: Sequence[Message]) -> Completion:
        self.report.counts["replies"] += 1
        self.report.counts["refused"] += len(messages) > ASKED
        return Completion(reply(self.rng, prompt))

    def close(self) -> None:
        pass


@dataclass
class Trial:
    """Replies at random, the same for the same seed."""

    store: Store
    embedder: HashedEmbedder
    #: Null: one at random for each batch.
    detector: DetectorName | None
    rng: Random
    report: Report = field(default_factory=Report)

    def run(self, replies: int, prefix: str) -> None:
        """In scopes one after another, beside one that nobody speaks in."""
        alone = self._begun(f"{prefix} alone")
        untouched = stock(self.store, alone)
        scope, at = alone, SCOPE_LENGTH
        while self.report.counts["replies"] < replies:
            if at == SCOPE_LENGTH:
                scope, at = self._begun(f"{prefix} {self.report.counts['replies']}"), 0
            before = self.report.counts["replies"]
            self._one(scope, at)
            if stock(self.store, alone) != untouched:
                self.report.faults.append(f"reply {before}: another scope changed")
            at += 1

    def _begun(self, user: str) -> Scope:
        scope = Scope(app="hostile", user=user)
        writer = self.store.writer(scope, Alone())
        writer.prepare()
        writer.put_memories(beginning(self.rng, scope, self.embedder))
        self.report.counts["scopes"] += 1
        return scope

    def _one(self, scope: Scope, at: int) -> None:
        rng, said = self.rng, batch(self.rng, scope, at)
        policy = Policy(
            max_replaced_per_turn=rng.choice((1, 3)),
            remember_assistant=rng.random() < 0.5,  # noqa: PLR2004 - even odds
            resolver=rng.choice(RESOLVERS),
        )
        before = stock(self.store, scope)
        case = self._case(scope, said)
        asked = self.report.counts["replies"]
        groups = self._judged(case, policy.resolver)
        if groups is None:
            return
        made = self._planned(scope, said, case, groups, policy)
        for _ in range(rng.choice((1, 1, 2))):
            apply(self.store, made, Alone())
        after = stock(self.store, scope)
        change = Change(case, groups, made, policy.max_replaced_per_turn, before, after)
        self.report.faults += [f"reply {asked}: {fault}" for fault in broken(change)]
        self._count(made, groups)

    def _case(self, scope: Scope, said: Batch) -> Candidacy:
        vectors = self.embedder.embed([fact.text for fact in said.facts])
        reach = Reach(self.embedder.floor)
        pool = self.store.nominate(scope, queries(said.facts, vectors), reach.pool)
        return candidacy(said.facts, vectors, pool, reach, said.now)

    def _judged(self, case: Candidacy, resolver: Resolver) -> Groups | None:
        """By any detector, in calls of any size; nothing where no reply could be read, as the turns wait then."""
        rng, model = self.rng, Model(Liar(self.rng, self.report), 1)
        how = judging(
            rng.choice([self.detector] if self.detector else list(DETECTORS)),
            resolver,
            CallSize(facts=rng.choice((None, 1, 2, 3))),
            max_group=rng.choice((2, 3, MAX_GROUP)),
        )
        try:
            return judged(model, how, case, Tally())
        except UnreadableReply:
            self.report.counts["unreadable"] += 1
            return None
        finally:
            model.close()

    def _planned(
        self, scope: Scope, said: Batch, case: Candidacy, groups: Groups, policy: Policy
    ) -> Plan:
        run = uuid5(SPACE, f"run {[str(turn.id) for turn in said.turns]}")
        setting = Setting(run=run, scope=scope, turns=said.turns, now=said.now, policy=policy)
        texts = new_texts(case, groups)
        vectors = self.embedder.embed(texts) if texts else []
        return plan(setting, case, groups, dict(zip(texts, vectors, strict=True)))

    def _count(self, made: Plan, groups: Groups) -> None:
        counts = self.report.counts
        counts["groups"] += len(groups.groups)
        counts["flagged"] += len(groups.flagged)
        counts["held turns"] += len(made.held)
        counts["left out"] += sum(made.dropped.values())
        counts.update(f"{change.kind} ({change.relation})" for change in made.changes)


@contextmanager
def opened(url: str | None) -> Iterator[tuple[Store, HashedEmbedder]]:
    """The named store, or a file that is gone afterwards."""
    embedder = HashedEmbedder(64)
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(url or f"sqlite:///{Path(folder) / 'memory.db'}")
        store.open(embedder.fingerprint, embedder.dimensions)
        try:
            yield store, embedder
        finally:
            store.close()


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench hostile", description=__doc__)
    parser.add_argument("--replies", type=int, default=1000, help="how many (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, help="the same replies again (default: 1)")
    parser.add_argument("--detector", choices=list(DETECTORS), help="default: any")
    parser.add_argument(
        "--store", help="URL of a store to fill (default: a SQLite file, then removed)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")
    options = parser.parse_args(arguments)
    with opened(options.store) as (store, embedder):
        trial = Trial(store, embedder, options.detector, Random(options.seed))
        trial.run(options.replies, f"seed {options.seed} {options.detector or 'any'}")
    report = trial.report
    if options.json:
        print(json.dumps({**report.document(), "faults": report.faults[:TOLD]}))
    else:
        print("\n".join(f"{name:<24} {count:>7}" for name, count in report.document().items()))
        print("\n".join(report.faults[:TOLD]))
    return 1 if report.faults else 0
