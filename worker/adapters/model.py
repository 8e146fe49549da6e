"""A step's conversation with a model: all prompts at once, and a bad reply is asked for again."""

import json
import threading
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol, TypeVar, cast

from pydantic import BaseModel

from schemas.plan import Tokens, Usage
from worker.adapters.prompts import Prompts
from worker.adapters.reply import as_far_as_it_goes, parsed
from worker.core.step import BadReply, Doubtful, Prompt, Step, UnreadableReply
from worker.errors import Misconfigured, Unprocessable

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
    #: The provider kept the reply, or the rest of it, back for its content.
    is_filtered: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0

    @property
    def tokens(self) -> Tokens:
        return Tokens(
            prompt=self.prompt_tokens, completion=self.completion_tokens, cached=self.cached_tokens
        )


class Chat(Protocol):
    """Where the questions go."""

    def complete(self, prompt: Prompt, messages: Sequence[Message]) -> Completion:
        """One answered call. Raises `Unavailable`, `Unprocessable` and `Misconfigured`."""
        ...

    def close(self) -> None: ...


@dataclass
class Tally:
    """What a batch has asked so far; filled from several threads."""

    tokens: defaultdict[str, Tokens] = field(default_factory=lambda: defaultdict(Tokens))
    calls: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, job: str, completion: Completion) -> None:
        with self.lock:
            self.calls[job] += 1
            self.tokens[job] += completion.tokens

    def usage(self) -> Usage:
        """Also of a batch that failed: what it asked was asked."""
        with self.lock:
            return Usage.by_job(self.calls, self.tokens)


@dataclass
class Talk:
    """One prompt's conversation: the document once, then each bad reply with what was wrong with it."""

    prompt: Prompt
    messages: list[Message]
    reply: BaseModel | None = None
    said: str = ""
    #: Why there is no reply.
    fault: BadReply | None = None
    #: What there was of the last one that broke off, and whether it is this one.
    part: BaseModel | None = None
    broke_off: bool = False

    @classmethod
    def about(cls, prompt: Prompt, system: str) -> "Talk":
        document = json.dumps(prompt.document, ensure_ascii=False)
        return cls(
            prompt,
            [
                {"role": "system", "content": system},
                {"role": "user", "content": document},
            ],
        )

    def complain(self, fault: BadReply) -> None:
        """A reply that broke off is not shown again: a model that sees it goes on in the same way."""
        said = "(broke off)" if self.broke_off else self.said or "(nothing)"
        self.reply, self.fault = None, fault
        again = f"{fault.told} Send the whole corrected JSON document."
        self.messages += [
            {"role": "assistant", "content": said},
            {"role": "user", "content": again},
        ]


class Model:
    """Answers the prompts of a step; without a chat only steps that ask nothing."""

    def __init__(
        self, chat: Chat | None = None, concurrency: int = 8, prompts: Prompts | None = None
    ) -> None:
        self._chat = chat
        self.prompts = prompts or Prompts()
        self._concurrency = concurrency
        #: Calls of all batches of this process together.
        self._free = threading.Semaphore(concurrency)
        self._pool = ThreadPoolExecutor(concurrency, thread_name_prefix="slowwave-model")

    def run(self, step: Step[In, Out], item: In, tally: Tally) -> Out:
        """Ask what the step asks, all prompts at once, and read the replies; `tally` counts every call.

        A bad reply is asked for again, twice at most; then `BadReply` rises. A doubtful one is asked for again once;
        then, or where nothing better comes, it stands. Also raises what the chat raises.
        """
        talks = [
            Talk.about(prompt, self.prompts.system(prompt.job, prompt.addition))
            for prompt in step.ask(item)
        ]
        doubt: Doubtful | None = None
        for again in range(ASK_AGAIN + 1):
            self._answer([talk for talk in talks if talk.reply is None], tally)
            is_last = not talks or again == ASK_AGAIN
            try:
                result = step.read(item, _replies(talks))
                return cast("Out", doubt.mended(result)) if doubt else result
            except Doubtful as bad:
                if doubt:
                    return cast("Out", doubt.mended(bad.stands))
                if is_last:
                    return cast("Out", bad.stands)
                doubt = bad
                talks[bad.at].complain(bad)
            except BadReply as bad:
                if is_last and doubt:
                    return cast("Out", doubt.stands)
                if is_last:
                    raise (bad.of(talks[bad.at].prompt.job) if talks else bad) from None
                _complain(talks, bad)
        raise AssertionError("the last try returns or raises")

    def each(
        self, step: Step[In, Out], items: Sequence[In], tally: Tally
    ) -> list[Out | BadReply | Unprocessable]:
        """`run` for each item, at the same time; what is wrong with one item stands in its place."""

        def one(item: In) -> Out | BadReply | Unprocessable:
            try:
                return self.run(step, item, tally)
            except (BadReply, Unprocessable) as error:
                return error

        if len(items) <= 1:
            return [*map(one, items)]
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
        with self._free:
            completion = self._chat.complete(talk.prompt, talk.messages)
        tally.add(talk.prompt.job, completion)
        if completion.is_filtered:
            raise Unprocessable(
                f"the model's provider refuses the text of {talk.prompt.job} for its content"
            )
        talk.said, talk.reply, talk.fault, talk.broke_off = completion.text, None, None, False
        try:
            talk.reply = parsed(talk.said, talk.prompt)
        except BadReply as bad:
            talk.fault = _cut_off(bad) if completion.is_cut else bad
            part = as_far_as_it_goes(talk.said, talk.prompt) if talk.prompt.is_divisible else None
            talk.part, talk.broke_off = part or talk.part, part is not None

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        if self._chat is not None:
            self._chat.close()


def _complain(talks: Sequence[Talk], bad: BadReply) -> None:
    """To each whose reply cannot be read, else to the one that breaks a rule."""
    unread = [talk for talk in talks if talk.fault is not None]
    for talk in unread:
        talk.complain(talk.fault or bad)
    if not unread:
        talks[bad.at].complain(bad)


def _cut_off(bad: BadReply) -> BadReply:
    return BadReply(
        f"The reply was cut off: be shorter. {bad.told}", plainly=f"the reply was cut off: {bad}"
    )


def _replies(talks: Sequence[Talk]) -> list[BaseModel]:
    for at, talk in enumerate(talks):
        if talk.fault is not None:
            parts = [part for one in talks if (part := one.reply or one.part)]
            whole = parts if len(parts) == len(talks) else ()
            raise UnreadableReply(talk.fault.told, plainly=str(talk.fault), at=at, parts=whole)
    return [talk.reply for talk in talks if talk.reply is not None]
