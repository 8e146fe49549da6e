"""Everything a batch needs from the outside."""

from dataclasses import dataclass, field

from worker.adapters.breaker import Breaker
from worker.adapters.inbox import Inbox
from worker.adapters.model import Model
from worker.adapters.spending import Spending
from worker.core.groups.judgment import Candidacy, Groups
from worker.core.hearing.heard import Found, Heard
from worker.core.judging.derive import Deriving, Insight, Material
from worker.core.judging.detectors import Judging
from worker.core.judging.reorganize import Reorganize
from worker.core.ports import Embedder, Store
from worker.core.step import Step
from worker.settings import Settings


@dataclass(frozen=True)
class Parts:
    """Made once per process."""

    settings: Settings
    inbox: Inbox
    breaker: Breaker
    spending: Spending
    store: Store
    embedder: Embedder
    model: Model
    extraction: Step[Heard, Found]
    judging: Judging
    #: How sleep judges memories among themselves.
    reorganizing: Step[Candidacy, Groups] = field(default_factory=Reorganize)
    #: How sleep derives what nobody said.
    deriving: Step[Material, tuple[Insight, ...]] = field(default_factory=Deriving)
