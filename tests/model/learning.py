"""The worker's own steps at a desk, with a real model behind them."""

from dataclasses import replace
from uuid import UUID

from bench.model.trial import Spent, watch
from tests.desk import Desk
from worker.adapters.model import Chat, Model
from worker.core.hearing.extract import Extraction
from worker.tasks import settle
from worker.wiring import judging_of

#: Far more than a few turns need.
MOST_CLAIMS = 20


def learning(table: Desk, chat: Chat) -> Spent:
    """What is asked of the chat from now on. A turn that no reply can be read for is parked at once."""
    settings = table.parts.settings.model_copy(update={"max_attempts": 1})
    # The chat is its maker's to close.
    model = Model(chat)
    table.parts = replace(
        table.parts,
        settings=settings,
        model=model,
        extraction=Extraction(),
        judging=judging_of(settings, table.parts.embedder),
    )
    return watch(model)


def work_off(table: Desk) -> None:
    """Everything that waits is settled or parked, as a worker does it; a server that is gone would fail for ever."""
    inbox = table.parts.inbox
    for _ in range(MOST_CLAIMS):
        inbox.flush()
        if (claim := inbox.claim()) is None:
            return
        settle(table.parts, claim)
    raise AssertionError(f"{inbox.status().pending_turns} turns still wait")


def settled(table: Desk) -> set[UUID]:
    """Turns in an applied run."""
    return {one for run in table.runs() if run.state == "applied" for one in run.turn_ids}


def parked(table: Desk) -> set[UUID]:
    put_aside = table.parts.inbox.parked(table.scope.key)
    return {one.turn.id for one in put_aside if one.turn is not None}
