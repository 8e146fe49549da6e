"""A real worker that dies once in a night, in the middle of a plan: `python -m tests.worker.mortal_sleeper worker`.

Or, as `… beat FILE`, a real beat that rings every second what it would ring at a time of the calendar.
"""

import os
import signal
import sys
import time

from redis import Redis

from schemas.plan import Plan
from worker import nightly
from worker.adapters.apply import apply
from worker.app import app
from worker.core.planning import runs
from worker.core.planning.writes import touched, writes
from worker.core.ports import Hold, Store
from worker.core.sleeping.again import Bedtime
from worker.direct import bedtime, nights

#: Plans of all workers after which the next is cut short.
PLANS = "test:plans"
LAST = 3
#: What each takes besides, so that others have time to come in between.
SECONDS = 0.15


def slow_and_mortal(store: Store, plan: Plan, hold: Hold) -> None:
    with Redis.from_url(os.environ["SLOWWAVE_REDIS_URL"]) as ledger:
        count = ledger.incr(PLANS)
    if count == LAST:
        _die_half_way(store, plan, hold)
    apply(store, plan, hold)
    time.sleep(SECONDS)


def _die_half_way(store: Store, plan: Plan, hold: Hold) -> None:
    """The run is open, the archives are written, of what lives nothing is."""
    live = {one.memory.id: one.memory for one in store.memories(plan.scope, touched(plan))}
    writer = store.writer(plan.scope, hold)
    writer.prepare()
    todo = writes(plan, live)
    writer.put_run(runs.opened(plan))
    writer.put_archives(todo.archives)
    os.kill(os.getpid(), signal.SIGKILL)


def main(part: str) -> None:
    if part == "beat":
        entry = {"task": "slowwave.call_to_sleep", "schedule": 1.0, "options": {"expires": 60}}
        app.conf.beat_schedule = {"call": entry}
        app.start(["beat", "--pidfile=", "--max-interval=1", "--schedule", sys.argv[2]])
    else:
        vars(nights).update(apply=slow_and_mortal)
        # Nobody waits a minute for the turns that came in between.
        for module in (nightly, bedtime):
            vars(module).update(SOON=Bedtime(after_seconds=0.2))
        app.worker_main(["worker", "--pool=threads", "--without-gossip", "--without-mingle"])


if __name__ == "__main__":
    main(sys.argv[1])
