"""Any OpenAI-compatible model, and the conversation in which a bad reply is asked for again."""

import json
import os
import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

import openai
from openai.types.chat import ChatCompletion
from pydantic import BaseModel

from schemas.plan import Usage
from worker.adapters.model_errors import refused_feature, translated
from worker.adapters.prompts import instructions
from worker.adapters.reply import parsed, schema_of
from worker.core.step import BadReply, Prompt, Step

In = TypeVar("In")
Out = TypeVar("Out")

#: How often a bad reply is asked for again.
ASK_AGAIN = 2

#: Ways to ask for JSON, best first.
FORMATS = ("json_schema", "json_object", "text")


@dataclass
class Tally:
    """What a batch has asked so far; filled from several threads."""

    calls: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, job: str, completion: ChatCompletion) -> None:
        usage = completion.usage
        details = usage.prompt_tokens_details if usage else None
        with self.lock:
            self.calls[job] += 1
            self.tokens["prompt_tokens"] += usage.prompt_tokens if usage else 0
            self.tokens["completion_tokens"] += usage.completion_tokens if usage else 0
            self.tokens["cached_tokens"] += (details.cached_tokens or 0) if details else 0

    def usage(self) -> Usage:
        return Usage(calls=dict(self.calls), **self.tokens)


@dataclass
class Talk:
    """One prompt's conversation: the document once, then each bad reply with what was wrong with it."""

    prompt: Prompt
    messages: list[dict[str, str]]
    reply: BaseModel | None = None
    said: str = ""
    complaint: str = ""

    @classmethod
    def about(cls, prompt: Prompt) -> "Talk":
        document = json.dumps(prompt.document, ensure_ascii=False)
        return cls(
            prompt,
            [
                {"role": "system", "content": instructions(prompt.job)},
                {"role": "user", "content": document},
            ],
        )

    def complain(self, complaint: str) -> None:
        self.reply, self.complaint = None, complaint
        self.messages += [
            {"role": "assistant", "content": self.said or "(nothing)"},
            {"role": "user", "content": f"{complaint} Send the whole corrected JSON document."},
        ]


class Model:
    """Answers the prompts of a step. One for each process; its client is made when first needed."""

    def __init__(
        self,
        name: str,
        url: str | None,
        key: str | None,
        *,
        timeout_seconds: float = 60.0,
        concurrency: int = 8,
    ) -> None:
        self.name = name
        self._url, self._key, self._timeout = url, key, timeout_seconds
        self._concurrency = concurrency
        self._clients: dict[int, openai.OpenAI] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(concurrency, thread_name_prefix="slowwave-model")
        #: What the endpoint does not take, learned from its refusals.
        self._refused: set[str] = set()

    def run(self, step: Step[In, Out], item: In, tally: Tally) -> Out:
        """Ask what the step asks, all prompts at once, and read the replies; `tally` counts every call.

        A bad reply is asked for again, twice at most; then `BadReply` rises. Also raises `Unavailable`,
        `Unprocessable` and `Misconfigured`.
        """
        talks = [Talk.about(prompt) for prompt in step.ask(item)]
        for again in range(ASK_AGAIN + 1):
            self._answer([talk for talk in talks if talk.reply is None], tally)
            try:
                return step.read(item, _replies(talks))
            except BadReply as bad:
                if not talks or again == ASK_AGAIN:
                    raise
                talks[bad.at].complain(str(bad))
        raise AssertionError("the last try returns or raises")

    def each(
        self, step: Step[In, Out], items: Sequence[In], tally: Tally
    ) -> list[Out | BadReply]:
        """`run` for each item, at the same time; a `BadReply` stands in the place of its item."""

        def one(item: In) -> Out | BadReply:
            try:
                return self.run(step, item, tally)
            except BadReply as bad:
                return bad

        with ThreadPoolExecutor(self._concurrency, thread_name_prefix="slowwave-each") as pool:
            return list(pool.map(one, items))

    def _answer(self, talks: Sequence[Talk], tally: Tally) -> None:
        if len(talks) == 1:
            self._hold(talks[0], tally)
        else:
            list(self._pool.map(lambda talk: self._hold(talk, tally), talks))

    def _hold(self, talk: Talk, tally: Tally) -> None:
        """Ask until the reply can be parsed; what cannot be is left for `_replies` to complain about."""
        completion = self._complete(talk)
        tally.add(talk.prompt.job, completion)
        choice = completion.choices[0] if completion.choices else None
        talk.said = (choice.message.content or "") if choice else ""
        talk.reply, talk.complaint = None, ""
        try:
            talk.reply = parsed(talk.said, talk.prompt)
        except BadReply as bad:
            cut = choice is not None and choice.finish_reason == "length"
            talk.complaint = f"The reply was cut off: be shorter. {bad}" if cut else str(bad)

    def _complete(self, talk: Talk) -> ChatCompletion:
        while True:
            fields = self._fields(talk.prompt)
            try:
                return self._client().chat.completions.create(
                    model=self.name,
                    messages=talk.messages,  # type: ignore[arg-type] # plain dicts of the right shape
                    **fields,
                )
            except openai.BadRequestError as error:
                feature = refused_feature(error, fields)
                if feature is None:
                    raise translated(error, self.name, self._url) from error
                self._refused.add(feature)
            except openai.OpenAIError as error:
                raise translated(error, self.name, self._url) from error

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
        self._pool.shutdown(wait=False, cancel_futures=True)
        for client in self._clients.values():
            client.close()
        self._clients.clear()


def _replies(talks: Sequence[Talk]) -> list[BaseModel]:
    for at, talk in enumerate(talks):
        if talk.reply is None:
            raise BadReply(talk.complaint, at=at)
    return [talk.reply for talk in talks if talk.reply is not None]
