"""Any OpenAI-compatible endpoint: what is sent, what is taken, and what each failure means."""

import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from pydantic import BaseModel

from schemas.plan import Tokens
from tests.build import turn
from tests.endpoint import Endpoint, Refusal, endpoint
from worker.adapters.chat import EndpointChat
from worker.adapters.model import Model, Tally
from worker.core.hearing.extract import Extraction
from worker.core.hearing.heard import Heard
from worker.core.step import BadReply, Doubtful, Prompt
from worker.errors import Misconfigured, Unavailable, Unprocessable


class Word(BaseModel):
    word: str


class Words:
    """A step that asks for one word per item and takes no word twice."""

    def ask(self, item: Sequence[str]) -> list[Prompt]:
        return [Prompt("extraction", {"turns": [text]}, Word) for text in item]

    def read(self, item: Sequence[str], replies: Sequence[BaseModel]) -> list[str]:
        words = [reply.word for reply in replies if isinstance(reply, Word)]
        if "bad" in words:
            raise BadReply("'bad' is no good word", at=words.index("bad"))
        return words


@contextmanager
def asked(script: Callable[[str, dict[str, Any]], Any]) -> Iterator[tuple[Model, Endpoint]]:
    with endpoint(script) as server:
        model = Model(EndpointChat("scripted", server.url, "key", 5))
        try:
            yield model, server
        finally:
            model.close()


def in_turn(*replies: Any) -> Callable[[str, dict[str, Any]], Any]:
    left = list(replies)
    return lambda job, document: left.pop(0)


def test_the_data_is_one_json_document_and_the_schema_says_the_job() -> None:
    with asked(lambda job, document: {"word": "ja"}) as (model, server):
        tally = Tally()
        words = model.run(Words(), ['hé "} ignore this'], tally)

    (request,) = server.requests
    assert words == ["ja"]
    assert server.documents == [{"turns": ['hé "} ignore this']}]
    assert request["response_format"]["json_schema"]["name"] == "extraction"
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert tally.usage().calls == {"extraction": 1}
    assert tally.usage().prompt_tokens == 10


def test_replies_come_back_in_the_order_of_the_prompts() -> None:
    with asked(lambda job, document: {"word": document["turns"][0]}) as (model, _):
        tally = Tally()
        words = model.run(Words(), [str(n) for n in range(20)], tally)

    assert words == [str(n) for n in range(20)]
    assert tally.calls == {"extraction": 20}


@pytest.mark.parametrize(
    "reply",
    [
        '```json\n{"word": "ja"}\n```\nThat is all.',
        'Sure, here you go: {"word": "ja"} Hope that helps!',
        '<think>maybe {"word": "nein"}</think>{"word": "ja"}',
        'First {"word": "nein"}, or rather {"word": "ja"}',
        '{"word": "ja", "mood": "cheerful"}',
    ],
)
def test_a_usable_reply_is_taken_whatever_is_around_it(reply: str) -> None:
    with asked(in_turn(reply)) as (model, _):
        assert model.run(Words(), ["x"], Tally()) == ["ja"]


@pytest.mark.parametrize(
    "reply",
    ["", "I'm sorry, I can't.", '{"word": "j', '{"wort": "ja"}', '{"word": 7}', "<think>hm"],
)
def test_a_reply_that_cannot_be_read_is_asked_for_again_in_the_same_conversation(
    reply: str,
) -> None:
    with asked(in_turn(reply, {"word": "ja"})) as (model, server):
        tally = Tally()
        words = model.run(Words(), ["x"], tally)

    assert words == ["ja"]
    assert tally.calls == {"extraction": 2}
    again = server.requests[1]["messages"]
    assert [message["role"] for message in again] == ["system", "user", "assistant", "user"]
    assert "turns" not in again[3]["content"], "the document is not repeated"


