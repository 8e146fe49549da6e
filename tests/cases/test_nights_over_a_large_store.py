"""However much is known, a night asks about what changed, little at once, and the next goes on where it stopped."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from pydantic import BaseModel
from redis import Redis

from schemas.base import Vector
from schemas.scope import Scope
from tests.cases.asleep import AtNight, separate
from tests.desk import Desk, desk, scripted
from tests.worker.direct.nightly import Asked, judging, night, nothing, remember
from worker.adapters.stores.sqlite import SqliteStore
from worker.core.groups.judgment import MAX_GROUP, Candidacy, Groups
from worker.core.judging.reorganize import Reorganize
from worker.core.sleeping.note import Note
from worker.direct.holding import holding

LARGE, CHANGED, MAY_ASK = 2_000, 12, 5
#: Characters of a question for a memory beside its text.
FRAME = 120
#: About 400 tokens.
LONG = "and the soil there is turned in autumn " * 40


@dataclass(frozen=True)
class Beds:
    """A text's first word is its bed; all of one bed are near each other."""

    fingerprint: str = "beds_16"
    dimensions: int = 16
    floor: float = 0.8
    same: float = 0.999

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector:
        bed = np.random.default_rng(int(text.split()[1])).normal(size=self.dimensions)
        ray = bed / np.linalg.norm(bed)
        lean = np.random.default_rng(crc32(text.encode())).normal(size=self.dimensions)
        ray += 0.1 * lean / np.linalg.norm(lean)
        vector: Vector = (ray / np.linalg.norm(ray)).astype("<f4").tobytes()
        return vector


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (Beds().fingerprint, Beds().dimensions)


@dataclass
class Measured(Asked):
    """Also how long each question is, in characters."""

    lengths: list[int] = field(default_factory=list)

    def read(self, item: Candidacy, replies: Sequence[BaseModel]) -> Groups:
        (prompt,) = Reorganize().ask(item)
        self.lengths.append(len(json.dumps(prompt.document, ensure_ascii=False)))
        return super().read(item, replies)


def garden(table: Desk, count: int) -> None:
    """So many that were looked at in earlier nights, thirty to a bed, and some that changed since."""
    remember(table, *(f"bed {n // 30} row {n} {LONG}" for n in range(count)))
    latest = max((one.updated_at, one.id) for one in table.live().values())
    with holding(table.parts, table.scope, table.now) as held:
        note = Note().marked("tidy", latest).marked("flags", latest)
        table.parts.store.writer(table.scope, held.lease).put_sleep(note.model_dump_json())
    remember(table, *new_ones(), days=99)


def measuring(table: Desk, **settings: Any) -> Measured:
    measured = Measured(nothing)
    judging(table, nothing, **settings)
    table.parts = replace(table.parts, reorganizing=measured)
    return measured


def test_calls_and_their_length_are_those_of_what_changed_and_not_of_what_is_known(
    sqlite_store: SqliteStore, redis_client: Redis, scope: Scope
) -> None:
    longest = []
    for count in (LARGE // 10, LARGE):
        table = desk(sqlite_store, redis_client, Scope(app=scope.app, user=f"{count}"), Beds())
        garden(table, count)
        measured = measuring(table)

        report = night(table)

        asked = measured.heard()
        assert sum(one.looked_at for one in report.passes if one.name == "tidy") == CHANGED
        assert 0 < len(asked) <= CHANGED
        assert {len(texts) for texts in asked} <= {*range(2, MAX_GROUP + 1)}
        assert {texts[0] for texts in asked} <= {*new_ones()}
        longest.append(max(measured.lengths))
        assert night(table, 2).calls == 0
        assert measured.heard() == []
    assert longest[1] <= MAX_GROUP * (len(LONG) + FRAME)
    assert longest[1] <= longest[0] + FRAME


def test_what_a_night_may_ask_ends_it_and_the_next_goes_on_from_there_until_all_is_done(
    sqlite_store: SqliteStore, redis_client: Redis, scope: Scope
) -> None:
    table = desk(sqlite_store, redis_client, scope, Beds())
    garden(table, LARGE // 10)
    to_ask = sorted(texts[0] for texts in foreseen(table))
    with scripted(table, script := AtNight(separate), sleep_max_calls=MAY_ASK, sleep_groups=2):
        for nth in range(1, len(to_ask)):
            report = night(table, 2 * nth)
            # It is looked at before a slice.
            assert report.calls <= MAY_ASK + 1
            if report.stopped is None:
                break
            assert "used up" in report.stopped

    assert 1 < nth <= len(to_ask) / MAY_ASK + 1
    assert sorted(texts[0] for texts in script.shown) == to_ask, "each once"


def foreseen(table: Desk) -> list[tuple[str, ...]]:
    """What all of it would ask."""
    before, measured = table.parts, measuring(table)
    night(table, dry_run=True)
    table.parts = before
    return measured.heard()


def new_ones() -> list[str]:
    return [f"bed {n} new {n} {LONG}" for n in range(CHANGED)]
