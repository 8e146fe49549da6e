"""The HTTP service as its clients meet it, over real parts."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, cast
from uuid import UUID

from httpx2 import Response
from redis import Redis
from starlette.testclient import TestClient

from producers.clients import async_client
from producers.producer import AsyncProducer, Producer
from schemas.redis_address import redis_address
from schemas.scope import Scope
from tests.build import NOW
from tests.desk import Desk
from worker import wiring
from worker.adapters.api_keys import ApiKeys, AsyncHash, Keyring
from worker.core.access.api_key import ApiKey, Shown
from worker.interfaces.http.app import create_app
from worker.interfaces.http.service import Service
from worker.recaller import Recaller
from worker.settings import Settings


@dataclass(frozen=True)
class Api:
    """Asks without a key, as a person on this machine, about one scope unless told otherwise."""

    client: TestClient
    desk: Desk
    service: Service
    redis: Redis

    @property
    def scope(self) -> Scope:
        return self.desk.scope

    @property
    def whose(self) -> dict[str, str]:
        return {"app": self.scope.app, "user": self.scope.user}

    def __call__(self, method: str, path: str, **options: Any) -> Response:
        """`params` come on top of the scope's names."""
        params = {**self.whose, **options.pop("params", {})}
        return self.client.request(method, path, params=params, **options)

    def get(self, path: str, **options: Any) -> Response:
        return self("GET", path, **options)

    def post(self, path: str, json: object = None, **options: Any) -> Response:
        return self("POST", path, json=json, **options)

    def remember(self, text: str, **fields: Any) -> UUID:
        """A statement as it stands; the id of its memory."""
        answer = self.post("/v1/memories", {"text": text, **fields}, params={"judge": "false"})
        assert answer.status_code == 201, answer.text
        return UUID(answer.json()["memory"])

    def key(self, app: str, user: str | None = None) -> dict[str, str]:
        """A new key, as the header that shows it."""
        ids = self.redis.hlen("slowwave:api_keys")
        shown = Shown(f"{ids:012x}", "s" * 43)
        kept = ApiKey(id=shown.id, digest=shown.digest, app=app, user=user, created_at=NOW)
        ApiKeys(self.redis).add(kept)
        return {"Authorization": f"Bearer {shown.text}"}


@contextmanager
def serving(settings: Settings, redis: Redis, scope: Scope, **options: Any) -> Iterator[Api]:
    """The service under these settings, opened as it is for real, but not listening."""
    assert settings.redis_url is not None
    parts = wiring.open_parts(settings)
    beside = async_client(redis_address(settings.redis_url), 1.0)
    service = Service(
        settings,
        AsyncProducer(beside),
        Keyring(cast("AsyncHash", beside)),
        Recaller(settings),
        beside,
        open_parts=lambda: parts,
    )
    table = Desk(parts, Producer(redis), scope)
    try:
        with local(create_app(service), **options) as client:
            yield Api(client, table, service, redis)
    finally:
        wiring.close()


#: Asks from this machine and by its name.
local = partial(TestClient, base_url="http://127.0.0.1:8765", client=("127.0.0.1", 50_000))
