"""Each case is a conversation on both stores, with given similarities."""

from collections.abc import Mapping

import pytest
from redis import Redis

from schemas.scope import Scope
from tests.cases.talk import AtDesk
from tests.desk import Desk, desk
from tests.similarity import GivenSimilarities
from worker.core.ports import Store


@pytest.fixture
def embedding() -> tuple[str, int]:
    return (GivenSimilarities().fingerprint, GivenSimilarities().dimensions)


@pytest.fixture
def at_desk(store: Store, redis_client: Redis) -> AtDesk:
    def made(scope: Scope, near: Mapping[str, tuple[str, float]] | None = None) -> Desk:
        return desk(store, redis_client, scope, GivenSimilarities(near or {}))

    return made
