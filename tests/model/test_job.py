"""One whole job with a model that can follow it a little: said, said again, changed.

What a model of this size understands is no promise, so no outcome is asserted that depends on its judgment.
"""

from collections import Counter

import pytest
from redis import Redis

from schemas.scope import Scope
from tests.desk import Desk, desk
from tests.model.learning import learning, parked, settled, work_off
from tests.model.weights import QWEN, Weights
from worker.adapters.chat import EndpointChat
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.core.ports import Store

pytestmark = pytest.mark.model

HOME = "I live in Seattle and work as a nurse."
MOVE = "I moved from Seattle to Austin, I live in Austin now."


@pytest.fixture
def weights() -> Weights:
    return QWEN


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (HashedEmbedder().fingerprint, HashedEmbedder().dimensions)


@pytest.fixture
def table(sqlite_store: Store, redis_client: Redis, scope: Scope) -> Desk:
    return desk(sqlite_store, redis_client, scope, HashedEmbedder())


def most_alike(table: Desk) -> int:
    """Live memories that say the same of the same subject in equal words, the most of them."""
    live = [record.memory for record in table.parts.store.memories(table.scope)]
    return max(Counter((one.subject, one.text) for one in live).values(), default=0)


def test_said_twice_said_again_and_changed_loses_and_doubles_nothing(
    table: Desk, chat: EndpointChat
) -> None:
    learning(table, chat)
    first = table.say(HOME, "2026-03-01T09:00:00Z")
    assert table.say(HOME, "2026-03-01T09:00:00Z").status == "duplicate"
    work_off(table)
    once = table.live()

    later = table.say(HOME, "2026-03-08T09:00:00Z")
    work_off(table)
    assert most_alike(table) <= 1, "the same words confirm"

    moved = table.say(MOVE, "2026-04-01T09:00:00Z")
    work_off(table)

    assert settled(table) | parked(table) == {first.turn_id, later.turn_id, moved.turn_id}
    known = {memory.id for memory in table.live().values()}
    archived = {archive.memory.id for archive in table.archives()}
    assert {memory.id for memory in once.values()} <= known | archived
    retired = [archive for archive in table.archives() if archive.memory.id not in known]
    assert all(archive.replaced_by in known | archived for archive in retired)