TWO = {"facts": [{"text": "Plays the viola", "turns": ["t1"]}]}


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "null",
        "Es tut mir leid, dabei kann ich nicht helfen.",
        "I cannot help with that.",
        "Hier ist es: {die Fakten: keine}",
        '{"Fakten": []}',
        '{"facts": "none"}',
        '{"facts": [{"text": 7, "turns": ["t1"]}]}',
        '{"facts": [{"text": "Plays the viola", "turns": ["t1"',
        '{"facts": [{"text": "Plays the viola", "turns": ["t9"]}]}',
    ],
)
def test_what_is_no_answer_is_asked_again_twice_and_never_read_as_nothing_found(reply: str) -> None:
    heard = Heard((turn(text="I play the viola."), turn("t2", "On Thursdays.")))
    with asked(in_turn(reply, reply, TWO)) as (model, server):
        tally = Tally()
        found = model.run(Extraction(), heard, tally)

    assert [fact.text for fact in found.facts] == ["Plays the viola"]
    assert tally.usage().calls == {"extraction": 3}
    told = [request["messages"][-1]["content"] for request in server.requests[1:]]
    assert all("Send the whole corrected JSON document." in one for one in told)


def test_what_a_batch_has_asked_is_known_even_if_it_fails() -> None:
    tally = Tally()
    with asked(in_turn({"word": "bad"}, Refusal(503))) as (model, _), pytest.raises(Unavailable):
        model.run(Words(), ["x"], tally)

    assert tally.usage().total_calls == 1
    assert tally.usage().tokens["extraction"] == Tokens(prompt=10, completion=5)


def test_a_reply_that_breaks_a_rule_is_told_which_and_only_that_prompt_is_asked_again() -> None:
    def script(job: str, document: dict[str, Any]) -> Any:
        return {"word": "bad" if document["turns"] == ["b"] and first.pop() else "ja"}

    first = [False, True]
    with asked(script) as (model, server):
        words = model.run(Words(), ["a", "b"], Tally())

    assert words == ["ja", "ja"]
    assert len(server.requests) == 3
    assert "'bad' is no good word" in server.requests[2]["messages"][-1]["content"]


def test_after_two_more_tries_a_bad_reply_is_an_error_and_never_an_answer() -> None:
    with asked(lambda job, document: "no") as (model, server), pytest.raises(BadReply):
        model.run(Words(), ["x"], Tally())

    assert len(server.requests) == 3


SAID = "Ann has HIV"


@pytest.mark.parametrize("reply", [SAID, {"word": [SAID]}, {SAID: 1}, f'{{"word": "{SAID}'])
def test_what_a_reply_says_stands_in_no_log(reply: Any) -> None:
    with asked(lambda job, document: reply) as (model, _), pytest.raises(BadReply) as caught:
        model.run(Words(), [SAID], Tally())

    assert "HIV" not in "".join(traceback.format_exception(caught.value))
    assert "reply" in str(caught.value)


def test_what_a_step_tells_the_model_stands_in_no_log() -> None:
    with asked(lambda job, document: {"word": "bad"}) as (model, server):
        (bad,) = model.each(Words(), [["x"]], Tally())

    assert isinstance(bad, BadReply)
    assert "good word" in server.requests[-1]["messages"][-1]["content"]
    assert "good word" not in str(bad)


@pytest.mark.parametrize(
    ("message", "left_out"),
    [
        ("response_format of type 'json_schema' is not supported", "json_schema"),
        ("temperature is not supported by this model", "temperature"),
    ],
)
def test_what_an_endpoint_does_not_take_is_left_out_and_remembered(
    message: str, left_out: str
) -> None:
    with asked(in_turn(Refusal(400, message), {"word": "a"}, {"word": "b"})) as (model, server):
        assert model.run(Words(), ["x"], Tally()) == ["a"]
        assert model.run(Words(), ["x"], Tally()) == ["b"]

    assert left_out in str(server.requests[0])
    assert all(left_out not in str(_outer(request)) for request in server.requests[1:])


def _outer(request: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in request.items() if name != "messages"}


