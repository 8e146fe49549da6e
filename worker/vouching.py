"""A harmless question to a part that failed: what answers it is not down, so the fault is with what was asked before.

Other scopes' batches say the same; this is for the scope that is alone.
"""

from datetime import UTC, datetime
from uuid import uuid4

from schemas.scope import Scope
from schemas.turn import Turn
from worker.adapters.model import Tally
from worker.core.hearing.heard import Heard
from worker.errors import Part, SlowwaveError
from worker.parts import Parts

HELLO = "Hello!"


def answers(parts: Parts, part: Part) -> bool:
    """Never raises. Of a store nothing harmless can be asked: one that is full can still be read."""
    try:
        match part:
            case "model":
                parts.model.run(parts.extraction, Heard(turns=(hello(),)), Tally())
            case "embedder":
                parts.embedder.embed([HELLO])
            case "store":
                return False
    except SlowwaveError:
        return False
    return True


def hello() -> Turn:
    """A turn to ask a model about; it is stored nowhere."""
    now = datetime.now(UTC)
    return Turn(
        id=uuid4(),
        scope=Scope(app="check", user="check"),
        conversation="check",
        role="user",
        text=HELLO,
        said_at=now,
        received_at=now,
    )
