"""Of what was shown and has changed, the words that hold no more are named, where they may be: on both stores."""

from collections.abc import Callable
from typing import TypeVar

import pytest

from schemas.memory import ArchiveRecord, MemoryRecord
from schemas.scope import Scope
from tests.build import NOW, at, memory, uid
from tests.hold import HELD
from tests.snapshots import revised, snapshot
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.core.ports import Store
from worker.core.recalling.ask import Ask
from worker.core.recalling.calls import Asked
from worker.errors import Unavailable
from worker.recall import recall

T = TypeVar("T")
EMBEDDER = HashedEmbedder()
SHOWN = {uid(name): 1 for name in ("home", "asthma", "kite", "tea")}


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (EMBEDDER.fingerprint, EMBEDDER.dimensions)


@pytest.fixture
def changed(store: Store, scope: Scope) -> Store:
    """All were shown: one was corrected, one forgotten, one has lapsed, and one is as it was."""
    writer = store.writer(scope, HELD)
    writer.prepare()
    texts = {"home": "Lives in Bergen", "tea": "Drinks tea"}
    live = {name: memory(text, id=uid(name), scope=scope) for name, text in texts.items()}
    live["home"] = live["home"].model_copy(update={"version": 2, "updated_at": at(-4)})
    kite = memory("Has a kite for now", id=uid("kite"), scope=scope, until=at(-1))
    oslo = memory("Lives in Oslo", id=uid("home"), scope=scope)
    asthma = memory("Has asthma", id=uid("asthma"), scope=scope)
    archives = [revised(oslo, at(-4)), snapshot(asthma, "forgotten", None, at(-3))]
    vector = EMBEDDER.embed(["x"])[0]
    writer.put_memories([MemoryRecord(memory=one, vector=vector) for one in (*live.values(), kite)])
    writer.put_archives([ArchiveRecord(archive=one, vector=vector) for one in archives])
    return store


@pytest.mark.parametrize("queries", [(), ("Where is home?",)])
def test_what_holds_no_more_is_named_and_what_was_forgotten_is_not(
    changed: Store, scope: Scope, queries: tuple[str, ...]
) -> None:
    told = recall(changed, EMBEDDER, scope, Ask(queries, shown=SHOWN), NOW)

    assert [(one.memory.text, one.at) for one in told.outdated] == [
        ("Lives in Oslo", at(-4)),
        ("Has a kite for now", at(-1)),
    ]
    assert set(told.withdrawn) == {uid("asthma"), uid("kite")}


def test_nothing_more_is_read_where_nothing_has_changed(changed: Store, scope: Scope) -> None:
    asked: list[Asked] = []

    def noted(part: Asked, work: Callable[[], T]) -> T:
        asked.append(part)
        return work()

    told = recall(changed, EMBEDDER, scope, Ask(shown={uid("tea"): 1}), NOW, calls=noted)

    assert (told.outdated, asked) == ((), ["store"])


def test_corrections_are_told_where_the_words_before_cannot_be_read(
    changed: Store, scope: Scope
) -> None:
    asked: list[Asked] = []

    def once(part: Asked, work: Callable[[], T]) -> T:
        if part in asked:
            raise Unavailable("too late")
        asked.append(part)
        return work()

    told = recall(changed, EMBEDDER, scope, Ask(shown=SHOWN), NOW, calls=once)

    assert [one.memory.text for one in told.items] == ["Lives in Bergen"]
    assert told.outdated == ()
    assert told.degraded == ("what was shown before is not named (too late)",)
