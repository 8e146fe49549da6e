"""An OpenAI-compatible endpoint that is odd, broken or something else altogether."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pydantic import BaseModel

from tests.endpoint import Refusal, endpoint
from worker.adapters.chat import EndpointChat
from worker.adapters.model import Completion
from worker.core.step import Prompt
from worker.errors import Unavailable, Unprocessable


class Word(BaseModel):
    word: str


PROMPT = Prompt("extraction", {}, Word)
MESSAGES = [{"role": "system", "content": "Say a word."}, {"role": "user", "content": "{}"}]


@contextmanager
def answering(body: bytes) -> Iterator[str]:
    """The base URL of a server that answers every request with these bytes."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def complete(url: str) -> Completion:
    chat = EndpointChat("scripted", url, "key", 5)
    try:
        return chat.complete(PROMPT, MESSAGES)
    finally:
        chat.close()


@pytest.mark.parametrize(
    "body",
    [b"<html>hello</html>", b"[]", b"{}", b'"hi"', b'{"choices": []}', b'{"choices": [{}]}', b""],
)
def test_what_is_no_chat_completion_is_told_with_the_remedy(body: bytes) -> None:
    with answering(body) as url, pytest.raises(Unavailable, match="SLOWWAVE_MODEL_URL"):
        complete(url)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, (0, 0, 0)),
        ({"prompt_tokens": None}, (0, 0, 0)),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 2,
                "prompt_tokens_details": {"cached_tokens": 4},
            },
            (9, 2, 4),
        ),
    ],
)
def test_usage_is_counted_as_far_as_it_is_told(usage: Any, expected: tuple[int, int, int]) -> None:
    choice = {"message": {"content": None, "refusal": "no"}, "finish_reason": "length"}
    with answering(json.dumps({"choices": [choice], "usage": usage}).encode()) as url:
        done = complete(url)

    assert (done.text, done.is_cut) == ("", True)
    assert (done.prompt_tokens, done.completion_tokens, done.cached_tokens) == expected


@pytest.mark.parametrize("status", [400, 422, 500])
def test_a_format_is_refused_under_several_statuses(status: int) -> None:
    replies: list[Any] = [Refusal(status, "json_schema is not supported"), {"word": "ja"}]
    with endpoint(lambda job, document: replies.pop(0)) as server:
        assert complete(server.url).text == '{"word": "ja"}'

    assert [r["response_format"]["type"] for r in server.requests] == ["json_schema", "json_object"]


def test_a_prompt_that_is_too_long_is_no_refusal_of_its_format() -> None:
    said = "maximum context length is 10 tokens, 90 of them in the response_format schema"
    with (
        endpoint(lambda job, document: Refusal(400, said)) as server,
        pytest.raises(Unprocessable, match="too long"),
    ):
        complete(server.url)

    assert len(server.requests) == 1


def test_a_hint_may_be_a_date() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    refusal = Refusal(503, headers={"Retry-After": later})
    with endpoint(lambda job, document: refusal) as server, pytest.raises(Unavailable) as caught:
        complete(server.url)

    assert 3_000 < (caught.value.after_seconds or 0) <= 3_600


@pytest.mark.parametrize("hint", ["soon", "", "-5"])
def test_a_hint_that_makes_no_sense_is_none_or_nothing(hint: str) -> None:
    refusal = Refusal(429, headers={"Retry-After": hint})
    with endpoint(lambda job, document: refusal) as server, pytest.raises(Unavailable) as caught:
        complete(server.url)

    assert not caught.value.after_seconds
