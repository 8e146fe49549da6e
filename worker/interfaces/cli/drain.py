"""`slowwave drain`: everything that is due, in this process."""

import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated

import typer
from pydantic import JsonValue
from rich.progress import Progress, TaskID

from schemas.turn import Turn
from worker import tasks
from worker.adapters.breaker import Gate
from worker.adapters.figures import Status
from worker.adapters.inbox import Claim
from worker.errors import SlowwaveError
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.opening import opened
from worker.interfaces.cli.options import AsJson
from worker.interfaces.cli.output import answers, emit, note, plain, progress
from worker.parts import Parts
from worker.pipeline import Outcome

#: Seconds between two looks while another process holds a scope.
LOOK_SECONDS = 0.2


@dataclass
class Work:
    """What was done so far."""

    batches: int = 0
    turns: int = 0
    changes: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    #: Scopes whose last batch failed.
    failed: set[str] = field(default_factory=set)
    #: Why nothing more is claimed, where a part rests.
    rests: Gate | None = None


@dataclass(frozen=True)
class Left:
    """What is there afterwards."""

    queue: Status
    #: Turns that this drain gave up on.
    parked: int
    #: Turns of scopes whose batch failed.
    failed: int


def drain(
    everything: Annotated[
        bool, typer.Option("--all", help="Also what is still waiting for quiet.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Work off what is due in this process, then exit.

    No worker is needed: for cron, CI and notebooks. Scopes that another process holds are waited for. Where the
    model, the embedder or the store fails for everyone it stops; started again, it tries at once.
    """
    with opened() as parts:
        parked = parts.inbox.status().parked
        work = _work_off(parts, everything=everything)
        queue = parts.inbox.status()
        behind = sum(len(parts.inbox.pending(key)) for key in work.failed)
        left = Left(queue, max(0, queue.parked - parked), behind)
    if as_json:
        emit(_document(work, left))
    else:
        _tell(work)
    _complain(left, work.rests, everything=everything)


def _work_off(parts: Parts, *, everything: bool) -> Work:
    work = Work()
    if everything:
        # What failed before is tried again: whoever drains all has mended something.
        parts.inbox.flush(backing_off=True)
    with progress() as bar:
        task = bar.add_task("draining", total=None)
        # Whoever starts it wants to know how things are now.
        gate = parts.breaker.ask(at_once=True)
        while not gate.is_shut:
            try:
                claim = parts.inbox.claim()
                if claim is not None:
                    _settle(parts, claim, work)
                    _show(bar, task, work)
            finally:
                tasks.let_go(parts, gate)
            if claim is None and not _more_is_due(parts, everything=everything):
                return work
            if claim is None:
                time.sleep(LOOK_SECONDS)
            gate = parts.breaker.ask()
    work.rests = gate
    return work


def _more_is_due(parts: Parts, *, everything: bool) -> bool:
    """Someone is due by now, or another process holds a scope; what backs off is not waited for."""
    if everything:
        parts.inbox.flush()
    queue = parts.inbox.status()
    return queue.ready > 0 or queue.busy > 0


def _settle(parts: Parts, claim: Claim, work: Work) -> None:
    turns = _turns(parts, claim)
    try:
        outcome = tasks.settle(parts, claim)
    except KeyboardInterrupt:
        # The scope need not wait until the lease runs out.
        with suppress(SlowwaveError):
            parts.inbox.fail(claim, 0, burn=False)
        raise
    if outcome is None:
        work.failed.add(claim.scope_key)
    else:
        work.failed.discard(claim.scope_key)
        _count(parts, turns, outcome, work)


def _turns(parts: Parts, claim: Claim) -> list[Turn]:
    """What the claim is about; nothing where it cannot be read, which settling it finds as well."""
    try:
        return parts.inbox.turns(claim)
    except SlowwaveError:
        return []


def _count(parts: Parts, turns: list[Turn], outcome: Outcome, work: Work) -> None:
    work.batches += 1
    work.turns += outcome.turns
    work.changes.update(outcome.changes)
    if outcome.run is not None and turns:
        for run in parts.store.runs(turns[0].scope, [turn.id for turn in turns]):
            if run.id == outcome.run:
                work.calls.update(run.usage.calls)


def _show(bar: Progress, task: TaskID, work: Work) -> None:
    bar.update(task, description=f"{work.turns} turns in {work.batches} batches")


def _document(work: Work, left: Left) -> dict[str, JsonValue]:
    return {
        "batches": work.batches,
        "turns": work.turns,
        "calls": dict(work.calls),
        "changes": dict(work.changes),
        "parked": left.parked,
        "failed_turns": left.failed,
        "pending_turns": left.queue.pending_turns,
    }


def _tell(work: Work) -> None:
    line = (
        f"batches {work.batches}, turns {work.turns}, calls {work.calls.total()}{_each(work.calls)},"
        f" changes {work.changes.total()}{_each(work.changes)}"
    )
    answers().print(plain(line), soft_wrap=True)


def _each(counts: Counter[str]) -> str:
    listed = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    return f" ({listed})" if listed else ""


def _complain(left: Left, rests: Gate | None, *, everything: bool) -> None:
    """Raises `Failed` where turns were parked or left behind; says what waits for quiet."""
    if rests is not None and left.queue.pending_turns:
        raise Failed(
            f"the {rests.part} fails for everyone, so nobody claims anything for {rests.seconds:.0f} s, and"
            f" {left.queue.pending_turns} turns wait: the log says why; mend it and drain again, which tries at"
            " once (`slowwave check` looks at every part)"
        )
    if left.parked or left.failed:
        raise Failed(
            f"turns parked: {left.parked} (see `slowwave parked`), left behind by errors or a budget that is used"
            f" up: {left.failed} (the log above says why; mend it and drain again)"
        )
    if left.queue.pending_turns and everything:
        raise Failed(
            f"{left.queue.pending_turns} turns still wait: they came meanwhile, or failed before and back off"
            " (`slowwave status` has the last error); drain again"
        )
    if left.queue.pending_turns:
        note(f"{left.queue.pending_turns} turns still wait: `slowwave drain --all` takes them too")
