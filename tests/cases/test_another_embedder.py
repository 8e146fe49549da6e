"""Another embedder at the next start: said at once, never mixed with the old one, carried through whatever ends it."""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pytest
from redis import Redis

from schemas.base import Vector
from schemas.keys import PartitionKeys
from schemas.scope import Scope
from tests.build import vector
from tests.cases.talk import Talk, found
from tests.desk import Desk, desk, scripted
from tests.fragile import Fragile, Killed
from tests.worker.direct.writing import saying
from worker.adapters.stores.opening import open_store
from worker.core.ports import Store
from worker.core.recalling.ask import Ask
from worker.core.writing.amending import amendment
from worker.direct.editing import amend
from worker.direct.holding import holding
from worker.direct.remembering import remember
from worker.errors import Misconfigured, Unavailable
from worker.recall import recall

TEXTS = tuple(
    f"{what} has its winter quarters in hall {at}"
    for at, what in enumerate(
        ("Sloop", "Yawl", "Ketch", "兄の船", "Kutter", "Яхта", "Dinghy", "Jolle", "قارب", "Kayak"),
        1,
    )
)
FACTS = Talk({f"{text}.": [found(text)] for text in (*TEXTS, "Sold the sloop")})


@dataclass
class Named:
    """Vectors that depend on the model's name; it can be away, and remembers what it was asked."""

    fingerprint: str
    dimensions: int
    floor: float = -1.0
    same: float = 0.999
    away: bool = False
    asked: list[str] = field(default_factory=list)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.asked += texts
        if self.away:
            raise Unavailable("the embedder does not answer", part="embedder")
        return [vector(f"{self.fingerprint} {text}", self.dimensions) for text in texts]


def old() -> Named:
    return Named("boats_a", 8)


NEW = {"another size": ("boats_b", 16), "the same size": ("boats_c", 8)}


@pytest.fixture(params=[*NEW.values()], ids=[*NEW])
def new(request: pytest.FixtureRequest) -> Named:
    return Named(*request.param)


