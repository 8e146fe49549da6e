"""An OpenAI-compatible endpoint that is odd, broken or something else altogether."""

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pydantic import BaseModel

from tests.endpoint import Refusal, endpoint
from worker.adapters.chat import EndpointChat, Extra
from worker.adapters.model import Completion, Message, Model, Tally
from worker.core.failing.retry import LONGEST_HINT_SECONDS
from worker.core.step import Prompt
from worker.errors import Misconfigured, SlowwaveError, TooLong, Unavailable, Unprocessable


class Word(BaseModel):
    word: str


PROMPT = Prompt("extraction", {}, Word)
MESSAGES = [{"role": "system", "content": "Say a word."}, {"role": "user", "content": "{}"}]
SAID = "Ann told me that she has HIV"


class Asks:
    """A step of one question."""

    def ask(self, item: str) -> list[Prompt]:
        return [PROMPT]

    def read(self, item: str, replies: Sequence[BaseModel]) -> str:
        return item


def in_fifty_minutes(form: str) -> str:
    return (datetime.now(UTC) + timedelta(minutes=50)).strftime(form)


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


def complete(url: str, messages: list[Message] = MESSAGES) -> Completion:
    chat = EndpointChat("scripted", url, "key", 5)
    try:
        return chat.complete(PROMPT, messages)
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
        ({"prompt_tokens": -(10**9), "completion_tokens": 10**30}, (0, 0, 0)),
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


@pytest.mark.parametrize("wrote", ['{"word": "j', "", None])
def test_json_that_the_endpoint_itself_finds_broken_is_a_reply_and_no_refusal(
    wrote: str | None,
) -> None:
    fields = {"code": "json_validate_failed", "failed_generation": wrote}
    said = "Failed to generate JSON: it does not match the schema"
    with endpoint(lambda job, document: Refusal(400, said, fields=fields)) as server:
        assert complete(server.url).text == (wrote or "")

    assert len(server.requests) == 1, "the format is not given up for it"


def test_a_prompt_that_is_too_long_is_no_refusal_of_its_format() -> None:
    said = "maximum context length is 10 tokens, 90 of them in the response_format schema"
    with (
        endpoint(lambda job, document: Refusal(400, said)) as server,
        pytest.raises(TooLong, match="too long"),
    ):
        complete(server.url)

    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "said", "remedy"),
    [
        (402, "Insufficient credits", "credit"),
        (402, "You asked for too many tokens for your credit", "credit"),
        (400, "Invalid model name passed in model=scripted", "SLOWWAVE_MODEL"),
        (400, "messages: Extra inputs are not permitted", "SLOWWAVE_MODEL_URL"),
        (405, "Method Not Allowed", "SLOWWAVE_MODEL_URL"),
        (410, "This model has been retired", "SLOWWAVE_MODEL"),
        (418, "I am a teapot", "SLOWWAVE_MODEL_URL"),
        (422, "unknown field: store", "SLOWWAVE_MODEL_URL"),
    ],
)
def test_a_refusal_that_would_meet_every_turn_is_for_a_person_to_mend(
    status: int, said: str, remedy: str
) -> None:
    with (
        endpoint(lambda job, document: Refusal(status, said)) as server,
        pytest.raises(Misconfigured) as caught,
    ):
        complete(server.url)

    told = str(caught.value)
    assert server.url in told
    assert f"HTTP {status}: {said}" in told
    assert remedy in told.partition(said)[2]


