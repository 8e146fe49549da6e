"""An `openai` client that remembers.

    memory = ChatMemory(recaller, producer, app="acme", user="alice", conversation="42")
    client = remembering(OpenAI(), memory)
    client.chat.completions.create(model="…", messages=messages)

Calls are as ever, and so is what they return. Each is reminded of what is known about the last question, and heard
when it is answered; of a stream the question when it begins, and the answer when it ends, or as far as it went where it
is closed early. Of several choices the first is heard. Of `with_raw_response`, of `with_streaming_response` and of a
`chat.completions.stream` that is left early only the question is: the answer is heard with the next call, whose
messages hold it. `responses` and `completions` are refused; assistants, agents and live speech stay as they are.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

from openai import AsyncOpenAI, AsyncStream, OpenAI, Stream

from producers.producer import Message
from worker.interfaces.frameworks.chat_memory import ChatMemory
from worker.interfaces.frameworks.openai_streams import HeardAsyncStream, HeardStream, Hearing

C = TypeVar("C", OpenAI, AsyncOpenAI)

#: Of a model's message: what makes the text of a turn, so that the answer is the same turn in the history sent next.
SAID = {"role", "content", "refusal", "audio", "tool_calls", "function_call"}
#: Ways to a model that it could not remind: better an error than a chat that forgets unseen.
REFUSED = (
    "{name} is not reminded of anything: use `chat.completions.create`, or a client without memory"
)


def remembering(client: C, memory: ChatMemory) -> C:
    """A copy of the client, on the same connections; the one that is given stays as it is.

    Its own copies (`with_options`) remember as well.
    """
    made: Any = client.with_options()
    wrap = _async if isinstance(made, AsyncOpenAI) else _sync
    # `stream` asks by way of `create`.
    for name in ("create", "parse"):
        _replace(made.chat.completions, name, wrap(getattr(made.chat.completions, name), memory))
    made.beta.chat = made.chat
    for way, resource in {
        "responses": made.responses,
        "beta.responses": made.beta.responses,
    }.items():
        for name in ("create", "parse", "stream", "connect"):
            _replace(resource, name, _refused(f"`{way}.{name}`"))
    _replace(made.completions, "create", _refused("`completions.create`"))

    def copy(**options: Any) -> C:
        return remembering(client.copy(**options), memory)

    made.copy = made.with_options = copy
    remembers: C = made
    return remembers


def _replace(resource: Any, name: str, by: Callable[..., Any]) -> None:
    if hasattr(resource, name):
        setattr(resource, name, by)


def _sync(inner: Callable[..., Any], memory: ChatMemory) -> Callable[..., Any]:
    @wraps(inner)
    def create(*, messages: Sequence[Message], **options: Any) -> Any:
        given = list(messages)
        return _heard(inner(messages=memory.reminded(given), **options), memory, given)

    return create


def _async(inner: Callable[..., Any], memory: ChatMemory) -> Callable[..., Any]:
    @wraps(inner)
    async def create(*, messages: Sequence[Message], **options: Any) -> Any:
        given = list(messages)
        answer = await inner(messages=await memory.areminded(given), **options)
        return _heard(answer, memory, given)

    return create


def _heard(answer: Any, memory: ChatMemory, given: Sequence[Message]) -> Any:
    if isinstance(answer, Stream):
        return HeardStream(answer, Hearing(memory, given))
    if isinstance(answer, AsyncStream):
        return HeardAsyncStream(answer, Hearing(memory, given))
    memory.hear(given, _first(answer))
    return answer


def _first(answer: Any) -> Message | None:
    """Null where the model said nothing, or what it said is still to be read."""
    choices = getattr(answer, "choices", None)
    if not choices:
        return None
    said: dict[str, Any] = choices[0].message.model_dump(include=SAID, exclude_none=True)
    return said if said.keys() - {"role"} else None


def _refused(name: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(REFUSED.format(name=name))

    return refuse
