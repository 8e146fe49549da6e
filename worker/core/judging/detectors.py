"""How facts are put to a judge: presets of one idea, *facts per call × targets per fact*."""

from dataclasses import dataclass, field, replace

from worker.core.groups.judgment import MAX_GROUP, Candidacy, Groups
from worker.core.groups.setting import DetectorName, Resolver
from worker.core.judging.judge import ListJudge
from worker.core.judging.merge import Merging
from worker.core.judging.novelty import Novelty
from worker.core.judging.pair_judge import PairJudge
from worker.core.judging.pieces import CallSize
from worker.core.step import Step


@dataclass(frozen=True)
class Detector:
    """One preset."""

    #: Facts in one call: null for as many as fit.
    facts: int | None
    #: Memories that one fact may be found to be about: null for any number.
    targets: int | None
    #: A call for each pair of fact and candidate.
    by_pair: bool = False
    #: Nothing is judged but a request to forget; extraction is shown what is known instead.
    adds_only: bool = False
    #: Calls of a batch, in words for people.
    price: str = ""


MERGES = "1 + F, and 1 for each merge of what several facts change"

#: F facts in a batch, K candidates of each; a refused reply costs more, what the gate settles costs less.
DETECTORS: dict[DetectorName, Detector] = {
    "add_only": Detector(1, None, adds_only=True, price="1, and 1 for each request to forget"),
    "pointwise": Detector(1, None, by_pair=True, price="1 + F × K, and 1 for each merge"),
    "listwise": Detector(1, 1, price=MERGES),
    "listwise_multitarget": Detector(1, None, price=MERGES),
    "batchwise": Detector(None, None, price="2, whatever F and K"),
}


@dataclass(frozen=True)
class Judging:
    """Everything about how a candidacy is judged but the model itself."""

    step: Step[Candidacy, Groups]
    size: CallSize = field(default_factory=CallSize)
    max_group: int = MAX_GROUP
    resolver: Resolver = "rewrite"
    adds_only: bool = False
    #: Off where null.
    novelty: Novelty | None = None

    @property
    def merging(self) -> Merging:
        return Merging(self.resolver)

    def asked(self, candidacy: Candidacy) -> tuple[str, ...]:
        """Facts that are put to the judge."""
        if not self.adds_only:
            return candidacy.fact_labels
        facts = candidacy.fact_labels
        return tuple(fact for fact in facts if candidacy.fact(fact).kind == "forget")


def judging(
    name: DetectorName,
    resolver: Resolver,
    size: CallSize,
    max_group: int = MAX_GROUP,
    novelty: Novelty | None = None,
) -> Judging:
    """A model's judging by a preset; `size` bounds a call where the preset does not."""
    detector = DETECTORS[name]
    return Judging(
        step=_step(detector, resolver, max_group),
        size=size if detector.facts is None else replace(size, facts=detector.facts),
        max_group=max_group,
        resolver=resolver,
        adds_only=detector.adds_only,
        novelty=novelty,
    )


def _step(detector: Detector, resolver: Resolver, max_group: int) -> Step[Candidacy, Groups]:
    if detector.by_pair:
        return PairJudge(max_group)
    most = max_group if detector.targets is None else detector.targets + 1
    job = "batchwise" if detector.facts is None else "listwise"
    return ListJudge(most, job, resolver)
