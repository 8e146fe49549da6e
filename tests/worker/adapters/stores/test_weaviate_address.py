import pytest

from worker.adapters.stores.weaviate_address import Address, parse
from worker.errors import Misconfigured


@pytest.mark.parametrize(
    "url, address",
    [
        ("weaviate://db:8090?grpc_port=50052", Address("db", 8090, "db", 50052)),
        ("weaviate://db", Address("db", 8080, "db", 50051)),
        ("weaviate://db/", Address("db", 8080, "db", 50051)),
        (
            "weaviates://db.example:8443?grpc_port=50051&ssl_ca_certs=/etc/ca.pem",
            Address(
                *("db.example", 8443, "db.example", 50051),
                secure=True,
                ssl_ca_certs="/etc/ca.pem",
            ),
        ),
        (
            "weaviates://db.example?grpc_host=grpc.db.example&prefix=Staging",
            Address("db.example", 443, "grpc.db.example", 443, secure=True, prefix="Staging"),
        ),
        ("weaviate://[::1]:1?grpc_port=2", Address("::1", 1, "::1", 2)),
    ],
)
def test_an_address_has_the_ports_that_its_url_names_or_the_usual_ones(
    url: str, address: Address
) -> None:
    assert parse(url) == address


@pytest.mark.parametrize(
    "address, rest",
    [
        (Address("db", 8080, "db", 1), "http://db:8080"),
        (Address("db", 443, "db", 1, secure=True), "https://db:443"),
        (Address("::1", 8080, "::1", 1), "http://[::1]:8080"),
    ],
)
def test_rest_is_asked_at_the_same_host(address: Address, rest: str) -> None:
    assert address.rest == rest


@pytest.mark.parametrize(
    "url",
    [
        "weaviate://",
        "weaviate://db:port",
        "weaviate://db:99999",
        "weaviate://db?grpc_port=many",
        "weaviate://db?grpc=1",
        "weaviate://db?grpc_port",
        "weaviate://db/path",
        "weaviate://db?prefix=small",
        "weaviate://db?prefix=With-Dash",
        "weaviate://[::1",
        "weaviates://one.place.for.both",
        "weaviate://db:1?grpc_port=1",
    ],
)
def test_a_wrong_url_is_a_setting_to_change(url: str) -> None:
    with pytest.raises(Misconfigured, match="SLOWWAVE_STORE_URL"):
        parse(url)
