"""A scripted OpenAI-compatible endpoint on the loopback address: a real server, so that the real client is tested."""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Refusal:
    """An HTTP error in OpenAI's shape."""

    status: int
    message: str = "refused"
    headers: dict[str, str] = field(default_factory=dict)
    #: What else the error holds.
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass
class Endpoint:
    """`script(job, document)` answers each chat request; every request is kept."""

    script: Callable[[str, dict[str, Any]], Any]
    url: str = ""
    #: Whether it says how many tokens a call has used.
    counts: bool = True
    requests: list[dict[str, Any]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def calls(self) -> Counter[str]:
        return Counter(job_of(request) for request in self.requests)

    @property
    def documents(self) -> list[dict[str, Any]]:
        return [json.loads(request["messages"][1]["content"]) for request in self.requests]

    def answer(self, request: dict[str, Any]) -> Any:
        with self.lock:
            self.requests.append(request)
        return self.script(job_of(request), json.loads(request["messages"][1]["content"]))


def job_of(request: dict[str, Any]) -> str:
    """The schema's name, or what the system message is about where no schema is sent."""
    schema = request.get("response_format", {}).get("json_schema", {})
    return str(schema.get("name", "unnamed"))


@contextmanager
def endpoint(script: Callable[[str, dict[str, Any]], Any]) -> Iterator[Endpoint]:
    model = Endpoint(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            reply = model.answer(json.loads(body))
            if isinstance(reply, Refusal):
                error = {"message": reply.message, **reply.fields}
                self._send(reply.status, {"error": error}, reply.headers)
            else:
                self._send(200, completion(reply) | ({} if model.counts else {"usage": None}), {})

        def _send(self, status: int, document: dict[str, Any], headers: dict[str, str]) -> None:
            payload = json.dumps(document).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(payload)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        model.url = f"http://127.0.0.1:{server.server_port}/v1"
        try:
            yield model
        finally:
            server.shutdown()
            thread.join()


def completion(reply: Any) -> dict[str, Any]:
    text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
    return {
        "id": "x",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }
