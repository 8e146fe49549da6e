from collections.abc import Iterator

import pytest

from deploy.weaviate_process import Server
from schemas.scope import Scope
from tests.worker.adapters.stores import layout_2
from tests.worker.adapters.stores.raw import client_of, own_address
from tests.worker.interfaces.cli.running import Cli, Shelf


@pytest.fixture
def old_url(weaviate_server: Server, scope: Scope) -> Iterator[str]:
    """Of a store that the version before has made."""
    with own_address(weaviate_server) as address, client_of(weaviate_server) as client:
        layout_2.make(client, address)
        layout_2.add(client, address, layout_2.held_by(scope))
        yield f"{weaviate_server.url}&prefix={address.prefix}"


def test_a_store_of_the_version_before_is_brought_up_to_date_once(cli: Cli, old_url: str) -> None:
    first = cli("migrate", "--json", SLOWWAVE_STORE_URL=old_url)
    second = cli("migrate", "--json", SLOWWAVE_STORE_URL=old_url)

    assert (first.status, second.status) == (0, 0)
    assert first.document == {"migrated": True, "scopes": 1, "archives": 2}
    assert second.document == {"migrated": False, "scopes": 0, "archives": 0}


def test_people_are_told_what_was_done(cli: Cli, old_url: str) -> None:
    assert cli("migrate", SLOWWAVE_STORE_URL=old_url).out == "migrated 1 scopes with 2 archives\n"
    assert cli("migrate", SLOWWAVE_STORE_URL=old_url).out.startswith("nothing to do")


def test_whoever_opens_an_old_store_is_sent_here(cli: Cli, old_url: str, scope: Scope) -> None:
    whose = ("--app", scope.app, "--user", scope.user)

    told = cli("memories", *whose, SLOWWAVE_STORE_URL=old_url)

    assert told.status == 1
    assert "`slowwave migrate`" in told.err


def test_an_sqlite_file_needs_nothing(cli: Cli, shelf: Shelf) -> None:
    told = cli("migrate", "--json")

    assert told.status == 0
    assert told.document == {"migrated": False, "scopes": 0, "archives": 0}


def test_a_server_that_is_not_there_is_said(cli: Cli) -> None:
    told = cli("migrate", SLOWWAVE_STORE_URL="weaviate://127.0.0.1:9?grpc_port=1")

    assert told.status == 1
    assert told.out == ""
    assert "127.0.0.1:9" in told.err
