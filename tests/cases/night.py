"""A night's pass, played by hand: it reads what stands, and decides on a merge that it may carry out later."""

from collections.abc import Mapping
from datetime import datetime
from uuid import uuid4

from schemas.plan import Plan
from tests.desk import Desk
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.groups.setting import Account, Setting
from worker.core.planning.plan import new_texts, plan


def pass_over(table: Desk, merged: Mapping[str, tuple[str, ...]], now: datetime) -> Plan:
    """What a pass decides that finds these live texts to be one, under the text before them."""
    records = tuple(table.parts.store.memories(table.scope))
    labels = {one.memory.text: f"c{at}" for at, one in enumerate(records, start=1)}
    found = Groups(
        groups=tuple(
            Group(
                why="one thing",
                members=tuple(labels[one] for one in texts),
                relation="update",
                text=text,
            )
            for text, texts in merged.items()
        ),
        new=(),
    )
    case = Candidacy(facts=(), vectors=(), candidates=records, offered=())
    texts = new_texts(case, found)
    vectors = dict(zip(texts, table.parts.embedder.embed(texts), strict=True))
    setting = Setting(run=uuid4(), scope=table.scope, turns=(), now=now, kind="sleep")
    account = Account(embedder=table.parts.embedder.fingerprint)
    return plan(setting, case, found, vectors, account)
