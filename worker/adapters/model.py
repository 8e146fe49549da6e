"""A step's conversation with a model: all prompts at once, and a bad reply is asked for again."""

import json
import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from pydantic import BaseModel

from schemas.plan import Usage
from worker.adapters.prompts import instructions
from worker.adapters.reply import parsed
from worker.core.step import BadReply, Prompt, Step, UnreadableReply
from worker.errors import Misconfigured

In = TypeVar("In")
Out = TypeVar("Out")

#: `role` and `content`.
Message = dict[str, str]

#: How often a bad reply is asked for again.
ASK_AGAIN = 2


@dataclass(frozen=True)
class Completion:
    """What one call gave and cost."""

    text: str
    #: The reply reached its limit of length.
    is_cut: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0


class Chat(Protocol):
    """Where the questions go."""

    def complete(self, prompt: Prompt, messages: Sequence[Message]) -> Completion:
        """One answered call. Raises `Unavailable`, `Unprocessable` and `Misconfigured`."""
        ...

    def close(self) -> None: ...


@dataclass
class Tally:
    """What a batch has asked so far; filled from several threads."""

    calls: Counter[str] = field(default_factory=Counter)
    tokens: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, job: str, completion: Completion) -> None:
        with self.lock:
            self.calls[job] += 1
            self.tokens["prompt_tokens"] += completion.prompt_tokens
            self.tokens["completion_tokens"] += completion.completion_tokens
            self.tokens["cached_tokens"] += completion.cached_tokens

    def usage(self) -> Usage:
        return Usage(calls=dict(self.calls), **self.tokens)


@dataclass
class Talk:
    """One prompt's conversation: the document once, then each bad reply with what was wrong with it."""

    prompt: Prompt
    messages: list[Message]
    reply: BaseModel | None = None
    said: str = ""
    #: Why there is no reply.
    fault: BadReply | None = None

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

    def complain(self, fault: BadReply) -> None:
        self.reply, self.fault = None, fault
        again = f"{fault.told} Send the whole corrected JSON document."
        self.messages += [
            {"role": "assistant", "content": self.said or "(nothing)"},
            {"role": "user", "content": again},
        ]


class Model:
    """Answers the prompts of a step; without a chat only steps that ask nothing."""

    def __init__(self, chat: Chat | None = None, concurrency: int = 8) -> None:
        self._chat = chat
        self._concurrency = concurrency
        self._pool = ThreadPoolExecutor(concurrency, thread_name_prefix="slowwave-model")

    def run(self, step: Step[In, Out], item: In, tally: Tally) -> Out:
        """Ask what the step asks, all prompts at once, and read the replies; `tally` counts every call.

        A bad reply is asked for again, twice at most; then `BadReply` rises. Also raises what the chat raises.
        """
        talks = [Talk.about(prompt) for prompt in step.ask(item)]
        for again in range(ASK_AGAIN + 1):
            self._answer([talk for talk in talks if talk.reply is None], tally)
            try:
                return step.read(item, _replies(talks))
            except BadReply as bad:
                if not talks or again == ASK_AGAIN:
                    raise
                talks[bad.at].complain(bad)
        raise AssertionError("the last try returns or raises")

    def each(self, step: Step[In, Out], items: Sequence[In], tally: Tally) -> list[Out | BadReply]:
        """`run` for each item, at the same time; a `BadReply` stands in the place of its item.

        `UnreadableReply` rises: a model that cannot answer at all is no judgment about an item.
        """

        def one(item: In) -> Out | BadReply:
            try:
                return self.run(step, item, tally)
            except UnreadableReply:
                raise
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
        """Ask once; a reply that cannot be parsed is left for `_replies` to complain about."""
        if self._chat is None:
            raise Misconfigured(f"{talk.prompt.job} needs a model: set SLOWWAVE_MODEL")
        completion = self._chat.complete(talk.prompt, talk.messages)
        tally.add(talk.prompt.job, completion)
        talk.said, talk.reply, talk.fault = completion.text, None, None
        try:
            talk.reply = parsed(talk.said, talk.prompt)
        except BadReply as bad:
            talk.fault = _cut_off(bad) if completion.is_cut else bad

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        if self._chat is not None:
            self._chat.close()


def _cut_off(bad: BadReply) -> BadReply:
    return BadReply(
        f"The reply was cut off: be shorter. {bad.told}", plainly=f"the reply was cut off: {bad}"
    )


def _replies(talks: Sequence[Talk]) -> list[BaseModel]:
    for at, talk in enumerate(talks):
        if talk.fault is not None:
            raise UnreadableReply(talk.fault.told, plainly=str(talk.fault), at=at)
    return [talk.reply for talk in talks if talk.reply is not None]
