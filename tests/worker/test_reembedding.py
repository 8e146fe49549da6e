"""Another embedder on a store that has memories: noticed, never mixed, carried through whatever interrupts it."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import cast
from uuid import uuid4

import pytest
from redis import Redis

from schemas.base import Vector
from schemas.keys import PartitionKeys
from schemas.memory import Fact
from schemas.scope import Scope
from tests.build import fact, vector
from tests.desk import Desk, Says, desk
from tests.fragile import Fragile, Killed
from tests.hold import Holding
from worker.adapters.stores.opening import open_store
from worker.core.hearing.heard import Heard
from worker.core.ports import Embedder, Query, Store
from worker.core.recalling.ask import Ask
from worker.core.sleeping.note import Note, read_note
from worker.errors import Misconfigured, Unavailable
from worker.pipeline import consolidate
from worker.recall import recall
from worker.reembedding import change_over

TEXTS = tuple(f"Owns {number} goats called {name}" for number, name in enumerate("abcdefghij", 1))


@dataclass
class Salted:
    """Another model for another name: same texts, other vectors."""

    fingerprint: str
    dimensions: int = 8
    floor: float = 0.5
    same: float = 0.999
    #: Calls after which it is out of reach.
    patience: int = 10**6

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.patience -= 1
        if self.patience < 0:
            raise Unavailable("the embedder is away", part="embedder")
        return [vector(self.fingerprint + text, self.dimensions) for text in texts]


OLD, OTHER_SIZE, SAME_SIZE = Salted("emb_a"), Salted("emb_b", 16), Salted("emb_c")
ANOTHER = pytest.mark.parametrize("new", [OTHER_SIZE, SAME_SIZE], ids=["other size", "same size"])


@pytest.fixture(params=["sqlite", "weaviate"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Of a store of its own: its embedder is changed."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'memory.db'}"
    return f"{request.getfixturevalue('weaviate_server').url}&prefix=R{uuid4().hex}"


def every_turn(heard: Heard) -> Sequence[Fact]:
    return [fact(one.text, turn_ids=(one.id,), said_at=one.said_at) for one in heard.turns]


@pytest.fixture
def table(url: str, redis_client: Redis, scope: Scope) -> Iterator[Desk]:
    """Ten memories under the old embedder."""
    with opened(url, OLD) as store:
        made = desk(store, redis_client, scope, OLD)
        made.parts = replace(made.parts, extraction=Says(every_turn))
        for minute, text in enumerate(TEXTS):
            made.say(text, f"2026-06-01T09:{minute:02}:00Z")
        made.settle()
        assert set(made.live()) == set(TEXTS)
        yield made


@contextmanager
def opened(url: str, embedder: Embedder, *, adopts: bool = False) -> Iterator[Store]:
    with closing(open_store(url)) as store:
        (store.adopt if adopts else store.open)(embedder.fingerprint, embedder.dimensions)
        yield store


@contextmanager
def under(url: str, table: Desk, embedder: Embedder, *, adopts: bool = False) -> Iterator[Desk]:
    """The desk as a process with another embedder has it."""
    with opened(url, embedder, adopts=adopts) as store:
        parts = replace(table.parts, store=store, embedder=embedder)
        yield replace(table, parts=parts)


def found(table: Desk, text: str) -> str | None:
    """What is nearest by vector alone."""
    parts = table.parts
    query = Query(vector=parts.embedder.embed([text])[0])
    (ranking,) = parts.store.nominate(table.scope, [query], 1).rankings
    texts = {memory.id: text for text, memory in table.live().items()}
    return next((texts[id] for id in ranking.by_vector), None)


@ANOTHER
def test_another_embedder_is_refused_by_both_names_and_nothing_is_dropped(
    url: str, table: Desk, new: Salted
) -> None:
    before = list(table.parts.store.memories(table.scope))

    named = f"emb_a.*{new.fingerprint}.*slowwave reembed"
    with pytest.raises(Misconfigured, match=named), opened(url, new):
        pass
    table.say("Owns a barn", "2026-06-02T09:00:00Z")
    assert table.parts.inbox.status().pending_turns == 1
    assert list(table.parts.store.memories(table.scope)) == before


@ANOTHER
def test_once_it_is_allowed_a_claim_changes_its_scope_over_first(
    url: str, table: Desk, new: Salted
) -> None:
    with under(url, table, new, adopts=True) as after:
        assert found(after, TEXTS[3]) is None, "not yet compared"
        answers = recall(after.parts.store, new, table.scope, Ask((TEXTS[3],)), table.now).items
        assert answers[0].memory.text == TEXTS[3], "readable by its words all the while"

        after.say("Owns a barn", "2026-06-02T09:00:00Z")
        after.settle()
        assert len(after.live()) == len(TEXTS) + 1
        assert all(found(after, text) == text for text in (*TEXTS, "Owns a barn"))


def test_everything_comes_through_it_but_the_vectors(url: str, table: Desk) -> None:
    before = table.live(), table.archives(), table.runs()

    with under(url, table, SAME_SIZE, adopts=True) as after:
        change_over(after.parts.store, SAME_SIZE, table.scope, LATER)
        assert (after.live(), after.archives(), after.runs()) == before
        vectors = {one.memory.text: one.vector for one in after.parts.store.memories(table.scope)}
    assert vectors == dict(zip(TEXTS, SAME_SIZE.embed(TEXTS), strict=True))


LATER = Holding(fence=2**52)


@ANOTHER
@pytest.mark.parametrize("after_it", [False, True], ids=["before", "after"])
def test_killed_anywhere_it_is_done_again_and_nothing_is_mixed(
    url: str, table: Desk, new: Salted, *, after_it: bool
) -> None:
    with under(url, table, new, adopts=True) as after:
        for nth in count(1):
            fragile = cast("Store", Fragile(after.parts.store, nth, after_it))
            try:
                change_over(fragile, new, table.scope, LATER)
            except Killed:
                seen = {found(after, text) == text for text in TEXTS}
                assert seen in ({True}, {False}), "all are the new model's, or none is compared"
                after.parts.store.writer(table.scope, LATER).put_embedder(OLD.fingerprint)
            else:
                break
        assert nth > 4, "it was killed somewhere"
        assert all(found(after, text) == text for text in TEXTS)


@dataclass
class Counting(Salted):
    """Remembers how many texts it was given."""

    texts: int = 0

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        found = super().embed(texts)
        self.texts += len(texts)
        return found


@pytest.fixture
def in_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worker.reembedding.PORTION", 2)


def half_done(after: Desk, embedder: Salted) -> None:
    """Three portions of five, then the embedder is away."""
    with pytest.raises(Unavailable):
        change_over(after.parts.store, replace(embedder, patience=3), after.scope, LATER)


@pytest.mark.usefixtures("in_pairs")
def test_what_was_made_before_a_crash_is_not_made_again(url: str, table: Desk) -> None:
    counting = Counting(**vars(SAME_SIZE))
    with under(url, table, SAME_SIZE, adopts=True) as after:
        half_done(after, SAME_SIZE)
        assert found(after, TEXTS[0]) is None, "not yet compared"

        assert change_over(after.parts.store, counting, table.scope, LATER) == counting.texts == 4
        assert all(found(after, text) == text for text in TEXTS)


@pytest.mark.usefixtures("in_pairs")
def test_what_another_embedder_has_begun_is_begun_anew(url: str, table: Desk) -> None:
    other = Salted("emb_d")
    with under(url, table, SAME_SIZE, adopts=True) as after:
        half_done(after, SAME_SIZE)
    with under(url, table, other, adopts=True) as after:
        half_done(after, other)
    with under(url, table, SAME_SIZE, adopts=True) as after:
        assert change_over(after.parts.store, SAME_SIZE, table.scope, LATER) == len(TEXTS)
        assert all(found(after, text) == text for text in TEXTS)


def test_how_far_sleep_has_come_is_kept_through_it(url: str, table: Desk) -> None:
    note = Note().marked("tidy", (table.now, uuid4()))
    table.parts.store.writer(table.scope, LATER).put_sleep(note.model_dump_json())
    with under(url, table, SAME_SIZE, adopts=True) as after:
        change_over(after.parts.store, SAME_SIZE, table.scope, LATER)
        assert read_note(after.parts.store.about(table.scope).sleep, table.scope) == note


def test_an_embedder_that_fails_on_the_way_is_asked_again_by_the_next_claim(
    url: str, table: Desk, redis_client: Redis
) -> None:
    weak = replace(SAME_SIZE, patience=0)
    with under(url, table, weak, adopts=True) as after:
        after.say("Owns a barn", "2026-06-02T09:00:00Z")
        with pytest.raises(Unavailable):
            after.settle()
        assert set(after.live()) == set(TEXTS), "nothing is stored with an empty vector"
    redis_client.zadd(PartitionKeys(0).busy, {table.scope.key: 1})
    with under(url, table, SAME_SIZE, adopts=True) as after:
        after.settle()
        assert found(after, "Owns a barn") == "Owns a barn"


@ANOTHER
def test_whoever_still_has_the_old_embedder_writes_nothing_more(
    url: str, table: Desk, new: Salted
) -> None:
    with under(url, table, new, adopts=True) as after:
        change_over(after.parts.store, new, table.scope, LATER)
        before = list(after.parts.store.memories(table.scope))

        writer = table.parts.store.writer(table.scope, Holding(LATER.fence + 1))
        with pytest.raises(Misconfigured):
            writer.prepare()
        assert list(after.parts.store.memories(table.scope)) == before


def test_a_plan_that_was_kept_under_the_old_embedder_is_finished_under_the_new(
    url: str, table: Desk
) -> None:
    table.say("Owns a barn", "2026-06-02T09:00:00Z")
    claim = table.claim()
    broken = replace(table.parts, store=cast("Store", Fragile(table.parts.store, 1, after=False)))
    with suppress(Killed):
        consolidate(broken, claim, table.now)
    for nth in count(1):
        broken = replace(
            table.parts, store=cast("Store", Fragile(table.parts.store, nth, after=False))
        )
        with suppress(Killed):
            consolidate(broken, claim, table.now)
        if table.parts.inbox.kept_plan(claim):
            break

    with under(url, table, OTHER_SIZE, adopts=True) as after:
        consolidate(after.parts, claim, table.now)
        assert found(after, "Owns a barn") == "Owns a barn"
        assert all(found(after, text) == text for text in TEXTS)
