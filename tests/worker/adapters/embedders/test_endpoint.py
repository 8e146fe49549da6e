"""Against a real HTTP server on the loopback address that answers as it is told."""

import base64
import json
import struct
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from worker.adapters.embedders.endpoint import BATCH, EndpointEmbedder
from worker.adapters.embedders.opening import open_embedder
from worker.errors import (
    Misconfigured,
    Retryable,
    SlowwaveError,
    TooLong,
    TooSlow,
    Unavailable,
    Unprocessable,
)


class Server:
    """Embeds a text of n characters as (n, 1, 0, 0); what is set below takes its place."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.status = 200
        self.headers: dict[str, str] = {}
        self.body: bytes | None = None
        self.packed = True
        self.reversed = False
        self.wait = threading.Event()
        self.wait.set()

    def answer(self, request: dict[str, Any]) -> bytes:
        if self.body is not None:
            return self.body
        size = request.get("dimensions", 4)
        items = [
            {"index": at, "embedding": self.vector(text, size)}
            for at, text in enumerate(request["input"])
        ]
        return json.dumps({"data": items[::-1] if self.reversed else items}).encode()

    def vector(self, text: str, size: int) -> str | list[float]:
        numbers = [float(len(text)), 1.0, *([0.0] * (size - 2))]
        if not self.packed:
            return numbers
        return base64.b64encode(struct.pack(f"<{size}f", *numbers)).decode()


def handler(server: Server) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            server.asked.append(request)
            server.keys.append(self.headers["authorization"])
            server.wait.wait(5)
            body = server.answer(request)
            self.send_response(server.status)
            for name, value in {"content-type": "application/json", **server.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    return Handler


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
def url(server: Server) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler(server)) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}/v1"
        server.wait.set()
        http.shutdown()
        thread.join()


@pytest.fixture
def embedder(url: str) -> Iterator[EndpointEmbedder]:
    embedder = EndpointEmbedder("test/model-1", url, "a-key")
    yield embedder
    embedder.close()


def numbers(vector: bytes) -> list[float]:
    return [float(number) for number in np.frombuffer(vector, "<f4")]


@pytest.mark.parametrize("packed", [True, False])
def test_vectors_come_back_at_length_one_packed_or_not(
    embedder: EndpointEmbedder, server: Server, packed: bool
) -> None:
    server.packed = packed

    [vector] = embedder.embed(["abc"])

    assert numbers(vector) == pytest.approx([3 / 10**0.5, 1 / 10**0.5, 0, 0])
    assert server.keys[-1] == "Bearer a-key"


def test_the_size_is_asked_for_once_and_stands_in_the_fingerprint(
    embedder: EndpointEmbedder, server: Server
) -> None:
    assert embedder.dimensions == 4
    assert embedder.fingerprint.endswith("_4")
    assert len(server.asked) == 1


def test_dimensions_are_sent_only_if_set(url: str, server: Server) -> None:
    for dimensions in (None, 6):
        embedder = EndpointEmbedder("m", url, dimensions=dimensions)
        [vector] = embedder.embed(["abc"])
        embedder.close()

        assert len(vector) == 4 * (dimensions or 4)
        assert server.asked[-1].get("dimensions") == dimensions


def test_many_texts_go_in_several_requests_and_keep_their_order(
    embedder: EndpointEmbedder, server: Server
) -> None:
    server.reversed = True
    texts = ["x" * length for length in range(1, BATCH + 3)]

    vectors = embedder.embed(texts)

    assert [round(v[0] / v[1]) for v in map(numbers, vectors)] == list(range(1, BATCH + 3))
    assert max(len(request["input"]) for request in server.asked) == BATCH


def test_an_empty_text_is_sent_as_something(embedder: EndpointEmbedder, server: Server) -> None:
    embedder.embed(["", "\0", " "])

    assert all(text.strip() for text in server.asked[0]["input"])


@pytest.mark.parametrize(
    "status, said, kind, names",
    [
        (401, "no", Misconfigured, "SLOWWAVE_EMBEDDER_KEY"),
        (402, "Insufficient credits", Misconfigured, "credit"),
        (403, "no", Misconfigured, "SLOWWAVE_EMBEDDER_KEY"),
        (404, "no", Misconfigured, "SLOWWAVE_EMBEDDER_URL"),
        (400, "Invalid model name", Misconfigured, "Invalid model name.*SLOWWAVE_EMBEDDER,"),
        (422, "batch size 32 > maximum allowed batch size 8", Misconfigured, "batch size 32"),
        (400, "`inputs` must have less than 512 tokens", TooLong, "too long"),
        (413, "no", TooLong, "too long"),
        (400, "Content Exists Risk", Unprocessable, "content"),
        (408, "no", TooSlow, "408"),
        (429, "no", Unavailable, "429: no"),
        (500, "no", Unavailable, "500: no"),
        (503, "no", Unavailable, "503: no"),
    ],
)
def test_a_refusal_says_what_to_do(
    embedder: EndpointEmbedder,
    server: Server,
    status: int,
    said: str,
    kind: type[SlowwaveError],
    names: str,
) -> None:
    server.status = status
    server.body = json.dumps({"error": {"message": said}}).encode()

    with pytest.raises(kind, match=names) as caught:
        embedder.embed(["abc"])

    assert type(caught.value) is kind
    assert len(server.asked) == 1


def test_a_servers_hint_is_kept(embedder: EndpointEmbedder, server: Server) -> None:
    server.status, server.headers, server.body = 429, {"retry-after": "7.5"}, b"{}"

    with pytest.raises(Unavailable) as caught:
        embedder.embed(["abc"])

    assert caught.value.after_seconds == 7.5


def test_refused_dimensions_name_their_setting(url: str, server: Server) -> None:
    server.status = 400
    server.body = b'{"error": {"message": "this model does not support dimensions"}}'
    embedder = EndpointEmbedder("m", url, dimensions=9)

    with pytest.raises(Misconfigured, match="SLOWWAVE_EMBEDDER_DIMENSIONS"):
        embedder.embed(["abc"])
    embedder.close()


def test_ignored_dimensions_are_noticed(url: str, server: Server) -> None:
    server.body = b'{"data": [{"index": 0, "embedding": [1, 2, 3]}]}'
    embedder = EndpointEmbedder("m", url, dimensions=2)

    with pytest.raises(Misconfigured, match=r"3 dimensions, 2 are expected"):
        embedder.embed(["abc"])
    embedder.close()


@pytest.mark.parametrize(
    "body",
    [
        b"<html>hello</html>",
        b"[]",
        b'{"data": []}',
        b'{"data": [{"embedding": [1, 2]}, {"embedding": [1, 2]}]}',
        b'{"data": [{"embedding": []}]}',
        b'{"data": [{"embedding": [0, 0]}]}',
        b'{"data": [{"embedding": [1, NaN]}]}',
        b'{"data": [{"embedding": "!!!!"}]}',
        b'{"data": [{"embedding": "AAA="}]}',
    ],
)
def test_an_unusable_answer_is_tried_again_later(
    embedder: EndpointEmbedder, server: Server, body: bytes
) -> None:
    server.body = body

    with pytest.raises(Retryable, match="no usable vectors") as caught:
        embedder.embed(["abc"])

    assert not isinstance(caught.value, Unavailable)


def test_a_closed_port_is_out_of_reach() -> None:
    embedder = EndpointEmbedder("m", "http://127.0.0.1:9/v1")

    with pytest.raises(Unavailable, match="SLOWWAVE_EMBEDDER_URL"):
        embedder.embed(["abc"])
    embedder.close()


def test_a_silent_server_is_out_of_reach(url: str, server: Server) -> None:
    server.wait.clear()
    embedder = EndpointEmbedder("m", url, timeout_seconds=0.05)

    with pytest.raises(Unavailable):
        embedder.embed(["abc"])
    embedder.close()


def test_a_name_with_an_endpoint_opens_it(url: str) -> None:
    embedder = open_embedder("some-model", url, dimensions=4)

    assert embedder.fingerprint.startswith("m_some_model_")
    embedder.close()
