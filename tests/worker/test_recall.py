"""What is recalled and what is known, now and at any moment: on both stores."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from schemas.memory import Archive, ArchiveRecord, Memory, MemoryRecord
from schemas.scope import Scope
from tests.build import NOW, at, memory, uid
from tests.hold import HELD
from tests.snapshots import revised, snapshot
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.core.forgetting.hidden import Veil
from worker.core.ports import Nominations, Query, Store
from worker.core.recalling.answer import Recalled
from worker.core.recalling.ask import Ask, Filters
from worker.core.recalling.questions import LONGEST_QUERY
from worker.errors import Unavailable
from worker.recall import earlier, known, recall, veil_of

EMBEDDER = HashedEmbedder()


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (EMBEDDER.fingerprint, EMBEDDER.dimensions)


def put(store: Store, scope: Scope, live: Sequence[Memory], archives: Sequence[Archive]) -> None:
    writer = store.writer(scope, HELD)
    writer.prepare()
    writer.put_memories([MemoryRecord(memory=one, vector=_vector(one)) for one in live])
    writer.put_archives(
        [ArchiveRecord(archive=one, vector=_vector(one.memory)) for one in archives]
    )


def _vector(memory: Memory) -> bytes:
    return EMBEDDER.embed([memory.text])[0]


@pytest.fixture
def moved(store: Store, scope: Scope) -> Store:
    """From Oslo to Bergen 40 days ago, said 10 days before; asthma was forgotten 5 days ago."""

    def one(text: str, name: str, **fields: Any) -> Memory:
        return memory(text, id=uid(name), scope=scope, said_at=at(-90), **fields)

    bergen = one("Lives in Bergen", "home", version=2, since=at(-50), updated_at=at(-40))
    live = [bergen, one("Drinks tea, order QX-181", "tea"), one("Has a boat in Oslo", "boat")]
    archives = [
        revised(one("Lives in Oslo", "home", since=at(-90)), at(-40)),
        snapshot(one("Has asthma", "asthma"), "forgotten", None, at(-5), "asked to"),
        snapshot(one("Owned a kite", "kite"), "expired", None, at(-5), "the asthma"),
    ]
    put(store, scope, live, archives)
    return store


def asked(store: Store, scope: Scope, query: str, **options: Any) -> list[Recalled]:
    return list(recall(store, EMBEDDER, scope, Ask((query,), **options), NOW).items)


def texts(found: Sequence[Recalled]) -> list[str]:
    return [one.memory.text for one in found]


def test_a_question_about_another_time_is_answered_from_then(moved: Store, scope: Scope) -> None:
    query = "Lives in Oslo"

    assert texts(asked(moved, scope, query))[0] != "Lives in Oslo"
    assert texts(asked(moved, scope, query, as_of=at(-41)))[0] == "Lives in Oslo"
    assert "Lives in Oslo" not in texts(asked(moved, scope, query, valid_at=at(-45)))
    both = asked(moved, scope, query, as_of=at(-41), valid_at=at(-45), limit=1)
    assert texts(both) == ["Lives in Oslo"]


@pytest.mark.parametrize("query", ["Where does she live?", "tea", "qx-181", "", "nothing of it"])
def test_asked_as_of_now_the_answer_and_its_scores_are_those_of_now(
    moved: Store, scope: Scope, query: str
) -> None:
    assert asked(moved, scope, query, as_of=NOW) == asked(moved, scope, query)
    assert asked(moved, scope, query, valid_at=NOW) == asked(moved, scope, query)


def test_what_is_known_is_what_recall_chooses_from(moved: Store, scope: Scope) -> None:
    times: list[dict[str, Any]] = [{}, {"as_of": at(-41)}, {"valid_at": at(-45)}]

    for moment in times:
        found = {one.text for one in known(moved, scope, NOW, **moment)}
        assert found == set(texts(asked(moved, scope, "a", **moment))), moment


@pytest.mark.parametrize("times", [{}, {"as_of": at(-41)}, {"valid_at": at(-45)}])
def test_what_was_forgotten_is_in_no_answer(
    moved: Store, scope: Scope, times: dict[str, Any]
) -> None:
    assert "Has asthma" not in texts(asked(moved, scope, "asthma", **times))
    assert "Has asthma" not in {one.text for one in known(moved, scope, NOW, **times)}


def test_earlier_versions_are_shown_without_what_was_forgotten(moved: Store, scope: Scope) -> None:
    found = {one.memory.text: one.why for one in earlier(moved, scope)}

    assert found == {"Lives in Oslo": "", "Owned a kite": ""}


def test_a_scope_that_is_not_known_knows_nothing(store: Store) -> None:
    nobody = Scope(app="nobody", user="at all")

    for times in ({}, {"as_of": NOW}, {"valid_at": NOW}):
        assert asked(store, nobody, "tea", **times) == []
        assert known(store, nobody, NOW, **times) == []
    assert earlier(store, nobody) == []
    assert veil_of(store, nobody) == Veil()


class Watched:
    """A store that tells what was asked of it, and hands out no vectors where it has none to trust."""

    def __init__(self, store: Store, *, blind: bool = False) -> None:
        self.store, self.blind = store, blind
        self.asked: list[str] = []

    def __getattr__(self, name: str) -> Any:
        self.asked.append(name)
        return getattr(self.store, name)

    def nominate(self, scope: Scope, queries: Sequence[Query], pool: int) -> Nominations:
        found = self.store.nominate(scope, queries, pool)
        if not self.blind:
            return found
        bare = {id: one.model_copy(update={"vector": b""}) for id, one in found.records.items()}
        unseen = tuple(replace(one, by_vector=()) for one in found.rankings)
        return replace(found, rankings=unseen, records=bare)

    def memories(self, scope: Scope) -> Iterator[MemoryRecord]:
        for record in self.store.memories(scope):
            yield record.model_copy(update={"vector": b""}) if self.blind else record


def test_what_is_known_now_is_told_without_a_look_at_the_archive(
    moved: Store, scope: Scope
) -> None:
    watched: Any = Watched(moved)

    asked(watched, scope, "tea")
    known(watched, scope, NOW)

    assert watched.asked == []


@pytest.mark.parametrize("times", [{}, {"as_of": NOW}])
def test_without_vectors_words_find_it(moved: Store, scope: Scope, times: dict[str, Any]) -> None:
    watched: Any = Watched(moved, blind=True)

    assert texts(asked(watched, scope, "tea", **times)) == ["Drinks tea, order QX-181"]


def test_vectors_of_another_embedder_are_not_compared(moved: Store, scope: Scope) -> None:
    another = HashedEmbedder()
    another.fingerprint = "another of the same size"

    found = recall(moved, another, scope, Ask(("order",), as_of=NOW), NOW)

    assert texts(found.items) == ["Drinks tea, order QX-181"]


@pytest.mark.parametrize("query", ["", " \n", "\x00", "?!"])
def test_without_a_question_the_profile_is_told(moved: Store, scope: Scope, query: str) -> None:
    found = recall(moved, Down(), scope, Ask((query,)), NOW)

    assert {*texts(found.items)} == {
        "Lives in Bergen",
        "Drinks tea, order QX-181",
        "Has a boat in Oslo",
    }
    assert found.degraded == ()


class Down(HashedEmbedder):
    """An embedder that is out of reach."""

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        raise Unavailable("no route to it")


@pytest.mark.parametrize("times", [{}, {"as_of": NOW}, {"with_history": True}])
def test_without_the_embedder_words_and_identifiers_answer_and_that_is_said(
    moved: Store, scope: Scope, times: dict[str, Any]
) -> None:
    found = recall(moved, Down(), scope, Ask(("order QX-181",), **times), NOW)

    assert texts(found.items) == ["Drinks tea, order QX-181"]
    assert found.items[0].terms.cosine is None
    assert "no route to it" in found.degraded[0]


def test_a_store_that_is_out_of_reach_is_an_error(scope: Scope) -> None:
    class Lost:
        def nominate(self, *_: Any) -> Nominations:
            raise Unavailable("the store is down")

    store: Any = Lost()
    with pytest.raises(Unavailable, match="the store is down"):
        recall(store, EMBEDDER, scope, Ask(("tea",)), NOW)


@pytest.mark.parametrize(
    "query", ["tea " * 25_000, "te\x00a\x1b[2J", "чай", "お茶", "DROP TABLE memory; --", "🍵" * 500]
)
def test_any_text_is_a_question(moved: Store, scope: Scope, query: str) -> None:
    found = recall(moved, EMBEDDER, scope, Ask((query,)), NOW)

    assert len(found.items) == 3
    assert bool(found.degraded) == (len(query) > LONGEST_QUERY)


def test_several_questions_take_one_call_of_the_embedder_and_one_of_the_store(
    moved: Store, scope: Scope
) -> None:
    watched: Any = Counting(moved)
    embedder = Counted()

    found = recall(watched, embedder, scope, Ask(("tea", "a boat"), limit=2), NOW)
    assert {*texts(found.items)} == {"Drinks tea, order QX-181", "Has a boat in Oslo"}
    assert (watched.calls, embedder.calls) == (["nominate"], 1)


class Counted(HashedEmbedder):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        self.calls += 1
        return super().embed(texts)


class Counting:
    """A store that tells every call."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        self.calls.append(name)
        return getattr(self.store, name)


