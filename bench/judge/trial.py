"""Items through candidates, judge and plan, alone or several at once; nothing is written anywhere."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bench.judge.batches import Joint
from bench.judge.case import SCOPE, Case
from bench.judge.heard import Listener, Two, of_groups
from bench.judge.items import WORDS, Item
from bench.judge.marks import Result
from schemas.base import Vector
from schemas.memory import MemoryRecord
from schemas.plan import Add, Plan
from worker.adapters.model import Model, Tally
from worker.core.finding.candidates import Reach, candidacy
from worker.core.groups.judgment import Candidacy, Groups
from worker.core.groups.setting import Policy, Setting
from worker.core.judging.detectors import Judging
from worker.core.planning.plan import new_texts, plan
from worker.core.ports import Embedder, Nominations
from worker.core.step import BadReply
from worker.errors import Unprocessable
from worker.judging import judged


@dataclass(frozen=True)
class Cached:
    """An embedder that is asked about each text once."""

    embedder: Embedder
    known: dict[str, Vector]

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        if new := [text for text in dict.fromkeys(texts) if text not in self.known]:
            self.known.update(zip(new, self.embedder.embed(new), strict=True))
        return [self.known[text] for text in texts]


@dataclass(frozen=True)
class Trial:
    """How items are judged."""

    model: Model
    judging: Judging
    embedder: Cached
    reach: Reach
    policy: Policy

    def run(self, item: Item) -> Result:
        """One item alone."""
        (result,) = self.batch([item])
        return result

    def batch(self, items: Sequence[Item]) -> list[Result]:
        """Items judged together; what that costs counts with the first.

        Raises what the model's endpoint raises but for what is wrong with the items themselves.
        """
        began, tally = time.monotonic(), Tally()
        listener = Listener(self.judging.step)
        cases = [Case(item) for item in items]
        joint = Joint(tuple(self._put(case) for case in cases))
        found: Sequence[Groups | None] = [None] * len(cases)
        failure: str | None = None
        try:
            whole = judged(self.model, replace(self.judging, step=listener), joint.whole, tally)
        except (BadReply, Unprocessable) as bad:
            failure = str(bad)
        else:
            listener.keep(joint.whole, of_groups(whole))
            found = list(joint.split(whole))
        results = [
            self._result(case, put, one, listener.said, failure)
            for case, put, one in zip(cases, joint.parts, found, strict=True)
        ]
        usage = tally.usage()
        results[0] = replace(
            results[0],
            refused=listener.refused,
            calls=usage.total_calls,
            tokens=usage.total_tokens,
            seconds=round(time.monotonic() - began, 3),
        )
        return results

    def _result(
        self,
        case: Case,
        put: Candidacy,
        found: Groups | None,
        said: Mapping[Two, str],
        failure: str | None,
    ) -> Result:
        item = case.item
        made = self._planned(case, put, found) if found else None
        live = case.live(made)
        return Result(
            id=item.id,
            kind=item.kind,
            language=item.language,
            pairs=tuple(case.judged(put, said, made)),
            words=tuple(_wrong_words(item, live)),
            is_spelled_out=bool(item.says),
            flagged=_flagged(made),
            live=tuple(live),
            failure=failure,
        )

    def _put(self, case: Case) -> Candidacy:
        known = self.embedder.embed([one.text for one in case.memories])
        records = {
            memory.id: MemoryRecord(memory=memory, vector=vector)
            for memory, vector in zip(case.memories, known, strict=True)
        }
        vectors = self.embedder.embed([one.text for one in case.facts])
        return candidacy(case.facts, vectors, Nominations((), records), self.reach, case.now)

    def _planned(self, case: Case, put: Candidacy, found: Groups) -> Plan:
        texts = new_texts(put, found)
        setting = Setting(
            run=case.id("run"), scope=SCOPE, turns=case.turns, now=case.now, policy=self.policy
        )
        return plan(setting, put, found, dict(zip(texts, self.embedder.embed(texts), strict=True)))


def _flagged(made: Plan | None) -> int:
    changes = made.changes if made else ()
    return sum(isinstance(one, Add) and one.record.memory.flagged is not None for one in changes)


def _wrong_words(item: Item, live: Sequence[str]) -> Iterator[str]:
    for pattern in item.says:
        if not any(WORDS.fits(pattern, text) for text in live):
            yield f"nothing says {' + '.join(pattern)}"
    for pattern in item.never:
        if any(WORDS.fits(pattern, text) for text in live):
            yield f"something says {' + '.join(pattern)}"