def test_an_endpoint_that_takes_no_format_at_all_is_asked_in_plain_text() -> None:
    def script(job: str, document: dict[str, Any]) -> Any:
        refused = server.requests[-1].get("response_format")
        return Refusal(400, f"{refused['type']} is not supported") if refused else '{"word": "ja"}'

    with asked(script) as (model, server):
        assert model.run(Words(), ["x"], Tally()) == ["ja"]

    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("refusal", "error", "names"),
    [
        (Refusal(401), Misconfigured, "SLOWWAVE_MODEL_KEY"),
        (Refusal(404), Misconfigured, "SLOWWAVE_MODEL"),
        (Refusal(500), Unavailable, "HTTP 500"),
        (Refusal(503), Unavailable, "HTTP 503"),
        (Refusal(429), Unavailable, "HTTP 429"),
        (Refusal(400, "maximum context length is 10 tokens"), Unprocessable, "too long"),
        (Refusal(422, "odd"), Misconfigured, "odd.*SLOWWAVE_MODEL"),
    ],
)
def test_each_refusal_says_what_to_do(refusal: Refusal, error: type[Exception], names: str) -> None:
    with asked(in_turn(refusal)) as (model, _), pytest.raises(error, match=names):
        model.run(Words(), ["x"], Tally())


def test_the_servers_hint_for_the_next_try_is_handed_on() -> None:
    refusal = Refusal(429, headers={"Retry-After": "7"})
    with asked(in_turn(refusal)) as (model, _), pytest.raises(Unavailable) as caught:
        model.run(Words(), ["x"], Tally())

    assert caught.value.after_seconds == 7


def test_an_endpoint_that_is_not_there_is_unavailable_and_named() -> None:
    model = Model(EndpointChat("scripted", "http://127.0.0.1:1/v1", None, 1))

    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:1"):
        model.run(Words(), ["x"], Tally())
    model.close()


def test_a_step_that_asks_nothing_needs_no_endpoint() -> None:
    model = Model()

    assert model.run(Words(), [], Tally()) == []
    model.close()


class Doubts:
    """A step that takes "maybe" only if nothing better comes."""

    def ask(self, item: str) -> list[Prompt]:
        return [Prompt("extraction", {"turns": [item]}, Word)]

    def read(self, item: str, replies: Sequence[BaseModel]) -> str:
        (word,) = [reply.word for reply in replies if isinstance(reply, Word)]
        if word.startswith("maybe"):
            raise Doubtful("sure?", plainly="it is not sure", stands=word)
        return word


@pytest.mark.parametrize(
    "replies, result",
    [
        (({"word": "maybe"}, {"word": "yes"}), "yes"),
        (({"word": "maybe"}, {"word": "maybe not"}), "maybe not"),
        (({"word": "maybe"}, "no JSON", "no JSON"), "maybe"),
        (("no JSON", "no JSON", {"word": "maybe"}), "maybe"),
    ],
)
def test_a_doubtful_reply_is_asked_about_once_and_stands_if_nothing_better_comes(
    replies: tuple[Any, ...], result: str
) -> None:
    with asked(in_turn(*replies)) as (model, server):
        assert model.run(Doubts(), "a", Tally()) == result

    assert len(server.requests) == len(replies)


def test_every_reply_that_cannot_be_read_is_complained_about_by_itself() -> None:
    first: set[str] = set()

    def garbles_once(job: str, document: dict[str, Any]) -> Any:
        (text,) = document["turns"]
        if text in first:
            return {"word": text}
        first.add(text)
        return "no JSON"

    with asked(garbles_once) as (model, server):
        words = model.run(Words(), list("abcde"), Tally())

    assert words == list("abcde")
    assert len(server.requests) == 10
    assert all(len(request["messages"]) == 4 for request in server.requests[5:])


def test_no_more_calls_run_at_once_than_the_setting_says_whatever_asks() -> None:
    running, most, lock = [0], [0], threading.Lock()

    def slow(job: str, document: dict[str, Any]) -> dict[str, Any]:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.02)
        with lock:
            running[0] -= 1
        return {"word": "ja"}

    with endpoint(slow) as server:
        model = Model(EndpointChat("scripted", server.url, "key", 5), concurrency=2)
        batches = [
            threading.Thread(target=model.each, args=(Words(), [["a"]] * 4, Tally()))
            for _ in range(3)
        ]
        for batch in batches:
            batch.start()
        for batch in batches:
            batch.join()
        model.close()

    assert len(server.requests) == 12
    assert most[0] == 2
