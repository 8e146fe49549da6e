"""Replies that do not end."""

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from pydantic import BaseModel

from worker.adapters.bounded import LARGEST_REPLY
from worker.adapters.chat import EndpointChat
from worker.adapters.model import Completion
from worker.core.step import Prompt
from worker.errors import Misconfigured, Retryable, Unavailable

ANSWER = {"choices": [{"message": {"content": "ja"}, "finish_reason": "stop"}]}
#: Longer than any call here may last, so that a limit which is missing makes a test fail and not hang.
DRIPS, SECONDS_BETWEEN = 150, 0.02


class Word(BaseModel):
    word: str


Send = Callable[[BaseHTTPRequestHandler, threading.Event], None]


@contextmanager
def sending(send: Send) -> Iterator[str]:
    """The base URL of a server that answers each request by `send(handler, closing)`."""
    closing = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            send(self, closing)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.handle_error = lambda *_: None  # type: ignore[method-assign] # the client hangs up, as it should
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            closing.set()
            server.shutdown()
            thread.join()


def complete(url: str, seconds: float) -> Completion:
    chat = EndpointChat("scripted", url, "key", seconds)
    try:
        return chat.complete(Prompt("extraction", {}, Word), [{"role": "user", "content": "{}"}])
    finally:
        chat.close()


def head(handler: BaseHTTPRequestHandler, status: int = 200, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()


def dripping(status: int) -> Send:
    """A space now and then, and in the end what was asked for."""

    def send(handler: BaseHTTPRequestHandler, closing: threading.Event) -> None:
        head(handler, status)
        for _ in range(DRIPS):
            if closing.wait(SECONDS_BETWEEN):
                return
            handler.wfile.write(b" ")
        handler.wfile.write(json.dumps(ANSWER).encode())

    return send


@pytest.mark.parametrize("status", [200, 500])
def test_an_endpoint_that_drips_is_one_that_does_not_answer_in_time(status: int) -> None:
    with (
        sending(dripping(status)) as url,
        pytest.raises(Unavailable, match=r"in time.*SLOWWAVE_MODEL_TIMEOUT_SECONDS"),
    ):
        complete(url, seconds=0.3)


@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("packed", [False, True])
def test_a_reply_without_end_is_given_up_and_counts_as_an_attempt(
    status: int, packed: bool
) -> None:
    body = b" " * (LARGEST_REPLY + 1)

    def send(handler: BaseHTTPRequestHandler, _: threading.Event) -> None:
        head(handler, status, **({"Content_Encoding": "gzip"} if packed else {}))
        handler.wfile.write(gzip.compress(body) if packed else body)

    with sending(send) as url, pytest.raises(Retryable, match="4,000,000 bytes") as caught:
        complete(url, seconds=20)

    assert not isinstance(caught.value, Unavailable)


def test_a_reply_that_comes_packed_and_in_pieces_is_read() -> None:
    packed = gzip.compress(json.dumps(ANSWER).encode())

    def send(handler: BaseHTTPRequestHandler, _: threading.Event) -> None:
        head(handler, Content_Encoding="gzip", Content_Length=str(len(packed)))
        for at in range(0, len(packed), 10):
            handler.wfile.write(packed[at : at + 10])
            handler.wfile.flush()

    with sending(send) as url:
        assert complete(url, seconds=20).text == "ja"


def test_a_reply_that_breaks_off_is_no_answer() -> None:
    def send(handler: BaseHTTPRequestHandler, _: threading.Event) -> None:
        head(handler, Content_Length="1000")
        handler.wfile.write(b'{"choices": [')

    with sending(send) as url, pytest.raises(Unavailable, match="cannot be reached"):
        complete(url, seconds=20)


def test_a_header_that_is_not_ascii_spoils_no_reply() -> None:
    def send(handler: BaseHTTPRequestHandler, closing: threading.Event) -> None:
        body = json.dumps(ANSWER).encode()
        head(handler, X_Proxy="Société", Content_Length=str(len(body)))
        handler.wfile.write(body)

    with sending(send) as url:
        assert complete(url, 5).text == "ja"


def test_what_people_said_is_sent_to_no_other_place_than_was_named() -> None:
    asked: list[str] = []

    def send(handler: BaseHTTPRequestHandler, closing: threading.Event) -> None:
        asked.append(handler.path)
        head(handler, 307, Location="/elsewhere", Content_Length="0")

    with sending(send) as url, pytest.raises(Misconfigured, match=r"sends elsewhere .*_URL"):
        complete(url, 5)

    assert asked == ["/chat/completions"]
