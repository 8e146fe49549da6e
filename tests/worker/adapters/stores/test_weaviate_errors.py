import httpx
import pytest
from weaviate.exceptions import (
    UnexpectedStatusCodeError,
    WeaviateInsertManyAllFailedError,
    WeaviateQueryError,
    WeaviateRetryError,
)

from worker.adapters.stores.weaviate_address import Address
from worker.adapters.stores.weaviate_errors import NoTenant, translated
from worker.errors import Misconfigured, Retryable, SlowwaveError, Unavailable, Unprocessable

ADDRESS = Address("db", 8080, "db", 50051)


def status(code: int, text: str = "") -> UnexpectedStatusCodeError:
    return UnexpectedStatusCodeError("", httpx.Response(code, json={"error": text}))


def query(text: str) -> WeaviateQueryError:
    return WeaviateQueryError(text, "GRPC search")


@pytest.mark.parametrize(
    "error, kind",
    [
        (query('explorer: object search at index exp: tenant not found: "t1"'), NoTenant),
        (status(422, 'determine shard: tenant not found: "t1"'), NoTenant),
        (status(401), Misconfigured),
        (status(403), Misconfigured),
        (query("UNAUTHENTICATED: invalid api key"), Misconfigured),
        (query("could not find class Memory in schema"), Misconfigured),
        (status(500), Unavailable),
        (status(503), Unavailable),
        (httpx.ConnectTimeout(""), Unavailable),
        (httpx.RemoteProtocolError(""), Unavailable),
        (WeaviateRetryError("UNAVAILABLE", 5), Unavailable),
        (query("Deadline Exceeded"), Unavailable),
        (
            WeaviateInsertManyAllFailedError("memory pressure: cannot process add object"),
            Unavailable,
        ),
        (WeaviateInsertManyAllFailedError("store is read-only"), Unavailable),
        (
            WeaviateInsertManyAllFailedError("insert called with a vector of the wrong size: 5"),
            Unprocessable,
        ),
        (query("something never seen before"), Retryable),
        (status(422, "something never seen before"), Retryable),
    ],
)
def test_what_an_error_means(error: Exception, kind: type[SlowwaveError]) -> None:
    meant = translated(error, ADDRESS)

    assert type(meant) is kind
    assert kind is NoTenant or "db:8080" in str(meant)


def test_long_words_of_the_server_are_cut() -> None:
    assert len(str(translated(query("x" * 10_000), ADDRESS))) < 500
