"""A scope full of memories, put to sleep with a judge that a test gives."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import BaseModel

from schemas.memory import MemoryRecord
from schemas.plan import Run, Tokens
from tests.build import memory, uid
from tests.desk import Desk
from worker.adapters.model import Model, Tally
from worker.core.groups.judgment import Candidacy, Group, Groups
from worker.core.judging.reorganize import about_the_centre
from worker.core.sleeping.report import Report
from worker.direct.holding import holding
from worker.direct.sleeping import sleep

FIRST_NIGHT = datetime(2026, 11, 1, 3, tzinfo=UTC)
Judge = Callable[[Sequence[str]], Iterable[Group]]


@dataclass
class Asked:
    """Sleep's judge without a model: it hears the texts of a group, the one it is about first."""

    judge: Judge
    groups: list[tuple[str, ...]] = field(default_factory=list)

    def ask(self, item: Candidacy) -> list[Any]:
        return []

    def read(self, item: Candidacy, replies: Sequence[BaseModel]) -> Groups:
        texts = tuple(one.memory.text for one in item.candidates)
        self.groups.append(texts)
        return about_the_centre(Groups(groups=tuple(self.judge(texts)), new=()))

    def heard(self) -> list[tuple[str, ...]]:
        """Since the last time."""
        heard, self.groups = sorted(self.groups), []
        return heard


def nothing(texts: Sequence[str]) -> list[Group]:
    return []


def one_thing(texts: Sequence[str]) -> list[Group]:
    """Whatever it hears is one thing, in the words of the newest: what the others end with is no longer true."""
    drops = tuple(text.rsplit(maxsplit=1)[-1] for text in texts)
    return [group(range(len(texts)), "update", drops=drops)]


def group(places: Iterable[int], relation: Any, **fields: Any) -> Group:
    members = tuple(f"c{place + 1}" for place in places)
    return Group(**({"why": "one thing", "members": members, "relation": relation} | fields))


def pairs(*alike: tuple[str, ...]) -> Judge:
    """Those that are named together say the same."""

    def judge(texts: Sequence[str]) -> list[Group]:
        for some in alike:
            places = [at for at, text in enumerate(texts) if text in some]
            if len(places) > 1 and 0 in places:
                return [group(places, "same")]
        return []

    return judge


def remember(table: Desk, *texts: str, days: float = 0, **fields: Any) -> list[MemoryRecord]:
    """Straight into the store, each a minute later than the one before, as long before the first night as `days`."""
    vectors = table.parts.embedder.embed(texts)
    begin = FIRST_NIGHT - timedelta(days=100 - days)
    records = []
    for at, (text, vector) in enumerate(zip(texts, vectors, strict=True)):
        when = {name: begin + timedelta(minutes=at) for name in ("said_at", "updated_at")}
        given = {"scope": table.scope, "last_run": uid("batch")} | when | fields
        records.append(MemoryRecord(memory=memory(text, **given), vector=vector))
    put(table, records)
    return records


def put(table: Desk, records: Sequence[MemoryRecord]) -> None:
    with holding(table.parts, table.scope, table.now) as held:
        table.parts.store.writer(table.scope, held.lease).put_memories(records)


def judging(table: Desk, judge: Judge, **settings: Any) -> Asked:
    """The same table with this judge of sleep."""
    asked = Asked(judge)
    changed = table.parts.settings.model_copy(update={"sleep_max_share": 1.0} | settings)
    table.parts = replace(table.parts, reorganizing=asked, settings=changed)
    return asked


def costing_a_call(patch: pytest.MonkeyPatch) -> None:
    """Each group that is judged costs a call and ten tokens, also where no answer comes."""
    run = Model.run

    def counted(model: Model, step: Any, item: Any, tally: Tally) -> Any:
        with tally.lock:
            tally.calls["reorganize"] += 1
            tally.tokens["reorganize"] += Tokens(prompt=7, completion=3)
        return run(model, step, item, tally)

    patch.setattr(Model, "run", counted)


def night(table: Desk, nth: int = 1, *, dry_run: bool = False) -> Report:
    return sleep(table.parts, table.scope, FIRST_NIGHT + timedelta(days=nth - 1), dry_run=dry_run)


def everything(table: Desk) -> Any:
    """All that a store holds of the scope."""
    store = table.parts.store
    return (
        list(store.memories(table.scope)),
        list(store.archives(table.scope)),
        list(store.runs(table.scope)),
        store.about(table.scope),
    )


def told(report: Report) -> list[tuple[str, str, str | None, str | None]]:
    """What it says was changed."""
    return sorted(
        (one.name, diff.kind, diff.before, diff.after)
        for one in report.passes
        for diff in one.changes
    )


def sleeps(table: Desk) -> list[Run]:
    return [run for run in table.runs() if run.kind == "sleep"]