def test_with_history_what_stood_before_is_told_and_marked(moved: Store, scope: Scope) -> None:
    found = asked(moved, scope, "Lives in Oslo", with_history=True)

    stood = {one.memory.text: one.superseded for one in found}
    assert stood["Lives in Oslo"]
    assert not stood["Lives in Bergen"]
    assert "Has asthma" not in stood


def test_what_was_shown_is_told_again_only_if_it_changed(moved: Store, scope: Scope) -> None:
    shown = {uid("home"): 1, uid("tea"): 1, uid("asthma"): 1, uid("never was"): 4}

    found = recall(moved, EMBEDDER, scope, Ask(("a boat",), shown=shown, floor=0.3), NOW)
    assert [(one.memory.text, one.state) for one in found.items] == [
        ("Lives in Bergen", "correction"),
        ("Has a boat in Oslo", "new"),
    ]
    assert set(found.withdrawn) == {uid("asthma"), uid("never was")}
    again = Ask(("a boat",), shown={uid("home"): 2, uid("boat"): 1, uid("tea"): 1})
    assert recall(moved, EMBEDDER, scope, again, NOW).items == ()
    assert recall(moved, EMBEDDER, scope, Ask(shown=shown), NOW).withdrawn == found.withdrawn


def test_an_answer_is_filled_beyond_what_was_shown_and_beyond_the_pool(
    store: Store, scope: Scope
) -> None:
    many = [memory(f"Drinks tea number {n}", id=uid(str(n)), scope=scope) for n in range(30)]
    things = frozenset({"things"})
    boats = [
        memory(f"Has boat {n}", id=uid(f"boat {n}"), scope=scope, tags=("things",))
        for n in range(6)
    ]
    put(store, scope, [*many, *boats], [])
    shown, told = dict[UUID, int](), list[int]()
    for _ in range(8):
        ask = Ask(("Which tea?",), pool=4, limit=5, shown=shown, near_copy=2)
        found = recall(store, EMBEDDER, scope, ask, NOW).items
        shown |= {one.memory.id: one.memory.version for one in found}
        told.append(len(found))

    assert told == [5, 5, 5, 5, 5, 5, 5, 1]
    assert len(recall(store, EMBEDDER, scope, replace(ask, limit=20, shown={}), NOW).items) == 20
    seen = dict[UUID, int]()
    for _ in boats:
        narrow = replace(ask, limit=1, pool=2, filters=Filters(tags=things), shown=seen)
        seen |= {one.memory.id: 1 for one in recall(store, EMBEDDER, scope, narrow, NOW).items}
    assert seen == {one.id: 1 for one in boats}


