"""How an answer is written down as one block."""

from dataclasses import dataclass, field
from typing import Literal

from worker.core.hearing.marks import MARKS, Marks
from worker.core.recalling.ask import Budget
from worker.core.recalling.template import Template

#: By their last change; or by whom they are about, and of each what belongs to one slot together.
BlockOrder = Literal["newest_last", "by_topic"]


@dataclass(frozen=True)
class Layout:
    """In which words, between which marks, in which order, and how long at most, marks and header included."""

    template: Template
    marks: Marks = MARKS
    order: BlockOrder = "newest_last"
    budget: Budget = field(default_factory=Budget)
