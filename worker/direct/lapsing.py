"""What has lapsed is written down."""

from schemas.plan import Plan
from worker.core.sleeping.expire import texts_after, written_down
from worker.core.sleeping.night import Slice
from worker.core.sleeping.note import Begun
from worker.core.sleeping.proposing import slice_run_id
from worker.direct.slices import Decided, Thinking


def lapsed(thinking: Thinking, cut: Slice, _: Begun) -> Decided:
    """Uses up no share. Raises what the embedder raises."""
    if not cut.records:
        return Decided()
    run = slice_run_id(thinking.scope, thinking.name, [cut.records])
    before = [one.memory for one in cut.records]
    vectors = thinking.vectors(texts_after(cut.records))
    made = Plan(
        run=run,
        kind="sleep",
        scope=thinking.scope,
        turn_ids=(),
        base={memory.id: memory.version for memory in before},
        base_runs={memory.id: memory.last_run for memory in before},
        changes=written_down(thinking.setting(run), cut.records, vectors),
        planned_at=thinking.now,
        embedder=thinking.parts.embedder.fingerprint,
    )
    return Decided((made,), counts=False)
