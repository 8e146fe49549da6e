"""Where the time of a batch goes, stage by stage: functions of the pipeline are wrapped while it is watched."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any

from rich.table import Table

from bench.scopes import Unleased
from schemas.scope import Scope
from worker import pipeline, thinking
from worker.adapters.inbox import Inbox
from worker.parts import Parts

OTHER = "the rest"
#: Stage → what belongs to it, by module and name. What is called within one of them counts there.
STAGES: Mapping[str, Sequence[tuple[Any, str]]] = {
    "read claim": (
        (Inbox, "claim"),
        (pipeline, "kept_by"),
        (pipeline, "_said_since_erased"),
        (pipeline, "ready"),
    ),
    "extraction": ((thinking, "extracted"),),
    "find": ((thinking, "_nominated"), (thinking, "candidacy")),
    "judge": ((thinking, "judged"),),
    "plan": ((thinking, "plan"), (thinking, "new_texts")),
    "keep plan": ((Inbox, "keep_plan"),),
    "apply": ((pipeline, "_apply"),),
    "settle": ((pipeline, "purge_due"), (Inbox, "commit")),
}
#: Calls that leave the process, told within their stage.
CALLS = "nominate memories archives forgotten run runs open_runs slots about".split()
WRITES = "prepare put_run put_archives put_memories remove_memories".split()
QUEUE = "turns context renew keep_plan claim commit kept_plan".split()


@dataclass(frozen=True)
class Row:
    """Of a stage, or of one kind of call within it."""

    stage: str
    #: Empty for the stage itself.
    call: str
    #: A batch.
    times: float
    ms: float


@dataclass
class Watch:
    """Seconds and times of each stage, and of the calls within it; what other threads do meanwhile is not told."""

    seconds: dict[tuple[str, str], float] = field(default_factory=lambda: defaultdict(float))
    times: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    _here: threading.local = field(default_factory=threading.local)

    def stage(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The first one entered is told: stages within a stage are part of it."""

        @wraps(work)
        def timed(*args: Any, **kwargs: Any) -> Any:
            if getattr(self._here, "stage", None):
                return work(*args, **kwargs)
            self._here.stage = name
            began = time.perf_counter()
            try:
                return work(*args, **kwargs)
            finally:
                self._add((name, ""), time.perf_counter() - began)
                self._here.stage = None

        return timed

    def call(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The outermost one is told, with what it gives read to its end."""

        @wraps(work)
        def timed(*args: Any, **kwargs: Any) -> Any:
            if getattr(self._here, "call", False):
                return work(*args, **kwargs)
            self._here.call = True
            began = time.perf_counter()
            try:
                found = work(*args, **kwargs)
                return iter([*found]) if isinstance(found, Iterator) else found
            finally:
                stage = getattr(self._here, "stage", None) or OTHER
                self._add((stage, name), time.perf_counter() - began)
                self._here.call = False

        return timed

    def rows(self, batches: int, whole: float) -> Iterator[Row]:
        """For each stage in order what it took, then its calls; `whole` is the seconds of all batches together."""
        told = sum(seconds for (_, call), seconds in self.seconds.items() if not call)
        self.seconds[OTHER, ""], self.times[OTHER, ""] = whole - told, batches
        for stage in (*STAGES, OTHER):
            calls = sorted(call for of, call in self.seconds if of == stage)
            for call in calls:
                place = stage, call
                times, took = self.times[place] / batches, self.seconds[place] / batches
                yield Row(stage, call, times, 1000 * took)

    def _add(self, place: tuple[str, str], seconds: float) -> None:
        self.seconds[place] += seconds
        self.times[place] += 1


@contextmanager
def watched(parts: Parts) -> Iterator[Watch]:
    """The stages are timed while this is entered."""
    watch = Watch()
    writer = type(parts.store.writer(Scope(app="bench", user="nobody"), Unleased()))
    calls = (
        *((type(parts.store), name, f"store {name}") for name in CALLS),
        *((writer, name, f"store {name}") for name in WRITES),
        *((Inbox, name, f"Redis {name}") for name in QUEUE),
    )
    with ExitStack() as stack:
        for owner, name, told in calls:
            _wrap(stack, owner, name, partial(watch.call, told))
        for stage, places in STAGES.items():
            for owner, name in places:
                _wrap(stack, owner, name, partial(watch.stage, stage))
        yield watch


def _wrap(stack: ExitStack, owner: Any, name: str, wrapped: Callable[[Any], Any]) -> None:
    """Until the stack is left."""
    work = vars(owner)[name]
    stack.callback(setattr, owner, name, work)
    setattr(owner, name, wrapped(work))


def table(title: str, rows: Sequence[Row]) -> Table:
    made = Table(title=title, title_justify="left")
    for heading in ("stage", "times", "ms"):
        made.add_column(heading, justify="left" if heading == "stage" else "right")
    for row in rows:
        name = f"  {row.call}" if row.call else row.stage
        made.add_row(name, f"{row.times:.1f}", f"{row.ms:.2f}")
    made.add_section()
    made.add_row("batch", "1.0", f"{sum(row.ms for row in rows if not row.call):.2f}")
    return made
