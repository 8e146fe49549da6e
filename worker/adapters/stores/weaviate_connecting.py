"""Making the client of a server that is new enough."""

import logging
import re
import ssl
from http import HTTPStatus

import httpx
from weaviate import WeaviateClient
from weaviate.classes.init import AdditionalConfig, Auth, GrpcConfig, Timeout
from weaviate.connect import ConnectionParams

from worker.adapters.stores.weaviate_address import Address
from worker.adapters.stores.weaviate_authority import (
    channel_credentials,
    put_authority,
    tls_context,
    untrusted,
)
from worker.adapters.stores.weaviate_errors import (
    CLIENT_ERRORS,
    out_of_reach,
    translated,
    wrong_key,
)
from worker.adapters.stores.weaviate_gate import put_gate
from worker.errors import Misconfigured

OLDEST = (1, 38, 6)
CONNECT_SECONDS = 5


def connect(address: Address, key: str | None, deadline_seconds: float) -> WeaviateClient:
    """The deadline is that of each try. Raises `Unavailable` or `Misconfigured`."""
    context = tls_context(address)
    _check_version(address, key, context)
    # It logs whole objects when one is refused: people's words do not belong into a log.
    logging.getLogger("weaviate-client").setLevel(logging.CRITICAL)
    client = _client(address, key, deadline_seconds)
    put_authority(client, context)
    try:
        client.connect()
    except CLIENT_ERRORS as error:
        client.close()
        raise translated(error, address) from error
    put_gate(client)
    return client


def _client(address: Address, key: str | None, deadline_seconds: float) -> WeaviateClient:
    return WeaviateClient(
        ConnectionParams.from_params(
            http_host=address.host,
            http_port=address.port,
            http_secure=address.secure,
            grpc_host=address.grpc_host,
            grpc_port=address.grpc_port,
            grpc_secure=address.secure,
        ),
        auth_client_secret=Auth.api_key(key) if key else None,
        # Its checks ask PyPI for news, and give a busy server 2 seconds.
        skip_init_checks=True,
        additional_config=AdditionalConfig(
            timeout=Timeout(init=CONNECT_SECONDS, query=deadline_seconds, insert=deadline_seconds),
            trust_env=False,
            grpc_config=GrpcConfig(credentials=channel_credentials(address)),
        ),
    )


def _check_version(address: Address, key: str | None, context: ssl.SSLContext | None) -> None:
    version = _version(address, key, context)
    numbers = tuple(map(int, re.findall(r"\d+", version)[:3]))
    if numbers < OLDEST:
        raise Misconfigured(
            f"{address} is version {version}; slowwave needs {'.'.join(map(str, OLDEST))} or newer, as older"
            " ones leave out parts of a search without a word: upgrade the server"
        )


def _version(address: Address, key: str | None, context: ssl.SSLContext | None) -> str:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        answer = httpx.get(
            f"{address.rest}/v1/meta",
            headers=headers,
            timeout=CONNECT_SECONDS,
            trust_env=False,
            verify=context or True,
        )
    except httpx.HTTPError as error:
        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            raise untrusted(address, str(error)) from error
        raise out_of_reach(address, str(error)) from error
    if answer.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        raise wrong_key(address)
    if answer.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise out_of_reach(address, f"it answers {answer.status_code}")
    try:
        return str(answer.json()["version"])
    except (ValueError, KeyError, TypeError) as error:
        raise Misconfigured(
            f"{address} answers, but not as Weaviate does: look at host and port in SLOWWAVE_STORE_URL"
        ) from error
