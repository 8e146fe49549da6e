"""An endpoint that talks, whole or in pieces."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

WORDS = ["You ", "live ", "in ", "Oslo."]


class Model:
    """Answers with the same words, whole or as a stream, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.status = 200
        #: What a whole answer has beside its role, in place of the words.
        self.message: dict[str, Any] | None = None
        #: What a stream says.
        self.deltas: list[dict[str, Any]] = [{"content": word} for word in WORDS]
        self.url = ""

    @property
    def told(self) -> str:
        """All that the last request holds."""
        return json.dumps(self.asked[-1]["messages"])

    def answer(self, request: dict[str, Any]) -> tuple[str, bytes]:
        self.asked.append(request)
        if self.status != 200:
            return "application/json", b'{"error": {"message": "no"}}'
        if request.get("stream"):
            chunks = [chunk(delta) for delta in self.deltas]
            lines = [f"data: {json.dumps(one)}\n\n" for one in [*chunks, chunk({}, "stop")]]
            return "text/event-stream", "".join([*lines, "data: [DONE]\n\n"]).encode()
        text = json.dumps({"city": "Oslo"}) if "response_format" in request else "".join(WORDS)
        message = {"role": "assistant", **(self.message or {"content": text})}
        whole = {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": "m",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        }
        return "application/json", json.dumps(whole).encode()


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "x",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "m",
        "choices": [choice],
    }


@contextmanager
def serving(model: Model) -> Iterator[None]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle(self) -> None:
            # A client may leave a stream unread.
            with suppress(ConnectionResetError, BrokenPipeError):
                super().handle()

        def do_POST(self) -> None:
            kind, body = model.answer(
                json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            )
            self.send_response(model.status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        model.url = f"http://127.0.0.1:{server.server_port}/v1"
        try:
            yield
        finally:
            server.shutdown()
            thread.join()