@pytest.mark.parametrize(
    ("status", "said", "fault"),
    [
        (400, "This model's maximum context length is 4096 tokens", "too long"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum", "too long"),
        (
            400,
            "The input token count (9) exceeds the maximum number of tokens allowed (8)",
            "too long",
        ),
        (413, "Payload Too Large", "too long"),
        (500, "the input length exceeds the context length", "too long"),
        (
            400,
            "The response was filtered due to Azure OpenAI's content management policy",
            "content",
        ),
        (400, "Invalid prompt: flagged as potentially violating our usage policy", "content"),
        (400, "Content Exists Risk", "content"),
        (403, "Your chosen model requires moderation and your input was flagged", "content"),
    ],
)
def test_only_a_text_that_is_too_long_or_filtered_out_is_at_fault_itself(
    status: int, said: str, fault: str
) -> None:
    with (
        endpoint(lambda job, document: Refusal(status, said)) as server,
        pytest.raises(Unprocessable, match=fault) as caught,
    ):
        complete(server.url)

    assert isinstance(caught.value, TooLong) is (fault == "too long")


@pytest.mark.parametrize("status", [408, 409, 425, 429, 500, 529])
def test_what_may_pass_is_tried_again(status: int) -> None:
    said = "too many tokens per minute" if status == 429 else "later"
    with (
        endpoint(lambda job, document: Refusal(status, said)) as server,
        pytest.raises(Unavailable, match=said),
    ):
        complete(server.url)


@pytest.mark.parametrize("status", [400, 401, 402, 404, 413, 422, 429, 500])
def test_what_was_said_in_a_turn_never_stands_in_an_error(status: int) -> None:
    echo = f"cannot parse input {SAID!r}, key sk-1234567890abcdefghij"
    messages = [MESSAGES[0], {"role": "user", "content": json.dumps({"turns": [SAID]})}]
    with (
        endpoint(lambda job, document: Refusal(status, echo)) as server,
        pytest.raises(SlowwaveError) as caught,
    ):
        complete(server.url, messages)

    assert "HIV" not in str(caught.value)
    assert "sk-1234" not in str(caught.value)


@pytest.mark.parametrize(
    ("hint", "at_least", "at_most"),
    [
        ("7", 7, 7),
        ("0.5", 0.5, 0.5),
        # Named: the processes that share the tests out have to agree on what they are called.
        pytest.param(in_fifty_minutes("%a, %d %b %Y %H:%M:%S GMT"), 60, 3_000, id="GMT"),
        pytest.param(in_fifty_minutes("%a, %d %b %Y %H:%M:%S -0000"), 60, 3_000, id="-0000"),
        ("Thu, 01 Jan 1998 00:00:00 GMT", 0, 0),
        ("315360000", LONGEST_HINT_SECONDS, LONGEST_HINT_SECONDS),
        ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST_HINT_SECONDS, LONGEST_HINT_SECONDS),
        ("inf", LONGEST_HINT_SECONDS, LONGEST_HINT_SECONDS),
        ("-5", 0, 0),
    ],
)
def test_a_hint_is_a_number_or_a_date_and_has_a_ceiling(
    hint: str, at_least: float, at_most: float
) -> None:
    refusal = Refusal(503, headers={"Retry-After": hint})
    with endpoint(lambda job, document: refusal) as server, pytest.raises(Unavailable) as caught:
        complete(server.url)

    assert caught.value.after_seconds is not None
    assert at_least <= caught.value.after_seconds <= at_most


@pytest.mark.parametrize("hint", ["soon", "", "nan", "Wed, 21 Oct 99999 07:28:00 GMT", "1 Jan"])
def test_a_hint_that_makes_no_sense_is_none(hint: str) -> None:
    refusal = Refusal(429, headers={"Retry-After": hint})
    with endpoint(lambda job, document: refusal) as server, pytest.raises(Unavailable) as caught:
        complete(server.url)

    assert caught.value.after_seconds is None


def reply_of(message: Any, finish_reason: str = "stop") -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": finish_reason}]}).encode()


@pytest.mark.parametrize("reason", ["content_filter", "content_filter: PROHIBITED_CONTENT"])
def test_a_reply_that_the_provider_keeps_back_is_not_asked_for_again(reason: str) -> None:
    tally = Tally()
    with answering(reply_of({"content": '{"word": "ja"}'}, reason)) as url:
        model = Model(EndpointChat("scripted", url, "key", 5))
        with pytest.raises(Unprocessable, match=r"extraction.*content"):
            model.run(Asks(), "x", tally)
        model.close()

    assert tally.usage().calls == {"extraction": 1}


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("ja \ud83d", "ja"),
        ([{"type": "thinking", "thinking": []}, {"type": "text", "text": "ja"}], "ja"),
        ([{"type": "text", "text": "j"}, {"type": "text", "text": "a"}], "ja"),
        ([], ""),
        (None, ""),
    ],
)
def test_content_is_read_in_the_shapes_that_endpoints_send(content: Any, text: str) -> None:
    with answering(reply_of({"content": content})) as url:
        assert complete(url).text == text


@pytest.mark.parametrize(
    ("job", "fields"),
    [("extraction", {"top_k": 1, "thinking": "off"}), ("batchwise", {"top_k": 20, "seed": 7})],
)
def test_an_operators_own_fields_go_into_the_body_of_the_job(
    job: str, fields: dict[str, Any]
) -> None:
    extra: Extra = {
        "*": {"top_k": 20},
        "batchwise": {"seed": 7},
        "extraction": {"top_k": 1, "thinking": "off"},
    }
    with endpoint(lambda job, document: {"word": "ja"}) as server:
        chat = EndpointChat("scripted", server.url, "key", 5, extra)
        chat.complete(Prompt(job, {}, Word), MESSAGES)
        chat.close()

    (request,) = server.requests
    assert fields.items() <= request.items()
    assert request["messages"] == MESSAGES