@pytest.fixture(params=["sqlite", "weaviate"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'memory.db'}"
    return f"{request.getfixturevalue('weaviate_server').url}&prefix=B{uuid4().hex}"


@pytest.fixture
def table(url: str, redis_client: Redis, scope: Scope) -> Iterator[Desk]:
    """Ten memories, learned in a conversation under the old embedder; one of them is history by now."""
    embedder = old()
    with closing(open_store(url)) as store:
        store.open(embedder.fingerprint, embedder.dimensions)
        made = desk(store, redis_client, scope, embedder)
        with scripted(made, FACTS):
            for day, text in enumerate(TEXTS, start=1):
                made.say(f"{text}.", f"2026-05-{day:02}T09:00:00Z")
            made.settle()
        first = made.live()[TEXTS[0]].id
        amend(made.parts, scope, first, amendment({"add_tags": ["x"]}), key="x", now=made.now)
        assert len(made.live()) == 10
        yield made


def under(store: Store, table: Desk, embedder: Named) -> Desk:
    return replace(table, parts=replace(table.parts, store=store, embedder=embedder))


def adopted(url: str, embedder: Named) -> Store:
    store = open_store(url)
    store.adopt(embedder.fingerprint, embedder.dimensions)
    return store


def all_are_by(table: Desk, embedder: Named) -> None:
    """Ten records, every vector the embedder's, each memory found by its own words."""
    store, scope = table.parts.store, table.scope
    records, archives = list(store.memories(scope)), list(store.archives(scope))
    assert len(records) >= 10
    assert [one.vector for one in records] == embedder.embed([one.memory.text for one in records])
    assert [one.vector for one in archives] == embedder.embed(
        [one.archive.memory.text for one in archives]
    )
    assert store.about(scope).embedder == embedder.fingerprint
    for text in TEXTS:
        best, *_ = recall(store, embedder, scope, Ask((text,)), table.now).items
        assert best.memory.text == text


def test_at_the_next_start_both_models_and_sizes_are_named_and_nothing_is_done(
    url: str, table: Desk, new: Named
) -> None:
    before = list(table.parts.store.memories(table.scope)), table.archives(), table.runs()
    with closing(open_store(url)) as store, pytest.raises(Misconfigured) as refused:
        store.open(new.fingerprint, new.dimensions)

    told = str(refused.value)
    for name, size in (("boats_a", 8), (new.fingerprint, new.dimensions)):
        assert name in told
        assert re.search(rf"\b{size}\b", told)
    assert "slowwave reembed" in told
    assert new.asked == []
    assert (list(table.parts.store.memories(table.scope)), table.archives(), table.runs()) == before


def test_what_comes_first_under_the_new_one_is_judged_against_new_vectors_alone(
    url: str, table: Desk, new: Named
) -> None:
    with closing(adopted(url, new)) as store:
        after = under(store, table, new)
        with scripted(after, FACTS) as server:
            after.say("Sold the sloop.", "2026-06-01T09:00:00Z")
            after.settle()
            assert server.calls["batchwise"] <= 1
        assert set(after.live()) == {*TEXTS, "Sold the sloop"}
        assert set(TEXTS) <= set(new.asked)
        all_are_by(after, new)


def test_killed_half_way_it_is_finished_at_the_next_start(
    url: str, table: Desk, new: Named, redis_client: Redis
) -> None:
    before = table.live(), table.archives(), table.runs()
    for nth in count(1):
        with closing(adopted(url, new)) as store:
            after = under(store, table, new)
            dying = cast("Any", Fragile(store, nth, after=bool(nth % 2)))
            parts = replace(after.parts, store=dying)
            try:
                with holding(parts, table.scope, table.now):
                    break
            except Killed:
                redis_client.zadd(PartitionKeys(0).busy, {table.scope.key: 1})
            assert (after.live(), after.archives(), after.runs()) == before
    assert nth > 4, "it was killed on its way"
    with closing(open_store(url)) as store:
        store.open(new.fingerprint, new.dimensions)
        after = under(store, table, new)
        all_are_by(after, new)
        assert (after.live(), after.archives(), after.runs()) == before


def test_what_cannot_be_embedded_is_not_stored_and_is_tried_again(
    table: Desk, redis_client: Redis
) -> None:
    embedder = cast("Named", table.parts.embedder)
    before = list(table.parts.store.memories(table.scope)), table.archives(), table.runs()
    with scripted(table, FACTS):
        table.say("Sold the sloop.", "2026-06-01T09:00:00Z")
        embedder.away = True
        with pytest.raises(Unavailable, match="does not answer"):
            table.settle()
        after = list(table.parts.store.memories(table.scope)), table.archives(), table.runs()
        assert after == before
        assert table.parts.inbox.status().pending_turns == 1

        redis_client.zadd(PartitionKeys(0).busy, {table.scope.key: 1})
        embedder.away = False
        table.settle()
    assert "Sold the sloop" in table.live()
    assert table.parts.inbox.idle()
    all_are_by(table, embedder)


def test_a_persons_words_that_cannot_be_embedded_are_not_stored_either(table: Desk) -> None:
    embedder = cast("Named", table.parts.embedder)
    id = table.live()[TEXTS[0]].id
    before = list(table.parts.store.memories(table.scope)), table.archives(), table.runs()
    parts, scope, now = table.parts, table.scope, table.now
    statement, words = saying(table, "Sold the sloop"), amendment({"text": "Sold the sloop"})
    embedder.away = True
    for judge in (True, False):
        with pytest.raises(Unavailable):
            remember(parts, scope, [statement], now, judge=judge)
    with pytest.raises(Unavailable):
        amend(parts, scope, id, words, key="words", now=now)
    assert (list(parts.store.memories(scope)), table.archives(), table.runs()) == before

    embedder.away = False
    (done,) = remember(parts, scope, [statement], now, judge=False)
    amend(parts, scope, id, words, key="words", now=now)
    assert done.fate == "added"
    by_text = {one.memory.text: one.vector for one in parts.store.memories(scope)}
    assert by_text["Sold the sloop"] == embedder.embed(["Sold the sloop"])[0]
    assert all(len(one) == 4 * 8 for one in by_text.values())
