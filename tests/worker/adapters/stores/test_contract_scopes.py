"""What every store promises of a scope as a whole: its room, its erasure, and whose vectors it has."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.scope import Scope
from tests.build import at, uid, vector
from tests.hold import HELD, Holding
from tests.weaviate_service import BOTH
from tests.worker.adapters.stores.keeping import (
    POOL,
    archived,
    by_words,
    kept,
    record,
    run,
    texts,
)
from worker.adapters.stores.opening import open_store
from worker.core.ports import About, Erased, Query, Store, Writer
from worker.core.texts.words import terms
from worker.errors import Misconfigured, Retryable

#: To the microsecond, in a zone of its own.
ERASED_AT = datetime(2026, 3, 29, 2, 30, 0, 123456, tzinfo=timezone(timedelta(hours=5.75)))
OLD = ("tests_8", 8)


def filled(store: Store, scope: Scope) -> None:
    """Two memories, one archive and two runs, one of them begun before it was finished."""
    kept(store, scope, "Lives in Austin.", "Has a dog.")
    writer = store.writer(scope, HELD)
    writer.put_archives([archived(record(scope, "Lived in Seattle."), reason="forgotten")])
    writer.put_run(run(scope, "r", state="open"))
    writer.put_run(run(scope, "r"))
    writer.put_run(run(scope, "begun", state="open"))


def everything(store: Store, scope: Scope) -> list[Any]:
    found = store.nominate(scope, [Query(vector("Has a dog."), terms("dog austin"))], POOL)
    return [
        *found.records.values(),
        *store.memories(scope),
        *store.memories(scope, [uid("Has a dog.")]),
        *store.archives(scope),
        *store.archives(scope, uid("Lived in Seattle.")),
        *store.forgotten(scope),
        *store.runs(scope),
        *store.runs(scope, [uid("turn of r")]),
        *store.open_runs(scope),
        *filter(None, [store.run(scope, uid("r"))]),
        *store.slots(scope, 40),
        *range(store.count(scope)),
    ]


def test_scopes_with_room_come_in_order_of_their_keys(store: Store, scope: Scope) -> None:
    scopes = [Scope(app=scope.app, user=f"Zoë {n} / “x”") for n in range(12)]
    for one in scopes:
        store.writer(one, HELD).prepare()
    filled(store, scopes[3])
    store.writer(scopes[7], HELD).erase(ERASED_AT)

    found = [one for one in store.scopes() if one.app == scope.app]

    del scopes[7]
    assert found == sorted(scopes, key=lambda one: one.key)


def test_a_scope_with_room_is_found_by_its_key(store: Store, scope: Scope) -> None:
    writer, found = store.writer(scope, HELD), [store.scope(scope.key)]
    writer.prepare()
    found.append(store.scope(scope.key))
    writer.erase(ERASED_AT)
    found.append(store.scope(scope.key))

    assert found == [None, scope, None]


def test_what_is_known_of_a_scope_follows_its_life(
    store: Store, scope: Scope, embedding: tuple[str, int]
) -> None:
    writer, known = store.writer(scope, HELD), [store.about(scope)]
    steps: list[Callable[[], object]] = [
        writer.prepare,
        lambda: filled(store, scope),
        lambda: writer.put_embedder(None),
        lambda: writer.put_embedder("another_8"),
        lambda: writer.erase(ERASED_AT),
        writer.prepare,
    ]
    for step in steps:
        step()
        known.append(store.about(scope))

    own = embedding[0]
    assert known == [
        About(),
        About(own, is_prepared=True),
        About(own, is_prepared=True),
        About(None, is_prepared=True),
        About("another_8", is_prepared=True),
        About(None, is_prepared=False, erased_at=ERASED_AT),
        About(own, is_prepared=True, erased_at=ERASED_AT),
    ]
    assert store.about(Scope(app=scope.app, user="ben")) == About()


def test_how_far_sleep_has_come_stays_with_the_scope_and_goes_with_it(
    store: Store, scope: Scope, embedding: tuple[str, int]
) -> None:
    other = Scope(app=scope.app, user="ben")
    writer = store.writer(scope, HELD)
    writer.put_sleep("too early")
    assert store.about(scope) == About()
    for one in (scope, other):
        filled(store, one)
    before = everything(store, scope)

    writer.put_sleep('{"marks": 1}')
    writer.put_sleep('{"marks": 2}')
    writer.put_embedder(None)
    writer.put_embedder(embedding[0])

    noted = About(embedding[0], is_prepared=True, sleep='{"marks": 2}')
    assert (store.about(scope), store.about(other).sleep) == (noted, None)
    assert everything(store, scope) == before
    writer.erase(ERASED_AT)
    assert store.about(scope).sleep is None
    writer.prepare()
    assert store.about(scope).sleep is None


def test_an_erased_scope_holds_nothing_and_says_what_it_held(store: Store, scope: Scope) -> None:
    filled(store, scope)
    assert everything(store, scope)

    erased = store.writer(scope, HELD).erase(ERASED_AT)

    assert erased == Erased(memories=2, archives=1, runs=2)
    assert everything(store, scope) == []


def test_erasing_one_scope_leaves_others_with_equal_ids_alone(store: Store, scope: Scope) -> None:
    """A user of the same name in another app, and another user of the same app."""
    others = [Scope(app=scope.app + "-b", user=scope.user), Scope(app=scope.app, user="ben")]
    for one in (scope, *others):
        filled(store, one)
    before = [everything(store, one) for one in others]

    store.writer(scope, HELD).erase(ERASED_AT)

    assert [everything(store, one) for one in others] == before
    assert [store.about(one).erased_at for one in others] == [None, None]


def test_erasing_again_finds_nothing_and_keeps_the_latest_time(store: Store, scope: Scope) -> None:
    filled(store, scope)
    store.writer(scope, HELD).erase(at(1))

    for when, latest in ((at(0), at(1)), (at(2), at(2)), (at(1), at(2))):
        assert store.writer(scope, HELD).erase(when) == Erased()
        assert store.about(scope) == About(erased_at=latest)


def test_a_scope_never_written_to_can_be_erased(store: Store, scope: Scope) -> None:
    assert store.writer(scope, HELD).erase(ERASED_AT) == Erased()

    assert store.about(scope) == About(erased_at=ERASED_AT)
    assert scope not in store.scopes()


def _late_writes(writer: Writer, scope: Scope) -> tuple[Callable[[], None], ...]:
    one = record(scope, "Lives in Austin.")
    return (
        lambda: writer.put_memories([one]),
        lambda: writer.put_archives([archived(one)]),
        lambda: writer.put_run(run(scope, "r")),
        lambda: writer.remove_memories([one.memory.id]),
        lambda: writer.remove_archives([(one.memory.id, 1)]),
    )


def test_nothing_but_prepare_brings_an_erased_scope_back(
    store: Store, store_url: str, scope: Scope, embedding: tuple[str, int]
) -> None:
    """Not even a process that has worked on the scope before, and did not see it go."""
    with closing(open_store(store_url)) as other:
        other.open(*embedding)
        filled(other, scope)
        store.writer(scope, HELD).erase(ERASED_AT)
        for written_by in (store, other):
            writer = written_by.writer(scope, HELD)
            writer.put_embedder(embedding[0])
            for write in _late_writes(writer, scope):
                with pytest.raises(Retryable, match=scope.key):
                    write()
        assert not store.about(scope).is_prepared

        (again,) = kept(other, scope, "Moved to Boston.")

    assert list(store.memories(scope)) == [again]
    assert by_words(store, scope, "austin boston") == (again.memory.id,)
    assert list(store.archives(scope)) == []
    assert list(store.runs(scope)) == []
    assert store.about(scope) == About(embedding[0], is_prepared=True, erased_at=ERASED_AT)


def test_who_erased_a_scope_makes_room_for_it_again(store: Store, scope: Scope) -> None:
    filled(store, scope)
    writer = store.writer(scope, Holding(2))
    writer.erase(ERASED_AT)
    writer.prepare()

    assert everything(store, scope) == []
    assert scope in store.scopes()
    assert writer.erase(at(0)) == Erased()


def test_changing_the_embedder_makes_no_room(store: Store, scope: Scope) -> None:
    for fingerprint in (None, "another_8"):
        store.writer(scope, HELD).put_embedder(fingerprint)

        assert store.about(scope) == About()
    assert scope not in store.scopes()


def test_putting_to_rest_loses_nothing(store: Store, scope: Scope) -> None:
    filled(store, scope)
    before = everything(store, scope)

    assert store.rest() >= 0

    assert everything(store, scope) == before


# Changing over to another embedder. It is the whole store's, so each test has a store of its own.


@pytest.fixture(params=BOTH)
def own_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'own.db'}"
    running = request.getfixturevalue("weaviate_server")
    return f"{running.url}&prefix=Own{uuid4().hex}"


@contextmanager
def opened(url: str, embedding: tuple[str, int]) -> Iterator[Store]:
    with closing(open_store(url)) as store:
        store.open(*embedding)
        yield store


@contextmanager
def adopted(url: str, embedding: tuple[str, int]) -> Iterator[Store]:
    with closing(open_store(url)) as store:
        store.adopt(*embedding)
        yield store


#: A model of the same size, whose vectors nothing but the name tells apart, and ones of other sizes.
NEW = [("another_8", 8), ("another_12", 12), ("tests_4", 4)]
new_embedders = pytest.mark.parametrize("new", NEW, ids=[name for name, _ in NEW])


def anew(one: MemoryRecord, dimensions: int) -> MemoryRecord:
    return one.model_copy(update={"vector": vector(one.memory.text, dimensions)})


def archived_anew(one: ArchiveRecord, dimensions: int) -> ArchiveRecord:
    return one.model_copy(update={"vector": vector(one.archive.memory.text, dimensions)})


def asked(store: Store, scope: Scope, dimensions: int) -> tuple[tuple[UUID, ...], set[bytes]]:
    """What is found by vector, and the vectors of all that words find."""
    query = Query(vector("Has a dog.", dimensions), terms("lives in austin has a dog"))
    found = store.nominate(scope, [query], POOL)
    assert set(found.rankings[0].by_words) == {uid("Lives in Austin."), uid("Has a dog.")}
    assert found.records.keys() >= set(found.rankings[0].by_words)
    return found.rankings[0].by_vector, {one.vector for one in found.records.values()}


@new_embedders
def test_a_scope_is_changed_over_to_another_embedder(
    own_url: str, scope: Scope, new: tuple[str, int]
) -> None:
    """From the first step to the last nothing is found by vectors of two models, and words find all along."""
    name, size = new
    with opened(own_url, OLD) as store:
        filled(store, scope)
        olds, old_archives = list(store.memories(scope)), list(store.archives(scope))
        assert len(asked(store, scope, 8)[0]) == 2
    with adopted(own_url, new) as store:
        writer = store.writer(scope, Holding(2))
        assert store.about(scope).embedder == OLD[0]
        assert asked(store, scope, size) == ((), {b""})

        writer.put_embedder(None)
        with pytest.raises(Misconfigured, match=f"{scope.key}.*reembed"):
            writer.prepare()
        assert asked(store, scope, size) == ((), {b""})
        assert list(store.memories(scope)) == olds
        assert list(store.archives(scope)) == old_archives

        news = [anew(one, size) for one in olds]
        writer.put_memories(news[:1])
        assert asked(store, scope, size) == ((), {b""})
        assert list(store.memories(scope)) == [news[0], olds[1]]

        writer.put_memories(news[1:])
        writer.put_archives([archived_anew(one, size) for one in old_archives])
        assert asked(store, scope, size) == ((), {b""})

        writer.put_embedder(name)
        by_vector, vectors = asked(store, scope, size)
        assert by_vector[0] == uid("Has a dog.")
        assert vectors == {one.vector for one in news}
        assert list(store.memories(scope)) == news
        assert list(store.archives(scope)) == [archived_anew(one, size) for one in old_archives]
        writer.prepare()
        assert store.about(scope) == About(name, is_prepared=True)
    with opened(own_url, new) as store:
        assert len(asked(store, scope, size)[0]) == 2


@new_embedders
def test_an_adopted_embedder_is_the_only_one_that_opens_the_store(
    own_url: str, scope: Scope, new: tuple[str, int]
) -> None:
    with opened(own_url, OLD) as store:
        filled(store, scope)
    for _ in range(2):
        with adopted(own_url, new) as store:
            assert store.about(scope).embedder == OLD[0]
    with opened(own_url, new) as store:
        assert texts(store, scope) == {"Lives in Austin.", "Has a dog."}

    with (
        pytest.raises(Misconfigured, match=rf"{new[0]} .*{OLD[0]} .*reembed"),
        opened(own_url, OLD),
    ):
        pass


def test_a_store_that_was_never_opened_can_be_adopted(own_url: str, scope: Scope) -> None:
    with adopted(own_url, OLD) as store:
        filled(store, scope)

        assert store.about(scope).embedder == OLD[0]
        assert len(asked(store, scope, 8)[0]) == 2


@new_embedders
def test_who_still_embeds_with_the_old_one_writes_no_vector_where_it_does_not_belong(
    own_url: str, scope: Scope, new: tuple[str, int]
) -> None:
    changed, later, unknown = (Scope(app=scope.app, user=user) for user in ("ann", "ben", "eve"))
    with opened(own_url, OLD) as old:
        for one in (changed, later):
            filled(old, one)
        with adopted(own_url, new) as store:
            with pytest.raises(Misconfigured, match=f"{later.key}.*reembed") as caught:
                store.writer(later, Holding(2)).prepare()
            assert caught.value.part == "store"

            store.writer(changed, Holding(2)).put_embedder(None)
            for reader in (store, old):
                with pytest.raises(Misconfigured, match=f"{changed.key}.*reembed"):
                    reader.writer(changed, Holding(3)).prepare()
            assert asked(old, changed, 8) == ((), {b""})

            news = [anew(one, new[1]) for one in store.memories(changed)]
            store.writer(changed, Holding(3)).put_memories(news)
            store.writer(changed, Holding(3)).put_embedder(new[0])

            for one in (changed, unknown):
                with pytest.raises(Misconfigured, match=f"{one.key}.*{new[0]}.*{OLD[0]}") as caught:
                    old.writer(one, Holding(4)).prepare()
                assert caught.value.part == "store"
            assert asked(old, changed, 8) == ((), {b""})
            assert len(asked(store, changed, new[1])[0]) == 2
            assert store.about(unknown) == About()


def test_who_still_embeds_with_the_old_one_changes_no_scope_back(
    own_url: str, scope: Scope
) -> None:
    """Nor has it made anew what was: each of its claims would cost a whole scope."""
    with opened(own_url, OLD) as old, adopted(own_url, NEW[0]) as new:
        filled(new, scope)

        for fingerprint in (None, OLD[0]):
            with pytest.raises(Misconfigured, match=f"{scope.key}.*{NEW[0][0]}") as caught:
                old.writer(scope, Holding(2)).put_embedder(fingerprint)
            assert caught.value.part == "store"

        assert new.about(scope).embedder == NEW[0][0]


def test_the_old_embedder_goes_on_where_nothing_was_changed_over_yet(
    own_url: str, scope: Scope
) -> None:
    with opened(own_url, OLD) as old:
        filled(old, scope)
        with adopted(own_url, NEW[0]):
            writer = old.writer(scope, Holding(2))
            writer.prepare()
            writer.put_memories([record(scope, "Likes tea.")])

        assert by_words(old, scope, "tea") == (uid("Likes tea."),)
        assert len(asked(old, scope, 8)[0]) == 3
