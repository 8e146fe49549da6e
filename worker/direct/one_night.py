"""A night of one scope that somebody asked for, at once."""

from collections.abc import Callable
from datetime import UTC, datetime

from schemas.scope import Scope
from worker.core.sleeping.report import Report
from worker.direct.bedtime import next_bedtime
from worker.direct.sleeping import nobody, sleep
from worker.parts import Parts


def one_night(
    parts: Parts,
    scope: Scope,
    *,
    dry_run: bool = False,
    if_it_fails: Callable[[Report], None] = nobody,
) -> Report:
    """Raises as `sleep`; `if_it_fails` hears what was done until then."""
    # As `nightly`: whichever clock is behind tells what is old enough to go for good.
    now = min(datetime.now(UTC), parts.inbox.now())
    report = sleep(parts, scope, now, dry_run=dry_run, if_it_fails=if_it_fails)
    if not dry_run and report.passes:
        # A Redis that lost its data knows no more what time alone gives sleep to do.
        parts.inbox.sleepers.due(scope.key, next_bedtime(parts, report, now))
    return report
