"""LangChain's own tests of a retriever, and what its callbacks publish, on a real Redis and a real store."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.language_models.fake_chat_models import FakeListChatModelError
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.retrievers import BaseRetriever
from langchain_tests.integration_tests import RetrieversIntegrationTests
from langgraph.graph import END, START, MessagesState, StateGraph
from redis import Redis
from structlog.testing import capture_logs

from producers.producer import Producer
from schemas.scope import Scope
from tests.desk import Desk
from worker import wiring
from worker.interfaces.frameworks.chat_memory import ChatMemory
from worker.interfaces.frameworks.langchain import SlowwaveCallback, SlowwaveRetriever, said
from worker.recaller import Recaller
from worker.settings import Settings

TEXTS = ("I live in Oslo.", "I drink green tea.", "I keep bees.", "I own a blue boat.")


@pytest.fixture
def desk(redis_url: str, redis_client: Redis, tmp_path: Path, scope: Scope) -> Iterator[Desk]:
    settings = Settings(
        redis_url=redis_url,
        store_url=f"sqlite:///{tmp_path / 'memory.db'}",
        embedder="hash",
        recall_deadline_seconds=30,
        _env_file=None,
    )
    parts = wiring.open_parts(settings)
    parts.inbox.configure(settings.limits)
    made = Desk(parts, Producer(redis_client), scope)
    for n, text in enumerate(TEXTS, start=1):
        made.say(text, f"2026-01-0{n}T00:00:00Z")
        made.settle()
    yield made
    wiring.close()


@pytest.fixture
def recaller(desk: Desk) -> Iterator[Recaller]:
    made = Recaller(desk.parts.settings)
    yield made
    made.close()


@pytest.fixture
def given(desk: Desk, recaller: Recaller) -> dict[str, Any]:
    return {"recaller": recaller, "app": desk.scope.app, "user": desk.scope.user}


@pytest.fixture
def memory(desk: Desk, recaller: Recaller, redis_url: str) -> Iterator[ChatMemory]:
    with Producer(redis_url) as producer:
        yield ChatMemory(recaller, producer, desk.scope.app, desk.scope.user)


class TestRetriever(RetrieversIntegrationTests):
    """LangChain's standard tests."""

    @pytest.fixture(autouse=True)
    def _house(self, given: dict[str, Any]) -> None:
        self._given = given

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return SlowwaveRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return self._given

    @property
    def retriever_query_example(self) -> str:
        return "What do I own, keep, drink, and where do I live?"


def test_a_document_tells_which_memory_it_is(given: dict[str, Any]) -> None:
    (found, *_) = SlowwaveRetriever(**given, k=1).invoke("Where do I live?")

    assert found.page_content == "User lives in Oslo"
    assert found.id == found.metadata["id"]
    assert found.metadata["said_at"].startswith("2026-01-01")
    assert found.metadata["score"] > 0


def test_options_of_recall_are_heeded(given: dict[str, Any]) -> None:
    then = SlowwaveRetriever(**given, search_kwargs={"as_of": "2026-01-01T00:00:00Z"})

    assert then.invoke("Where do I live?") == []


def test_what_is_no_option_is_told(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="colour"):
        SlowwaveRetriever(**given, search_kwargs={"colour": "red"}).invoke("Where?")


def test_what_is_out_of_reach_is_logged_and_no_error(
    desk: Desk, given: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "broken.db").write_text("no database at all" * 100)
    broken = {"store_url": f"sqlite:///{tmp_path / 'broken.db'}"}

    with Recaller(desk.parts.settings.model_copy(update=broken)) as lost, capture_logs() as logs:
        asked = SlowwaveRetriever(**given | {"recaller": lost})
        assert asked.invoke("Where do I live?") == []
        assert asyncio.run(asked.ainvoke("Where do I live?")) == []

    assert [one["event"] for one in logs] == ["recall_is_degraded"] * 2


def test_somebody_elses_memories_are_not_found(given: dict[str, Any]) -> None:
    for other in ({"user": "somebody"}, {"app": "another"}):
        assert SlowwaveRetriever(**given | other).invoke("Where do I live?") == []


def heard(desk: Desk, memory: ChatMemory) -> list[tuple[str, str]]:
    memory.close()
    return [(one.role, one.text) for one in desk.parts.inbox.pending(desk.scope.key)]


def test_a_callback_publishes_what_is_asked_and_answered(desk: Desk, memory: ChatMemory) -> None:
    model = FakeListChatModel(responses=["Oslo."])

    model.invoke(
        [SystemMessage("Be brief."), HumanMessage("Where do I live?")],
        config={"callbacks": [SlowwaveCallback(memory)]},
    )

    assert heard(desk, memory) == [("user", "Where do I live?"), ("assistant", "Oslo.")]


def test_a_stream_is_published_when_it_ends(desk: Desk, memory: ChatMemory) -> None:
    model = FakeListChatModel(responses=["In Oslo."])

    told = [*model.stream("Where do I live?", config={"callbacks": [SlowwaveCallback(memory)]})]

    assert len(told) > 1
    assert heard(desk, memory) == [("user", "Where do I live?"), ("assistant", "In Oslo.")]


def test_async_runs_are_published_each_by_itself(desk: Desk, memory: ChatMemory) -> None:
    callback = SlowwaveCallback(memory)

    async def both() -> None:
        ask = FakeListChatModel(responses=["Yes."], sleep=0.01).ainvoke
        config: Any = {"callbacks": [callback]}
        await asyncio.gather(ask("Is it warm?", config), ask("Is it late?", config))

    asyncio.run(both())

    found = heard(desk, memory)
    assert {text for role, text in found if role == "user"} == {"Is it warm?", "Is it late?"}
    assert ("assistant", "Yes.") in found


def test_a_run_that_fails_says_nothing(desk: Desk, memory: ChatMemory) -> None:
    model = FakeListChatModel(responses=["Oslo."], error_on_chunk_number=0)

    with pytest.raises(FakeListChatModelError):
        [*model.stream("Where do I live?", config={"callbacks": [SlowwaveCallback(memory)]})]

    assert heard(desk, memory) == []


def test_a_graph_retrieves_and_publishes(
    desk: Desk, memory: ChatMemory, given: dict[str, Any]
) -> None:
    retriever = SlowwaveRetriever(**given, k=1)
    model = FakeListChatModel(responses=["Oslo."])
    asked: list[str] = []

    def answer(state: MessagesState) -> dict[str, Any]:
        question = str(state["messages"][-1].content)
        (found,) = retriever.invoke(question)
        asked.append(found.page_content)
        return {"messages": [model.invoke([SystemMessage(found.page_content), *state["messages"]])]}

    graph = StateGraph(MessagesState)
    graph.add_node("answer", answer)
    graph.add_edge(START, "answer")
    graph.add_edge("answer", END)
    graph.compile().invoke(
        {"messages": [HumanMessage("Where do I live?")]},
        config={"callbacks": [SlowwaveCallback(memory)]},
    )

    assert asked == ["User lives in Oslo"]
    assert heard(desk, memory) == [("user", "Where do I live?"), ("assistant", "Oslo.")]


def test_of_messages_the_words_of_people_and_models_are_taken() -> None:
    parts: list[Any] = [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": "x"}]
    messages = [
        SystemMessage("Be brief."),
        HumanMessage(parts, name="Ann"),
        AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": "1"}]),
        ToolMessage("a house", tool_call_id="1"),
        AIMessage("A house."),
    ]

    assert said(messages) == [
        {"role": "user", "content": "Look:", "name": "Ann"},
        {"role": "assistant", "content": "A house."},
    ]
