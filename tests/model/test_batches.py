"""The protocol holds with a real model behind it: nothing is lost, everything is accounted for."""

import pytest
from redis import Redis

from schemas.scope import Scope
from tests.desk import Desk, desk
from tests.model.learning import learning, parked, settled, work_off
from worker.adapters.chat import EndpointChat
from worker.adapters.embedders.hashed import HashedEmbedder
from worker.core.ports import Store

pytestmark = pytest.mark.model

SAID = (
    ("I repair accordions in Namur.", "2026-03-01T09:00:00Z"),
    ("I repair accordions in Huy now.", "2026-04-01T09:00:00Z"),
)


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (HashedEmbedder().fingerprint, HashedEmbedder().dimensions)


@pytest.fixture
def table(sqlite_store: Store, redis_client: Redis, scope: Scope) -> Desk:
    return desk(sqlite_store, redis_client, scope, HashedEmbedder())


def test_no_turn_is_lost_and_a_run_accounts_for_every_call(table: Desk, chat: EndpointChat) -> None:
    published, known = set(), set()
    for text, said_at in SAID:
        spent = learning(table, chat)
        published.add(table.say(text, said_at).turn_id)
        work_off(table)

        for run in (run for run in table.runs() if run.id not in known):
            known.add(run.id)
            assert run.usage.total_calls == spent.calls
            assert run.usage.total_tokens == spent.tokens > 0
            assert spent.again or spent.calls <= 2, "two calls a batch unless a reply was refused"

    assert settled(table) | parked(table) == published
    assert settled(table) & parked(table) == set()
    assert table.parts.inbox.idle()
    for memory in table.live().values():
        assert set(memory.turn_ids) <= settled(table)
