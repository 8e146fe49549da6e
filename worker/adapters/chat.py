"""An OpenAI-compatible chat endpoint, through the `openai` package."""

import os
import threading
from collections.abc import Sequence
from typing import Any

import openai
from openai.types.chat import ChatCompletion

from worker.adapters.chat_errors import refused_feature, translated
from worker.adapters.model import Completion, Message
from worker.adapters.reply import schema_of
from worker.core.step import Prompt

#: Ways to ask for JSON, best first.
FORMATS = ("json_schema", "json_object", "text")


class EndpointChat:
    """One for each process; its client is made when first needed, since none survives a fork."""

    def __init__(
        self, name: str, url: str | None, key: str | None, timeout_seconds: float = 60.0
    ) -> None:
        self._name, self._url, self._key, self._timeout = name, url, key, timeout_seconds
        self._clients: dict[int, openai.OpenAI] = {}
        self._lock = threading.Lock()
        #: What the endpoint does not take, learned from its refusals.
        self._refused: set[str] = set()

    def complete(self, prompt: Prompt, messages: Sequence[Message]) -> Completion:
        """One answered call. Raises `Unavailable`, `Unprocessable` and `Misconfigured`."""
        while True:
            fields = self._fields(prompt)
            try:
                done = self._client().chat.completions.create(
                    model=self._name,
                    messages=list(messages),  # type: ignore[arg-type] # plain dicts of the right shape
                    **fields,
                )
            except openai.BadRequestError as error:
                feature = refused_feature(error, fields)
                if feature is None:
                    raise translated(error, self._name, self._url) from error
                self._refused.add(feature)
            except openai.OpenAIError as error:
                raise translated(error, self._name, self._url) from error
            else:
                return _completion(done)

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
                )
            return self._clients[os.getpid()]

    def close(self) -> None:
        for client in self._clients.values():
            client.close()
        self._clients.clear()


def _completion(done: ChatCompletion) -> Completion:
    choice, usage = (done.choices[0] if done.choices else None), done.usage
    details = usage.prompt_tokens_details if usage else None
    return Completion(
        text=(choice.message.content or "") if choice else "",
        is_cut=choice is not None and choice.finish_reason == "length",
        prompt_tokens=usage.prompt_tokens if usage else 0,
        completion_tokens=usage.completion_tokens if usage else 0,
        cached_tokens=(details.cached_tokens or 0) if details else 0,
    )
