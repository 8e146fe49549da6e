"""Where a Weaviate server is, read from `SLOWWAVE_STORE_URL`."""

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from worker.errors import Misconfigured

#: Scheme → the ports that are meant where none is named: REST and gRPC.
PORTS = {"weaviate": (8080, 50051), "weaviates": (443, 443)}
OPTIONS = ("grpc_host", "grpc_port", "prefix", "ssl_ca_certs")
#: What a collection's name may begin with.
PREFIX = re.compile(r"([A-Z][A-Za-z0-9_]{0,63})?")


@dataclass(frozen=True)
class Address:
    """Two ports of one server, what its collections' names begin with, and who signed its certificate."""

    host: str
    port: int
    grpc_host: str
    grpc_port: int
    secure: bool = False
    prefix: str = ""
    #: File of the authorities to trust in place of the public ones.
    ssl_ca_certs: str = ""

    @property
    def rest(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.secure else 'http'}://{host}:{self.port}"

    def __str__(self) -> str:
        return f"Weaviate at {self.host}:{self.port} (gRPC {self.grpc_host}:{self.grpc_port})"


def parse(url: str) -> Address:
    """`weaviate://HOST:PORT?grpc_port=N`, `weaviates://` for TLS. Raises `Misconfigured`.

    `grpc_host` is for servers that have gRPC under another name, `prefix` for several stores on one server,
    `ssl_ca_certs` for a certificate that no public authority has signed.
    """
    try:
        parts = urlsplit(url)
        options = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
        port, grpc_port = PORTS[parts.scheme]
        host = parts.hostname or ""
        address = Address(
            host=host,
            port=parts.port or port,
            grpc_host=options.get("grpc_host", host),
            grpc_port=int(options.get("grpc_port", grpc_port)),
            secure=parts.scheme == "weaviates",
            prefix=options.get("prefix", ""),
            ssl_ca_certs=options.get("ssl_ca_certs", ""),
        )
    except ValueError as error:
        raise Misconfigured(f"SLOWWAVE_STORE_URL={url} cannot be read: {error}") from error
    unknown = sorted(options.keys() - set(OPTIONS))
    if not host or unknown or parts.path.strip("/") or not PREFIX.fullmatch(address.prefix):
        raise Misconfigured(
            f"SLOWWAVE_STORE_URL={url} is not `{parts.scheme}://HOST:PORT?grpc_port=N`; it may also have"
            " `grpc_host`, `ssl_ca_certs`, and a `prefix` of letters that begins with a capital"
        )
    if (address.host, address.port) == (address.grpc_host, address.grpc_port):
        raise Misconfigured(
            f"SLOWWAVE_STORE_URL={url} has one place for both REST and gRPC: name gRPC's with `grpc_port` or"
            " `grpc_host`"
        )
    return address
