"""TLS in front of a server that has none, with certificates made for the test."""

import os
import shutil
import socket
import socketserver
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

_HOST = "127.0.0.1"


@dataclass(frozen=True)
class Papers:
    """An authority, a server's certificate for 127.0.0.1 and a client's, each with its key."""

    folder: Path

    @property
    def authority(self) -> Path:
        return self.folder / "ca.pem"

    @property
    def server(self) -> tuple[Path, Path]:
        return self.folder / "server.pem", self.folder / "server.key"

    @property
    def client(self) -> tuple[Path, Path]:
        return self.folder / "client.pem", self.folder / "client.key"

    @property
    def options(self) -> str:
        """What a URL says to be let in."""
        certificate, key = self.client
        return f"ssl_ca_certs={self.authority}&ssl_certfile={certificate}&ssl_keyfile={key}"


@pytest.fixture(scope="session")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    if shutil.which("openssl") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("openssl is not installed")
        pytest.skip("openssl is not installed: no certificates for the tests of TLS")
    made = Papers(tmp_path_factory.mktemp("papers"))
    _openssl(made.folder, *"req -x509 -subj /CN=authority -keyout ca.key -out ca.pem".split())
    for name in ("server", "client"):
        signed = "-CA ca.pem -CAkey ca.key -addext subjectAltName=IP:127.0.0.1".split()
        named = f"req -x509 -subj /CN={name} -keyout {name}.key -out {name}.pem".split()
        _openssl(made.folder, *named, *signed, *"-addext basicConstraints=CA:FALSE".split())
    return made


def _openssl(folder: Path, *arguments: str) -> None:
    key = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2".split()
    subprocess.run(["openssl", *arguments, *key], cwd=folder, check=True, capture_output=True)


class _Passage(socketserver.BaseRequestHandler):
    """One connection: decrypted on the way in, encrypted on the way out."""

    def handle(self) -> None:
        front: _Front = self.server  # type: ignore[assignment] # the only one that uses it
        with (
            suppress(OSError),
            front.context.wrap_socket(self.request, server_side=True) as outer,
            socket.create_connection((_HOST, front.behind)) as inner,
        ):
            back = threading.Thread(target=_pass_on, args=(inner, outer), daemon=True)
            back.start()
            _pass_on(outer, inner)
            back.join()


def _pass_on(giver: socket.socket, taker: socket.socket) -> None:
    with suppress(OSError):
        while data := giver.recv(65536):
            taker.sendall(data)
    for end in (giver, taker):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


class _Front(socketserver.ThreadingTCPServer):
    """Lets in who shows a certificate of the authority."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, papers: Papers, port: int = 0) -> None:
        super().__init__((_HOST, port), _Passage)
        self.behind = 0
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(*papers.server)
        self.context.load_verify_locations(papers.authority)
        self.context.verify_mode = ssl.CERT_REQUIRED


@contextmanager
def tls_front(papers: Papers, behind: int, port: int = 0) -> Iterator[int]:
    """The port at which the server at the port `behind` is reached over TLS."""
    with _Front(papers, port) as front:
        front.behind = behind
        serving = threading.Thread(target=front.serve_forever, daemon=True)
        serving.start()
        yield int(front.server_address[1])
        front.shutdown()
        serving.join()
