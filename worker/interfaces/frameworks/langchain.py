"""LangChain and LangGraph: a retriever of memories, and a callback that publishes what is said."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    BaseCallbackHandler,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from worker.core.recalling.answer import Answer
from worker.interfaces.frameworks.chat_memory import ChatMemory, tell_degraded
from worker.interfaces.frameworks.words import text_of
from worker.recaller import Recaller

#: Pieces of a stream are of these kinds as well.
ROLES: dict[type[BaseMessage], str] = {HumanMessage: "user", AIMessage: "assistant"}


class SlowwaveRetriever(BaseRetriever):
    """What is known of a user that bears on a question, the best first: `SlowwaveRetriever(recaller=…, app=…, user=…)`.

    A document's text is the memory's; its metadata are `id`, `score`, `subject`, `kind`, `said_at` and `version`.
    `search_kwargs` are options of `Recaller.recall`. Raises `ValueError` for wrong ones; what is out of reach is no
    error, since recall answers with what works, but it is logged.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    recaller: Recaller
    app: str
    user: str
    #: Documents at most; as the settings say unless given.
    k: int | None = None
    search_kwargs: dict[str, Any] = Field(default_factory=dict)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        answer = self.recaller.recall(self.app, self.user, query, **self._options(options))
        return _documents(answer)

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **options: Any
    ) -> list[Document]:
        answer = await self.recaller.arecall(self.app, self.user, query, **self._options(options))
        return _documents(answer)

    def _options(self, given: dict[str, Any]) -> Any:
        """What is given at a call comes before what the retriever was made with."""
        found = {"limit": self.k, **self.search_kwargs, **given}
        if "k" in found:
            found["limit"] = found.pop("k")
        return {
            name: value for name, value in found.items() if name != "limit" or value is not None
        }


def _documents(answer: Answer) -> list[Document]:
    tell_degraded(answer)
    return [
        Document(
            id=str(item.memory.id),
            page_content=item.memory.text,
            metadata={
                "id": str(item.memory.id),
                "score": item.score,
                "subject": item.memory.subject,
                "kind": item.memory.kind,
                "said_at": item.memory.said_at.isoformat(),
                "version": item.memory.version,
            },
        )
        for item in answer.items
    ]


class SlowwaveCallback(BaseCallbackHandler):
    """Publishes the messages of a chat model's run and its answer: `model.invoke(…, config={"callbacks": [callback]})`.

    For the model that talks with the user: what a chain or a graph asks its models by itself is published as well where
    this is among its callbacks. A run that fails says nothing. Runs may overlap.
    """

    def __init__(self, memory: ChatMemory) -> None:
        self._memory = memory
        self._runs: dict[UUID, list[dict[str, Any]]] = {}

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        **options: Any,
    ) -> None:
        self._runs[run_id] = said(messages[0]) if messages else []

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **options: Any) -> None:
        given = self._runs.pop(run_id, None)
        if given is None:
            return
        first = (
            response.generations[0][0] if response.generations and response.generations[0] else None
        )
        message = first.message if isinstance(first, ChatGeneration) else None
        reply = said([message]) if isinstance(message, AIMessage) else []
        self._memory.hear(given, reply[0] if reply else None)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **options: Any) -> None:
        self._runs.pop(run_id, None)


def said(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    """As OpenAI has them: what people and models say, where it has words."""
    found = []
    for one in messages:
        role = next((role for kind, role in ROLES.items() if isinstance(one, kind)), None)
        text = text_of(one.content)
        if role and text:
            named = {"name": one.name} if one.name else {}
            found.append({"role": role, "content": text, **named})
    return found
