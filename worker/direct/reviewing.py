"""A person accepts what the cap held back."""

from datetime import datetime
from uuid import UUID

from schemas.memory import Memory
from schemas.plan import Plan
from schemas.turn import Turn
from worker.adapters.parking import Letter
from worker.applying import carry_out
from worker.core.forgetting.erased import is_erased
from worker.core.forgetting.founding import following, forgets
from worker.core.planning import runs
from worker.core.planning.accepting import accepted, check_stands
from worker.core.ports import Store
from worker.direct.holding import Holding, holding
from worker.errors import Unprocessable
from worker.parts import Parts
from worker.reembedding import anew


def accept(parts: Parts, letter: Letter, now: datetime) -> Plan:
    """Apply a parked turn's proposal under its scope's lease; the turn is settled then. Doing it again is harmless.

    Raises `Retryable` while a worker holds the scope, `PlanConflict` where the memories have moved on,
    `Unprocessable` where there is nothing to accept: then nothing was changed.
    """
    turn = letter.turn
    if turn is None or not letter.parked.proposal:
        raise Unprocessable(
            f"{letter.id} has no proposal ({letter.parked.reason}): replay or drop it"
        )
    with holding(parts, turn.scope, now) as held:
        plan = _accepted(parts, held, turn, letter, now)
        held.settle([letter.id])
    return plan


def _accepted(parts: Parts, held: Holding, turn: Turn, letter: Letter, now: datetime) -> Plan:
    known = list(parts.store.runs(turn.scope, [turn.id]))
    plan = accepted(turn, letter.parked.proposal, runs.fruitless(known), now)
    if any(run.id == plan.run and run.state == "applied" for run in known):
        return plan
    _refuse_what_is_gone(parts, letter)
    _refuse_settled(turn, runs.settled_turns(known))
    _refuse_erased(turn, parts.store)
    check_stands(plan, _live(parts.store, plan))
    if forgets(plan):
        plan = following(plan, parts.store.memories(turn.scope))
    # A proposal may have waited for longer than the embedder was in use.
    carry_out(parts, anew(plan, parts.embedder), held.lease)
    return plan


def _refuse_what_is_gone(parts: Parts, letter: Letter) -> None:
    """A person may have dropped or replayed it since it was listed."""
    if letter.id not in {one.id for one in parts.inbox.parking.letters(letter.scope_key)}:
        raise Unprocessable(f"{letter.id} is parked no more: nothing was done")


def _refuse_settled(turn: Turn, settled: frozenset[UUID]) -> None:
    if turn.id in settled:
        raise Unprocessable(
            f"turn {turn.id} was published again and consolidated since: nothing was done, drop it"
        )


def _refuse_erased(turn: Turn, store: Store) -> None:
    """A Redis that lost its tail may have it again."""
    if is_erased(turn.said_at, store.about(turn.scope).erased_at):
        raise Unprocessable(
            f"turn {turn.id} was said before its scope was erased: nothing was done, drop it"
        )


def _live(store: Store, plan: Plan) -> dict[UUID, Memory]:
    return {one.memory.id: one.memory for one in store.memories(plan.scope, plan.base)}
