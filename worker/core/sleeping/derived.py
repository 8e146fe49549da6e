"""What several memories say together, as it is stored: nobody said it, and it changes nothing else."""

from collections.abc import Iterable
from uuid import UUID

from schemas.base import Vector
from schemas.ids import memory_id, uuid_of
from schemas.memory import Memory, MemoryRecord
from schemas.plan import Add, Plan
from schemas.scope import Scope
from worker.core.current import first_said
from worker.core.finding.vectors import cosines
from worker.core.groups.setting import Account, Setting
from worker.core.judging.derive import Insight
from worker.core.texts.identifiers import identifiers
from worker.core.texts.words import normalised

#: Who says it: older versions read it as a tool's words, which never change a person's.
NOBODY = "slowwave"
KIND = "insight"


def is_new(vector: Vector, others: Iterable[MemoryRecord], same: float) -> bool:
    """Whether it is near none of these; `same` is the embedder's cosine for one statement in two wordings."""
    return bool((cosines([vector], [one.vector for one in others]) < same).all())


def run_of(scope: Scope, insight: Insight) -> UUID:
    """The same words from the same versions are the same run: what was taken back does not come again by itself."""
    versions = sorted(f"{one.id}:{one.version}" for one in insight.evidence)
    return uuid_of("run", scope.key, "sleep", "insights", normalised(insight.text), *versions)


def derived(setting: Setting, insight: Insight, vector: Vector, account: Account) -> Plan:
    """The plan that adds it and changes nothing else."""
    record = MemoryRecord(memory=_born(setting, insight), vector=vector)
    return Plan(
        run=setting.run,
        kind=setting.kind,
        scope=setting.scope,
        turn_ids=(),
        base={},
        changes=(Add(record=record, relation="new", why=insight.why),),
        planned_at=setting.now,
        model=account.model,
        prompts=dict(account.prompts),
        usage=account.usage,
        embedder=account.embedder,
    )


def _born(setting: Setting, insight: Insight) -> Memory:
    """As much of it as follows from the evidence; nobody has said it, so no turn of the evidence is its own."""
    evidence, now = insight.evidence, setting.now
    said_at = max(one.said_at for one in evidence)
    id = memory_id(setting.scope.key, setting.run, 0)
    return Memory(
        text=insight.text,
        subject=evidence[0].subject,
        kind=KIND,
        said_by=NOBODY,
        authority="tool",
        turn_ids=(uuid_of("turn", setting.scope.key, "derived", str(id)),),
        said_at=said_at,
        identifiers=identifiers(insight.text),
        id=id,
        scope=setting.scope,
        version=1,
        since=max(map(first_said, evidence)),
        created_at=now,
        updated_at=now,
        last_confirmed_at=said_at,
        confirmations=0,
        derived={one.id: one.version for one in evidence},
        last_run=setting.run,
    )
