"""REST and gRPC over TLS, under an authority of one's own."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from deploy.weaviate_process import Papers as ServerPapers
from deploy.weaviate_process import Server
from deploy.weaviate_server import server
from schemas.memory import MemoryRecord
from schemas.scope import Scope
from tests.build import memory, vector
from tests.hold import HELD
from tests.tls import Papers
from worker.adapters.stores.opening import open_store
from worker.core.ports import Query
from worker.errors import Misconfigured, Unavailable

EMBEDDING = ("tests_8", 8)


@pytest.fixture(scope="module")
def secured(
    tmp_path_factory: pytest.TempPathFactory, weaviate_server: Server, papers: Papers
) -> Iterator[Server]:
    certificate, key = papers.server
    signed = ServerPapers(certificate, key, papers.authority)
    with server(tmp_path_factory.mktemp("tls"), papers=signed) as running:
        yield running


def test_a_store_reads_and_writes_over_tls(secured: Server, scope: Scope) -> None:
    assert secured.url.startswith("weaviates://")
    with closing(open_store(secured.url)) as store:
        store.open(*EMBEDDING)
        writer = store.writer(scope, HELD)
        writer.prepare()
        writer.put_memories([MemoryRecord(memory=memory("x", scope=scope), vector=vector("x"))])

        assert len(store.nominate(scope, [Query(vector("x"))], 5).records) == 1
        assert store.rest() == 0


def test_a_certificate_of_nobody_that_is_trusted_is_refused(secured: Server) -> None:
    url = secured.url.partition("&ssl_ca_certs")[0]
    with closing(open_store(url)) as store, pytest.raises(Misconfigured, match="ssl_ca_certs"):
        store.open(*EMBEDDING)


def test_without_tls_the_server_does_not_answer(secured: Server) -> None:
    url = secured.url.partition("&ssl_ca_certs")[0].replace("weaviates:", "weaviate:")
    with closing(open_store(url)) as store, pytest.raises((Unavailable, Misconfigured)):
        store.open(*EMBEDDING)


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_file_that_names_no_authority_is_a_setting_to_change(
    tmp_path: Path, content: str | None
) -> None:
    file = tmp_path / "ca.pem"
    if content:
        file.write_text(content)
    url = f"weaviates://127.0.0.1:1?grpc_port=2&ssl_ca_certs={file}"
    with closing(open_store(url)) as store, pytest.raises(Misconfigured, match=f"{file}.*PEM"):
        store.open(*EMBEDDING)