def test_a_filter_finds_what_it_wants_however_far_down_it_is(store: Store, scope: Scope) -> None:
    many = [memory(f"Drinks tea number {n}", id=uid(str(n)), scope=scope) for n in range(30)]
    boat = memory("Has a boat", id=uid("boat"), scope=scope, tags=("things",))
    put(store, scope, [*many, boat], [])
    ask = Ask(("Which tea?",), pool=5, filters=Filters(tags=frozenset({"things"})))

    assert texts(recall(store, EMBEDDER, scope, ask, NOW).items) == ["Has a boat"]
    watched: Any = Counting(store)
    recall(watched, EMBEDDER, scope, Ask(("Which tea?",), pool=5, limit=5), NOW)
    assert watched.calls == ["nominate"]


def test_one_subject_is_looked_for_by_the_store_itself(store: Store, scope: Scope) -> None:
    many = [memory(f"Drinks tea number {n}", id=uid(str(n)), scope=scope) for n in range(30)]
    boat = memory("Has a boat", id=uid("boat"), scope=scope, subject="Ben")
    put(store, scope, [*many, boat], [])
    watched: Any = Counting(store)
    ask = Ask(("Which tea?",), pool=5, filters=Filters(subjects=frozenset({"BEN"})))

    assert texts(recall(watched, EMBEDDER, scope, ask, NOW).items) == ["Has a boat"]
    assert watched.calls == ["nominate"]


def test_links_are_followed_where_that_is_asked_for(store: Store, scope: Scope) -> None:
    many = [memory(f"Drinks tea number {n}", id=uid(str(n)), scope=scope) for n in range(30)]
    lodge = memory("Sings in the lodge choir", id=uid("lodge"), scope=scope)
    tea = memory("Drinks only green tea", id=uid("green"), scope=scope, links=(lodge.id,))
    put(store, scope, [*many, lodge, tea], [])
    ask = Ask(("Who drinks only green tea?",), pool=3, limit=2, mmr=None)

    assert lodge.text not in texts(recall(store, EMBEDDER, scope, ask, NOW).items)
    found = recall(store, EMBEDDER, scope, replace(ask, follow_links=True, floor=0.3), NOW)
    assert texts(found.items) == [tea.text, lodge.text]
    assert "linked" in found.items[1].terms.parts
