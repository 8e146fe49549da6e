"""What has faded is archived, within the night's share."""

from uuid import UUID

from schemas.memory import MemoryRecord
from schemas.plan import Plan
from worker.core.groups.setting import Account
from worker.core.sleeping.fading import faded as made_of
from worker.core.sleeping.night import Slice
from worker.core.sleeping.note import Begun
from worker.direct.slices import Decided, Thinking, Unit


def faded(thinking: Thinking, cut: Slice, night: Begun) -> Decided:
    """Asks nothing; each memory is decided on by itself."""
    if not cut.records:
        return Decided()
    units = [_unit(thinking, one) for one in cut.records]
    account = Account(embedder=thinking.parts.embedder.fingerprint)
    return Decided(*thinking.allotted([cut.records], units, account, night))


def _unit(thinking: Thinking, one: MemoryRecord) -> Unit:
    def planned(run: UUID, account: Account) -> Plan:
        return Plan(
            run=run,
            kind="sleep",
            scope=thinking.scope,
            turn_ids=(),
            base={one.memory.id: one.memory.version},
            base_runs={one.memory.id: one.memory.last_run},
            changes=(made_of(thinking.setting(run), one),),
            planned_at=thinking.now,
            embedder=account.embedder,
        )

    return Unit((one,), planned)
