"""Keys with least rights: what docs/weaviate.md gives a worker is enough, and each of it is needed."""

import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import weaviate
from weaviate.classes.init import AdditionalConfig, Auth
from weaviate.classes.rbac import Permissions

from deploy.weaviate_process import Server
from deploy.weaviate_server import server
from schemas.memory import MemoryRecord
from schemas.scope import Scope
from tests.build import NOW, memory, vector
from tests.hold import HELD
from tests.worker.adapters.stores.keeping import archived, run
from worker.adapters.stores.opening import open_store
from worker.adapters.stores.weaviate_resting import Resting
from worker.core.ports import Query, Store
from worker.errors import Misconfigured

ROOT = Path(__file__).parents[4]
EMBEDDING = ("tests_8", 8)
KEYS = {
    "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "false",
    "AUTHENTICATION_APIKEY_ENABLED": "true",
    "AUTHENTICATION_APIKEY_ALLOWED_KEYS": "root-key,worker-key,setup-key,poor-key",
    "AUTHENTICATION_APIKEY_USERS": "root,worker,setup,poor",
    "AUTHORIZATION_RBAC_ENABLED": "true",
    "AUTHORIZATION_RBAC_ROOT_USERS": "root",
}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, weaviate_server: Server) -> Iterator[Server]:
    """A server with the roles of the page."""
    with (
        server(tmp_path_factory.mktemp("rights"), environment=KEYS) as running,
        rooted(running) as client,
    ):
        page = (ROOT / "docs" / "weaviate.md").read_text()
        (commands,) = re.findall(r"```python roles\n(.*?)```", page, re.DOTALL)
        exec(commands, {"client": client})  # noqa: S102 - our own page
        with closing(open_store(running.url, "setup-key")) as first:
            first.open(*EMBEDDING)
        yield running


@contextmanager
def rooted(running: Server) -> Iterator[weaviate.WeaviateClient]:
    with weaviate.connect_to_local(
        port=running.port,
        grpc_port=running.grpc_port,
        auth_credentials=Auth.api_key("root-key"),
        skip_init_checks=True,
        additional_config=AdditionalConfig(trust_env=False),
    ) as client:
        yield client


def everything(store: Store, scope: Scope) -> None:
    """All that a worker does with a scope."""
    store.open(*EMBEDDING)
    writer = store.writer(scope, HELD)
    writer.prepare()
    one = MemoryRecord(memory=memory("x", scope=scope), vector=vector("x"))
    writer.put_run(run(scope, "opened"))
    writer.put_archives([archived(one)])
    writer.put_memories([one])
    assert len(store.nominate(scope, [Query(vector("x"))], 5).records) == 1
    assert store.count(scope) == 1
    rest(store)
    writer.remove_memories([one.memory.id])
    writer.erase(NOW)
    assert not store.about(scope).is_prepared


def rest(store: Any) -> None:
    assert Resting(store._link, 1e-9, 1).rest() > 0


def test_a_worker_does_everything_with_its_role(guarded: Server, scope: Scope) -> None:
    with closing(open_store(guarded.url, "worker-key")) as store:
        everything(store, scope)


def test_a_worker_cannot_make_collections(guarded: Server) -> None:
    with (
        closing(open_store(f"{guarded.url}&prefix=MemoryOther", "worker-key")) as store,
        pytest.raises(Misconfigured, match="`create_collections`"),
    ):
        store.open(*EMBEDDING)


DATA, TENANTS, COLLECTIONS = Permissions.data, Permissions.tenants, Permissions.collections
NEEDED: dict[str, Callable[[], Any]] = {
    "read_data": lambda: DATA(collection="Memory*", read=True),
    "create_data": lambda: DATA(collection="Memory*", create=True),
    "update_data": lambda: DATA(collection="Memory*", update=True),
    "delete_data": lambda: DATA(collection="Memory*", delete=True),
    "create_tenants": lambda: TENANTS(collection="Memory*", create=True),
    "update_tenants": lambda: TENANTS(collection="Memory*", update=True),
    "delete_tenants": lambda: TENANTS(collection="Memory*", delete=True),
    "read_collections": lambda: COLLECTIONS(collection="Memory*", read_config=True),
}


@pytest.mark.parametrize("missing", NEEDED)
def test_a_right_that_is_missing_is_named(guarded: Server, scope: Scope, missing: str) -> None:
    role = f"poor{uuid4().hex}"
    with rooted(guarded) as client:
        rights = [right() for name, right in NEEDED.items() if name != missing]
        client.roles.create(role_name=role, permissions=rights)
        client.users.db.assign_roles(user_id="poor", role_names=[role])
        try:
            with (
                closing(open_store(guarded.url, "poor-key")) as store,
                pytest.raises(Misconfigured, match=f"SLOWWAVE_STORE_KEY `{missing}`") as caught,
            ):
                everything(store, scope)
        finally:
            client.roles.delete(role)
    assert caught.value.part == "store"


def test_a_role_that_may_not_see_tenants_puts_only_its_own_to_rest(guarded: Server) -> None:
    """The server answers with none instead of refusing: so it is written about."""
    assert "read_tenants" in (ROOT / "docs" / "weaviate.md").read_text()
