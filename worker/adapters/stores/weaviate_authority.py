"""Whose signature makes a server's certificate good."""

import ssl
from pathlib import Path
from typing import Any

import grpc  # type: ignore[import-untyped]
import httpx
from weaviate import WeaviateClient

from worker.adapters.stores.weaviate_address import Address
from worker.errors import Misconfigured


def tls_context(address: Address) -> ssl.SSLContext | None:
    """For REST; nothing where the public authorities do. Raises `Misconfigured` for a file that names none."""
    if not address.ssl_ca_certs:
        return None
    try:
        return ssl.create_default_context(cafile=address.ssl_ca_certs)
    except OSError as error:
        raise Misconfigured(
            f"ssl_ca_certs={address.ssl_ca_certs} of SLOWWAVE_STORE_URL cannot be used: {error}. Name a PEM file of"
            " the authority that signed the certificate"
        ) from error


def channel_credentials(address: Address) -> Any:
    """The same for gRPC."""
    if not address.ssl_ca_certs:
        return None
    return grpc.ssl_channel_credentials(Path(address.ssl_ca_certs).read_bytes())


def untrusted(address: Address, why: str) -> Misconfigured:
    return Misconfigured(
        f"the certificate of {address} is signed by nobody that is trusted: {why}. Name a PEM file of the authority"
        " that signed it with `ssl_ca_certs=FILE` in SLOWWAVE_STORE_URL",
        part="store",
    )


def put_authority(client: WeaviateClient, context: ssl.SSLContext | None) -> None:
    """Before `connect`: the client has an option for gRPC's authority, and none for REST's."""
    if context is None:
        return

    def mounts(_colour: str) -> dict[str, httpx.HTTPTransport]:
        return {"https://": httpx.HTTPTransport(verify=context, trust_env=False)}

    connection = client._connection  # noqa: SLF001 - see above
    connection._make_mounts = mounts  # type: ignore[method-assign,assignment] # noqa: SLF001 - see above
