"""The unmodified `openai` client with a memory, against a real endpoint, a real Redis and a real store."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from openai import APIStatusError, AsyncOpenAI, AsyncStream, OpenAI, Stream
from pydantic import BaseModel
from redis import Redis
from structlog.testing import capture_logs

from producers.producer import Producer
from schemas.scope import Scope
from tests.desk import Desk
from tests.worker.interfaces.frameworks.model import WORDS, Model, serving
from worker import wiring
from worker.interfaces.frameworks.chat_memory import ChatMemory
from worker.interfaces.frameworks.openai_chat import remembering
from worker.recaller import Recaller
from worker.settings import Settings


class House:
    """A chat backend with a memory of one user."""

    def __init__(self, desk: Desk, recaller: Recaller, producer: Producer, model: Model) -> None:
        self.desk, self.recaller, self.producer, self.model = desk, recaller, producer, model
        self.memory = self.of(desk.scope.user)

    def of(self, user: str, **options: Any) -> ChatMemory:
        return ChatMemory(self.recaller, self.producer, self.desk.scope.app, user, **options)

    def client(self) -> OpenAI:
        return remembering(OpenAI(base_url=self.model.url, api_key="k", max_retries=0), self.memory)

    def async_client(self) -> AsyncOpenAI:
        made = AsyncOpenAI(base_url=self.model.url, api_key="k", max_retries=0)
        return remembering(made, self.memory)

    def ask(self, *messages: dict[str, Any], **options: Any) -> Any:
        client = self.client()
        return client.chat.completions.create(model="m", messages=messages, **options)  # type: ignore[arg-type]

    @property
    def heard(self) -> list[tuple[str, str]]:
        """All that was published, once the memory is closed."""
        self.memory.close()
        turns = self.desk.parts.inbox.pending(self.desk.scope.key)
        return [(turn.role, turn.text) for turn in turns]


@pytest.fixture
def house(redis_url: str, redis_client: Redis, tmp_path: Path, scope: Scope) -> Iterator[House]:
    settings = Settings(
        redis_url=redis_url,
        store_url=f"sqlite:///{tmp_path / 'memory.db'}",
        embedder="hash",
        recall_deadline_seconds=30,
        _env_file=None,
    )
    parts, model = wiring.open_parts(settings), Model()
    parts.inbox.configure(settings.limits)
    recaller = Recaller(settings)
    with serving(model), Producer(redis_url) as producer:
        made = House(Desk(parts, Producer(redis_client), scope), recaller, producer, model)
        made.desk.say("I live in Oslo.", "2026-01-01T00:00:00Z")
        made.desk.settle()
        yield made
        made.memory.close()
    recaller.close()
    wiring.close()


NOBODY = "redis://127.0.0.1:1/0"
ASK = {"role": "user", "content": "Where do I live?"}
ANSWER = ("assistant", "You live in Oslo.")


def test_a_question_is_asked_with_what_is_known_and_is_heard_with_its_answer(house: House) -> None:
    answer = house.ask({"role": "system", "content": "Be brief."}, ASK)

    assert answer.choices[0].message.content == "You live in Oslo."
    assert "User lives in Oslo" in house.model.told
    assert "Be brief." in house.model.told
    assert house.heard == [("user", "Where do I live?"), ANSWER]


def test_a_whole_chat_that_is_sent_again_is_heard_once(house: House) -> None:
    first = house.ask(ASK).choices[0].message
    house.ask(ASK, first.model_dump(exclude_none=True), {"role": "user", "content": "Thank you"})

    assert house.heard == [
        ("user", "Where do I live?"),
        ANSWER,
        ("user", "Thank you"),
        ANSWER,
    ]


def test_a_turn_is_of_the_conversation_that_is_named(house: House) -> None:
    house.memory = house.of(house.desk.scope.user, conversation="42")
    house.ask(ASK)
    house.memory.close()

    turns = house.desk.parts.inbox.pending(house.desk.scope.key)
    assert [turn.conversation for turn in turns] == ["42", "42"]


def test_there_is_one_block_however_often_it_is_asked(house: House) -> None:
    house.ask(ASK)
    reminded = house.model.asked[-1]["messages"]
    house.ask(*reminded)

    assert house.model.told.count("User lives in Oslo") == 1


def test_the_callers_messages_stay_as_they_are(house: House) -> None:
    messages = [dict(ASK)]
    house.client().chat.completions.create(model="m", messages=messages)  # type: ignore[arg-type]

    assert messages == [ASK]


def test_a_stream_is_heard_when_it_ends(house: House) -> None:
    with house.ask(ASK, stream=True) as stream:
        assert isinstance(stream, Stream)
        said = [one.choices[0].delta.content for one in stream if one.choices]
        assert stream.response.status_code == 200

    assert said == [*WORDS, None]
    assert "User lives in Oslo" in house.model.told
    assert house.heard == [("user", "Where do I live?"), ANSWER]


def test_of_a_stream_that_is_closed_early_it_is_heard_what_was_said(house: House) -> None:
    stream = house.ask(ASK, stream=True)
    next(stream), next(stream)
    stream.close()

    assert house.heard == [("user", "Where do I live?"), ("assistant", "You live ")]


def test_of_a_stream_that_is_left_the_question_is_heard(house: House) -> None:
    next(house.ask(ASK, stream=True))

    assert house.heard == [("user", "Where do I live?")]


CALLS: list[dict[str, Any]] = [
    {"content": "Let me "},
    {"content": "look."},
    {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "look", "arguments": '{"at"'}}]},
    {"tool_calls": [{"index": 0, "function": {"arguments": ": 1}"}}]},
]


def test_a_stream_that_calls_a_tool_is_the_turn_that_its_history_holds(house: House) -> None:
    house.model.deltas = CALLS
    list(house.ask(ASK, stream=True))
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "look", "arguments": '{"at": 1}'},
    }
    house.ask(
        ASK,
        {"role": "assistant", "content": "Let me look.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "a house"},
    )

    assert house.heard == [
        ("user", "Where do I live?"),
        ("assistant", 'Let me look.\n[calls look: {"at": 1}]'),
        ("tool", "a house"),
        ANSWER,
    ]


def test_a_stream_with_the_packages_events_is_reminded_and_heard(house: House) -> None:
    with house.client().chat.completions.stream(model="m", messages=[ASK]) as stream:  # type: ignore[list-item]
        assert stream.get_final_completion().choices[0].message.content == "You live in Oslo."

    assert "User lives in Oslo" in house.model.told
    assert house.heard == [("user", "Where do I live?"), ANSWER]


def test_so_is_an_async_one(house: House) -> None:
    async def chat() -> str | None:
        async with house.async_client() as client:
            ask = client.chat.completions.stream(model="m", messages=[ASK])  # type: ignore[list-item]
            async with ask as stream:
                return (await stream.get_final_completion()).choices[0].message.content

    assert asyncio.run(chat()) == "You live in Oslo."
    assert "User lives in Oslo" in house.model.told
    assert house.heard == [("user", "Where do I live?"), ANSWER]


WAYS: dict[str, Callable[[OpenAI], Any]] = {
    "with_options": lambda client: client.with_options(timeout=30).chat.completions.create,
    "copy": lambda client: (
        client.copy(max_retries=1).with_options(timeout=30).chat.completions.create
    ),
    "beta": lambda client: client.beta.chat.completions.create,
    "beta, parsed": lambda client: client.beta.chat.completions.parse,
}


@pytest.mark.parametrize("way", WAYS)
def test_other_ways_to_the_same_model_remember_as_well(house: House, way: str) -> None:
    answer = WAYS[way](house.client())(model="m", messages=[ASK])

    assert answer.choices[0].message.content == "You live in Oslo."
    assert "User lives in Oslo" in house.model.told
    assert house.heard == [("user", "Where do I live?"), ANSWER]


def test_copies_of_an_async_client_remember_as_well(house: House) -> None:
    async def chat() -> None:
        async with house.async_client().with_options(timeout=30) as client:
            await client.chat.completions.create(model="m", messages=[ASK])  # type: ignore[list-item]

    asyncio.run(chat())

    assert "User lives in Oslo" in house.model.told
    assert house.heard == [("user", "Where do I live?"), ANSWER]


@pytest.mark.parametrize("options", [{}, {"stream": True}])
def test_a_raw_response_is_the_packages_own_and_its_question_is_heard(
    house: House, options: dict[str, Any]
) -> None:
    asking: Any = house.client().chat.completions.with_raw_response
    bare: Any = OpenAI(base_url=house.model.url, api_key="k").chat.completions.with_raw_response
    raw = asking.create(model="m", messages=[ASK], **options)

    assert type(raw) is type(bare.create(model="m", messages=[ASK], **options))
    assert "User lives in Oslo" in str(house.model.asked[0])
    assert house.heard == [("user", "Where do I live?")]


def test_the_async_client_is_reminded_and_heard(house: House) -> None:
    async def chat() -> list[str | None]:
        client = house.async_client()
        async with client:
            whole = await client.chat.completions.create(model="m", messages=[ASK])  # type: ignore[list-item]
            assert whole.choices[0].message.content == "You live in Oslo."
            stream = await client.chat.completions.create(
                model="m",
                messages=[ASK],  # type: ignore[list-item]
                stream=True,
            )
            assert isinstance(stream, AsyncStream)
            async with stream:
                return [one.choices[0].delta.content async for one in stream if one.choices]

    assert asyncio.run(chat()) == [*WORDS, None]
    assert "User lives in Oslo" in house.model.told
    assert house.heard == [("user", "Where do I live?"), ANSWER]


class Home(BaseModel):
    city: str


def test_a_parsed_answer_is_the_packages_own(house: House) -> None:
    client = house.client()
    done = client.chat.completions.parse(model="m", messages=[ASK], response_format=Home)  # type: ignore[list-item]

    assert done.choices[0].message.parsed == Home(city="Oslo")
    assert "User lives in Oslo" in house.model.told


def test_pictures_and_tools_are_no_hindrance(house: House) -> None:
    picture = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
    text = {"type": "text", "text": "Where do I live?"}
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    house.ask(
        {"role": "user", "content": [picture, text]},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "a house"},
    )

    assert "User lives in Oslo" in house.model.told
    assert "https://example.com/a.png" in house.model.told
    assert ANSWER in house.heard


@pytest.mark.parametrize(
    ("message", "heard"),
    [
        ({"content": None, "refusal": "I will not."}, ["I will not."]),
        (
            {"audio": {"id": "a", "data": "AAAA", "expires_at": 0, "transcript": "In Oslo."}},
            ["In Oslo."],
        ),
        ({"function_call": {"name": "look", "arguments": "{}"}}, ["[calls look: {}]"]),
        ({"content": None}, []),
    ],
)
def test_an_answer_without_content_is_heard_as_its_words(
    house: House, message: dict[str, Any], heard: list[str]
) -> None:
    house.model.message = message
    house.ask(ASK)

    assert house.heard == [("user", ASK["content"]), *(("assistant", text) for text in heard)]


def test_an_error_of_the_model_is_the_callers(house: House) -> None:
    house.model.status = 400

    with pytest.raises(APIStatusError):
        house.ask(ASK)

    assert house.heard == []


@pytest.mark.parametrize(
    "way",
    [
        "responses.create",
        "responses.parse",
        "responses.stream",
        "responses.connect",
        "beta.responses.create",
        "with_raw_response.responses.create",
        "completions.create",
    ],
)
def test_ways_that_it_could_not_remind_are_refused(house: House, way: str) -> None:
    found: Any = house.client()
    for name in way.split("."):
        found = getattr(found, name)

    with pytest.raises(NotImplementedError, match=r"use `chat\.completions\.create`"):
        found(model="m", input="Where do I live?")
    assert house.model.asked == []


def test_the_client_that_was_given_has_no_memory(house: House) -> None:
    bare = OpenAI(base_url=house.model.url, api_key="k")
    remembering(bare, house.memory)

    bare.chat.completions.create(model="m", messages=[ASK])  # type: ignore[list-item]

    assert "Oslo" not in house.model.told
    assert house.heard == []


def test_somebody_elses_memory_is_not_told(house: House) -> None:
    other = house.of("somebody")
    client = remembering(OpenAI(base_url=house.model.url, api_key="k"), other)
    client.chat.completions.create(model="m", messages=[ASK])  # type: ignore[list-item]
    other.close()

    assert "Oslo" not in house.model.told
    assert house.heard == []


def test_a_chat_goes_on_where_memory_is_gone(house: House) -> None:
    house.recaller.close()
    house.memory.producer = Producer(NOBODY)

    assert house.ask(ASK).choices[0].message.content == "You live in Oslo."
    assert "Oslo" not in house.model.told
    assert house.heard == []


@pytest.mark.parametrize(
    ("gone", "is_told"), [("redis_url", True), ("store_url", False), ("both", False)]
)
def test_a_chat_goes_on_where_a_service_is_gone(
    house: House, tmp_path: Path, gone: str, is_told: bool
) -> None:
    (tmp_path / "broken.db").write_text("no database at all" * 100)
    broken = {"redis_url": NOBODY, "store_url": f"sqlite:///{tmp_path / 'broken.db'}"}
    lost = broken if gone == "both" else {gone: broken[gone]}
    settings = house.desk.parts.settings.model_copy(update=lost)

    with Recaller(settings) as recaller, Producer(settings.redis_url or "") as producer:
        house.memory = ChatMemory(
            recaller,
            producer,
            house.desk.scope.app,
            house.desk.scope.user,
            options={"include_pending": True},
        )
        with capture_logs() as logs:
            answer = house.ask(ASK)
            heard = house.heard

    assert answer.choices[0].message.content == "You live in Oslo."
    assert ("User lives in Oslo" in house.model.told) is is_told
    assert "recall_is_degraded" in {one["event"] for one in logs}
    assert bool(heard) is (gone == "store_url")
    assert ("turn_is_not_heard" in {one["event"] for one in logs}) is (gone != "store_url")


@pytest.mark.parametrize(
    ("user", "options"),
    [
        ("", {}),
        ("ann", {"limit": "many"}),
        ("ann", {"colour": "red"}),
        ("ann", {"conversation": "7"}),
    ],
)
def test_wrong_options_are_wrong_at_once(house: House, user: str, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - pydantic's, or ours
        house.of(user, options=options)
