"""Everything a batch needs from the outside."""

from dataclasses import dataclass

from worker.adapters.breaker import Breaker
from worker.adapters.inbox import Inbox
from worker.adapters.model import Model
from worker.adapters.spending import Spending
from worker.core.detectors import Judging
from worker.core.heard import Found, Heard
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
