"""Whatever a judge replies, the promises hold: `python -m bench hostile --replies 10000 --seed 1`.

Each reply goes the whole way, read → plan → apply, on a real store with a scope that grows; then all that the
store holds is compared with what it held before. Exits 1 if a promise broke.
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
from typing import NoReturn, TypeVar, get_args
from uuid import uuid5

from bench.hostile_checks import Change, broken, stock
from bench.hostile_replies import reply
from bench.hostile_talk import SPACE, Batch, batch, beginning
from schemas.plan import Plan
from schemas.scope import Scope
from worker.adapters.apply import apply
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.adapters.reply import parsed
from worker.adapters.stores.opening import open_store
from worker.core.candidates import Reach, candidacy, queries
from worker.core.detectors import DETECTORS, Judging, judging
from worker.core.gate import gate
from worker.core.gathering import FAILED, without
from worker.core.judgment import Candidacy, Groups
from worker.core.merge import Unwritten, lacks_words
from worker.core.pieces import CallSize
from worker.core.plan import new_texts, plan
from worker.core.ports import Store
from worker.core.setting import DetectorName, Policy, Resolver, Setting
from worker.core.step import BadReply, Step

In = TypeVar("In")
Out = TypeVar("Out")

RESOLVERS: tuple[Resolver, ...] = get_args(Resolver)
#: Batches after which another scope begins.
SCOPE_LENGTH = 60
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


@dataclass
class Trial:
    """Replies at random, the same for the same seed."""

    store: Store
    embedder: HashedEmbedder
    detector: DetectorName
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
        groups = self._judged(case, judging(self.detector, policy.resolver, CallSize()))
        made = self._planned(scope, said, case, groups, policy)
        for _ in range(rng.choice((1, 1, 2))):
            apply(self.store, made, Alone())
        change = Change(case, made, policy.max_replaced_per_turn, before, stock(self.store, scope))
        self.report.faults += [f"reply {asked}: {fault}" for fault in broken(change)]
        self._count(made, groups)

    def _case(self, scope: Scope, said: Batch) -> Candidacy:
        vectors = self.embedder.embed([fact.text for fact in said.facts])
        reach = Reach(self.embedder.floor)
        pool = self.store.nominate(scope, queries(said.facts, vectors), reach.pool)
        return candidacy(said.facts, vectors, pool, reach, said.now)

    def _judged(self, case: Candidacy, court: Judging) -> Groups:
        gated = gate(case)
        if not gated.rest.facts:
            return gated.joined(Groups(groups=(), new=()))
        try:
            found = self._asked(court.step, gated.rest, gated.rest)
        except BadReply as bad:
            self.report.counts["refused"] += 1
            failed = dict.fromkeys(gated.rest.fact_labels, f"{FAILED}: {bad}")
            return gated.joined(Groups(groups=(), new=gated.rest.fact_labels, flagged=failed))
        return self._written(case, gated.joined(found), court)

    def _written(self, case: Candidacy, groups: Groups, court: Judging) -> Groups:
        """With the words of groups whose judge only gave the relation."""
        kept, failed = [], {}
        for group in groups.groups:
            try:
                lacking = lacks_words(case, group, court.resolver)
                one = Unwritten.of(case, group)
                kept.append(self._asked(court.merging, one, one.candidacy) if lacking else group)
            except BadReply as bad:
                self.report.counts["refused"] += 1
                kept.append(group)
                failed[group] = str(bad)
        return without(case, groups.model_copy(update={"groups": tuple(kept)}), failed)

    def _asked(self, step: Step[In, Out], item: In, case: Candidacy) -> Out:
        replies = []
        for prompt in step.ask(item):
            self.report.counts["replies"] += 1
            replies.append(parsed(reply(self.rng, case, prompt), prompt))
        return step.read(item, replies)

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
    parser.add_argument("--detector", choices=list(DETECTORS), default="batchwise")
    parser.add_argument(
        "--store", help="URL of a store to fill (default: a SQLite file, then removed)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document")
    options = parser.parse_args(arguments)
    with opened(options.store) as (store, embedder):
        trial = Trial(store, embedder, options.detector, Random(options.seed))
        trial.run(options.replies, f"seed {options.seed} {options.detector}")
    report = trial.report
    if options.json:
        print(json.dumps({**report.document(), "faults": report.faults[:TOLD]}))
    else:
        print("\n".join(f"{name:<24} {count:>7}" for name, count in report.document().items()))
        print("\n".join(report.faults[:TOLD]))
    return 1 if report.faults else 0
