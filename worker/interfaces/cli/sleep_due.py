"""`slowwave sleep --due`: what workers do by themselves, in this process and then no more."""

from collections.abc import Callable, Iterator

from worker import nightly, tasks
from worker.core.sleeping.report import Report
from worker.interfaces.cli.ending import Failed
from worker.interfaces.cli.output import hidden, note, progress
from worker.nightly import Slept
from worker.parts import Parts


def sleep_those_due(parts: Parts, tell: Callable[[Report], None]) -> tuple[int, int]:
    """Each report is told as it comes; how many scopes were due, and how many of them were not done.

    Raises `Failed` where a part fails for everyone.
    """
    due = failed = later = 0
    with progress() as bar:
        task = bar.add_task("sleeping", total=None)
        for one in _claimed(parts):
            due += 1
            bar.update(task, description=f"{due} scopes")
            later += one.not_before is not None
            why = _not_done(one)
            failed += why is not None
            with hidden(bar):
                if one.report is not None:
                    tell(one.report)
                if why is not None:
                    note(f"scope {one.scope_key}: {why}")
    if later:
        note(f"{later} scopes are left alone for now: their hours, or their quiet, have not come")
    return due, failed


def _not_done(one: Slept) -> str | None:
    if one.error is not None:
        return str(one.error)
    if one.waiting:
        return f"{one.waiting} turns wait to be consolidated: they go first (`slowwave drain`)"
    return one.report.stopped if one.report else None


def _claimed(parts: Parts) -> Iterator[Slept]:
    """What becomes of each scope that is due, once each: what comes up again has to wait for the next time."""
    known = set[str]()
    # Whoever starts it wants to know how things are now.
    gate = parts.breaker.ask(at_once=True)
    while not gate.is_shut:
        try:
            one = nightly.sleep_next(parts, _nobody_else)
        finally:
            tasks.let_go(parts, gate)
        if one is None or one.scope_key in known:
            return
        known.add(one.scope_key)
        yield one
        gate = parts.breaker.ask()
    raise Failed(
        f"the {gate.part} fails for everyone, so nobody claims anything for {gate.seconds:.0f} s: the log says why;"
        " mend it and sleep again, which tries at once (`slowwave check` looks at every part)"
    )


def _nobody_else() -> str | None:
    """No other scope's turns go first: this process drains nothing."""
