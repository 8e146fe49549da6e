"""A graph that looks up what is known, answers, and publishes both.

The model is LangChain's own that says what it is told to: put yours in its place. Beside it runs `slowwave up`.
"""

import sys
from typing import Any

from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import HumanMessage, SystemMessage
from langgraph.graph import END, START, MessagesState, StateGraph

from producers.producer import Producer
from worker.interfaces.frameworks.chat_memory import ChatMemory
from worker.interfaces.frameworks.langchain import SlowwaveCallback, SlowwaveRetriever
from worker.recaller import Recaller
from worker.settings import load
from worker.wiring import redis_url

APP, USER = "example", "alice"


def main(question: str) -> None:
    settings = load()
    recaller = Recaller.open(settings)
    retriever = SlowwaveRetriever(recaller=recaller, app=APP, user=USER, k=5)
    model = FakeListChatModel(responses=["I had a look."])

    def answer(state: MessagesState) -> dict[str, Any]:
        known = "\n".join(one.page_content for one in retriever.invoke(question))
        print(f"known: {known or 'nothing'}")
        return {"messages": [model.invoke([SystemMessage(known), *state["messages"]])]}

    graph = StateGraph(MessagesState)
    graph.add_node("answer", answer)
    graph.add_edge(START, "answer")
    graph.add_edge("answer", END)
    with (
        Producer(redis_url(settings)) as producer,
        ChatMemory(recaller, producer, APP, USER) as memory,
    ):
        done = graph.compile().invoke(
            {"messages": [HumanMessage(question)]},
            config={"callbacks": [SlowwaveCallback(memory)]},
        )
    print(done["messages"][-1].content)
    recaller.close()


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "What do you know about me?")
