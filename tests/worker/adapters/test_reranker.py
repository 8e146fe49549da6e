"""A reranker behind a real HTTP server, in the shapes that servers have."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
import structlog

from worker.adapters import reranker as module
from worker.adapters.reranker import EndpointReranker, places
from worker.errors import Misconfigured, SlowwaveError, TooSlow, Unavailable

TEXTS = ["tea", "boat", "kite"]
KEY = "sk-very-secret"

Reply = tuple[int, Any, dict[str, str]]


@dataclass
class Server:
    url: str = ""
    paths: list[str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)


@contextmanager
def serving(answer: Callable[[dict[str, Any]], Reply]) -> Iterator[Server]:
    """`answer(body)` gives status, document (or bytes) and headers."""
    server = Server()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.paths.append(self.path)
            server.bodies.append(body)
            server.headers.append(dict(self.headers))
            status, document, headers = answer(body)
            sent = document if isinstance(document, bytes) else json.dumps(document).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(sent)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.handle_error = lambda *_: None  # type: ignore[method-assign] # the client hangs up, as it should
        http.daemon_threads = True
        thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        server.url = f"http://127.0.0.1:{http.server_port}"
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()


def order(url: str, query: str = "What does she drink?", texts: list[str] = TEXTS) -> list[int]:
    made = EndpointReranker("rank-1", url, KEY)
    try:
        return made.order(query, texts)
    finally:
        made.close()


def ranked(*indices: int) -> dict[str, Any]:
    scores = [0.9, 0.5, 0.1]
    return {
        "results": [
            {"index": index, "relevance_score": score}
            for index, score in zip(indices, scores, strict=False)
        ]
    }


def test_it_is_asked_as_cohere_jina_vllm_and_llama_cpp_are() -> None:
    with serving(lambda _: (200, ranked(2, 0, 1), {})) as server:
        assert order(f"{server.url}/v1/") == [2, 0, 1]
        assert order(f"{server.url}/v2/rerank") == [2, 0, 1]

    assert server.paths == ["/v1/rerank", "/v2/rerank"]
    assert server.bodies[0] == {
        "model": "rank-1",
        "query": "What does she drink?",
        "documents": TEXTS,
        "top_n": 3,
    }
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_one_that_wants_texts_is_asked_so_from_then_on() -> None:
    """As text-embeddings-inference."""

    def answer(body: dict[str, Any]) -> Reply:
        if "texts" not in body:
            return 422, {"error": "missing field `texts`"}, {}
        return 200, [{"index": 1, "score": 0.9}, {"index": 0, "score": 0.2}], {}

    with serving(answer) as server:
        made = EndpointReranker("rank-1", server.url)
        assert (made.order("tea?", TEXTS), made.order("tea?", TEXTS)) == ([1, 0], [1, 0])
        made.close()

    assert ["texts" in body for body in server.bodies] == [False, True, True]
    assert "Authorization" not in server.headers[0]


def test_any_text_can_be_sent() -> None:
    with serving(lambda _: (200, ranked(0), {})) as server:
        assert order(server.url, "half \ud83d \0 of it", ["猫 🏠", "\udc00x"]) == [0]

    assert server.bodies[0]["documents"] == ["猫 🏠", "x"]


@pytest.mark.parametrize(
    ("reply", "named"),
    [
        (ranked(1, 0), [1, 0]),
        (
            {"results": [{"index": 0, "relevance_score": 0.1}, {"index": 2, "relevance_score": 7}]},
            [2, 0],
        ),
        ({"data": [{"index": 2, "score": 1}]}, [2]),
        ({"results": [{"index": 2}, {"index": 0, "relevance_score": 0.9}]}, [2, 0]),
        ({"results": [{"index": 2, "score": "high"}, {"index": 1, "score": None}]}, [2, 1]),
        ({"results": [{"index": 1, "score": float("nan")}, {"index": 0, "score": 1}]}, [1, 0]),
        (
            [
                {"index": 7},
                {"index": -1},
                {"index": True},
                {"index": "0"},
                {"index": 1},
                {"index": 1},
            ],
            [1],
        ),
        ([None, 3, [], {"score": 1}], []),
        ({"results": {"index": 0}}, []),
        ({}, []),
        (None, []),
        ("garbage", []),
    ],
)
def test_what_is_named_is_read_whatever_else_a_reply_holds(reply: Any, named: list[int]) -> None:
    assert places(reply, 3) == named


@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (500, Unavailable, "HTTP 500"),
        (429, Unavailable, "HTTP 429"),
        (401, Misconfigured, "SLOWWAVE_RECALL_RERANKER_KEY"),
        (404, Misconfigured, "SLOWWAVE_RECALL_RERANKER_URL"),
        (422, Misconfigured, "HTTP 422"),
    ],
)
def test_a_refusal_says_what_to_do_and_nothing_of_what_was_sent(
    status: int, kind: type[SlowwaveError], said: str
) -> None:
    def echo(body: dict[str, Any]) -> Reply:
        return status, {"message": f"refused: {body} {KEY}"}, {}

    with (
        serving(echo) as server,
        structlog.testing.capture_logs() as logs,
        pytest.raises(kind, match=said) as raised,
    ):
        order(server.url)

    for told in (str(raised.value), str(logs)):
        assert KEY not in told
        assert "tea" not in told
        assert "drink" not in told


def test_nobody_is_sent_elsewhere() -> None:
    with serving(lambda _: (200, ranked(0), {})) as elsewhere:
        there = {"Location": f"{elsewhere.url}/rerank"}
        with (
            serving(lambda _: (307, {}, there)) as server,
            pytest.raises(Misconfigured, match="sends elsewhere"),
        ):
            order(server.url)
    assert elsewhere.bodies == []


@pytest.mark.parametrize(
    "body", [b"<html>", b"", b"{}", b'{"results": []}', b"[" * 100_000, b"\xff"]
)
def test_garbage_is_no_order(body: bytes) -> None:
    with (
        serving(lambda _: (200, body, {})) as server,
        pytest.raises(Unavailable, match="sent no order"),
    ):
        order(server.url)


def test_one_that_is_not_there_or_too_slow_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unavailable, match="cannot be asked"):
        order("http://127.0.0.1:1")
    with pytest.raises(Unavailable, match="cannot be asked"):
        order("nonsense")
    monkeypatch.setattr(module, "TIMEOUT_SECONDS", 0.05)
    release = threading.Event()

    def hang(_: dict[str, Any]) -> Reply:
        release.wait(30)
        return 200, ranked(0), {}

    with serving(hang) as server:
        with pytest.raises(TooSlow):
            order(server.url)
        release.set()
