"""An OpenAI-compatible chat endpoint, through the `openai` package."""

import json
import os
import threading
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any

import openai
from pydantic import BaseModel, BeforeValidator, Field

from worker.adapters.bounded import BoundedClient
from worker.adapters.chat_errors import refused_feature, translated, written
from worker.adapters.model import Completion, Message
from worker.adapters.reply import schema_of
from worker.core.reply_fields import printable
from worker.core.step import Prompt
from worker.errors import Unavailable

#: Job, or `*` for all → fields of the request's body.
Extra = Mapping[str, Mapping[str, Any]]

#: Ways to ask for JSON, best first.
FORMATS = ("json_schema", "json_object", "text")


def spoken(content: Any) -> Any:
    """Some endpoints send a list of parts, what the model thought among them."""
    if not isinstance(content, list):
        return printable(content)
    parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return printable("".join(str(part.get("text", "")) for part in parts))


class Said(BaseModel):
    """Null where the model refuses."""

    content: Annotated[str | None, BeforeValidator(spoken)] = None


class Choice(BaseModel):
    message: Said
    finish_reason: str | None = None


#: More than any model reads or writes in one call: what an endpoint counts beyond is no count.
MOST_TOKENS = 100_000_000


def plausible(value: Any) -> Any:
    return value if not isinstance(value, int) or 0 <= value <= MOST_TOKENS else None


Count = Annotated[int | None, BeforeValidator(plausible)]


class Cached(BaseModel):
    cached_tokens: Count = None


class Spent(BaseModel):
    """Endpoints leave out what they do not count."""

    prompt_tokens: Count = None
    completion_tokens: Count = None
    prompt_tokens_details: Cached | None = None


class Answer(BaseModel):
    """What is needed of a chat completion; the client's own type lets any JSON pass for one."""

    choices: list[Choice] = Field(min_length=1)
    usage: Spent | None = None


class EndpointChat:
    """One for each process; its client is made when first needed, since none survives a fork."""

    def __init__(
        self,
        name: str,
        url: str | None,
        key: str | None,
        timeout_seconds: float = 60.0,
        extra: Extra = MappingProxyType({}),
    ) -> None:
        """`timeout_seconds` bound a call from the request to the last byte; `extra` goes into its body."""
        self._name, self._url, self._key, self._timeout = name, url, key, timeout_seconds
        self._extra = extra
        self._clients: dict[int, openai.OpenAI] = {}
        self._lock = threading.Lock()
        #: What the endpoint does not take, learned from its refusals.
        self._refused: set[str] = set()

    def complete(self, prompt: Prompt, messages: Sequence[Message]) -> Completion:
        """One answered call. Raises `Unavailable`, `Unprocessable` and `Misconfigured`."""
        sent = [message["content"] for message in messages if message["role"] != "system"]
        while True:
            fields = self._fields(prompt)
            try:
                done = self._client().chat.completions.with_raw_response.create(
                    model=self._name,
                    messages=list(messages),  # type: ignore[arg-type] # plain dicts of the right shape
                    extra_body={**self._extra.get("*", {}), **self._extra.get(prompt.job, {})},
                    **fields,
                )
            except openai.APIStatusError as error:
                if (text := written(error)) is not None:
                    return Completion(text)
                feature = refused_feature(error, fields)
                if feature is None:
                    raise translated(error, self._name, self._url, sent) from error
                self._refused.add(feature)
            except openai.OpenAIError as error:
                raise translated(error, self._name, self._url, sent) from error
            else:
                return self._completion(done.content)

    def _completion(self, body: bytes) -> Completion:
        try:
            # The standard library lets half a surrogate pair pass, which a reply that was cut may end with.
            answer = Answer.model_validate(json.loads(body))
        except (ValueError, RecursionError):
            raise Unavailable(
                f"model {self._name} at {self._url or 'the OpenAI API'} sent no chat completion:"
                " check that SLOWWAVE_MODEL_URL is the base of an OpenAI-compatible API (often ends in /v1)",
                part="model",
                may_be_text=True,
            ) from None
        choice, usage = answer.choices[0], answer.usage or Spent()
        details = usage.prompt_tokens_details or Cached()
        return Completion(
            text=choice.message.content or "",
            is_cut=choice.finish_reason == "length",
            is_filtered=(choice.finish_reason or "").startswith("content_filter"),
            prompt_tokens=usage.prompt_tokens or 0,
            completion_tokens=usage.completion_tokens or 0,
            cached_tokens=details.cached_tokens or 0,
        )

    def _fields(self, prompt: Prompt) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        if "temperature" not in self._refused:
            fields["temperature"] = 0
        form = next(form for form in FORMATS if form not in self._refused)
        if form == "json_schema":
            schema = {"name": prompt.job, "strict": True, "schema": schema_of(prompt)}
            fields["response_format"] = {"type": form, "json_schema": schema}
        elif form == "json_object":
            fields["response_format"] = {"type": form}
        return fields

    def _client(self) -> openai.OpenAI:
        with self._lock:
            if os.getpid() not in self._clients:
                self._clients[os.getpid()] = openai.OpenAI(
                    base_url=self._url,
                    api_key=self._key or "none",
                    timeout=self._timeout,
                    max_retries=0,
                    http_client=BoundedClient(self._timeout),
                )
            return self._clients[os.getpid()]

    def close(self) -> None:
        for client in self._clients.values():
            client.close()
        self._clients.clear()
