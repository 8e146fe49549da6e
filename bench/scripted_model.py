"""An OpenAI-compatible endpoint that answers by a script; it may be slow, fail, or be gone for a while."""

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self

from bench.redis_process import HOST, free_port

#: Job and document → the reply.
Script = Callable[[str, dict[str, Any]], Any]
State = Literal["up", "failing", "gone"]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


class ScriptedModel:
    """Answers while it is entered, on one port for good."""

    def __init__(self, script: Script, delay_seconds: Callable[[], float]) -> None:
        self._script, self._delay = script, delay_seconds
        self._port = free_port()
        self._state: State = "up"
        self._server: _Server | None = None
        self._lock = threading.Lock()
        #: Requests that were answered.
        self.calls = 0

    @property
    def url(self) -> str:
        return f"http://{HOST}:{self._port}/v1"

    def become(self, state: State) -> None:
        """`failing` answers 503; `gone` refuses connections and drops those that are open."""
        self._state = state
        if state == "gone":
            self._stop()
        elif self._server is None:
            self._start()

    def answer(self, body: bytes) -> tuple[int, Any] | None:
        """Status and document; nothing where it is gone meanwhile."""
        request = json.loads(body)
        time.sleep(self._delay())
        if self._state == "gone":
            return None
        if self._state == "failing":
            return 503, {"error": {"message": "out of order"}}
        schema = request.get("response_format", {}).get("json_schema", {})
        reply = self._script(schema["name"], json.loads(request["messages"][1]["content"]))
        with self._lock:
            self.calls += 1
        return 200, _completion(reply)

    def _start(self) -> None:
        self._server = _Server((HOST, self._port), _handler(self))
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def _stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()


def _handler(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = self.rfile.read(length)
            answered = model.answer(body) if len(body) == length else None
            if answered is None:
                self.close_connection = True
                return
            status, document = answered
            payload = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def handle(self) -> None:
            """Whoever asks may be killed meanwhile."""
            try:
                super().handle()
            except ConnectionError:
                self.close_connection = True

        def finish(self) -> None:
            try:
                super().finish()
            except ConnectionError:
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    return Handler


def _completion(reply: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": json.dumps(reply)}
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }
