"""A step asks, an adapter answers: whatever needs a model is two pure functions around a call."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar

from pydantic import BaseModel

from worker.errors import Retryable

In = TypeVar("In", contravariant=True)
Out = TypeVar("Out", covariant=True)


@dataclass(frozen=True)
class Prompt:
    """One question: the instructions are the file of the job's name, the data one JSON document."""

    #: Names the instructions, the reply's JSON schema, and the row in the accounts.
    job: str
    document: Mapping[str, Any]
    reply: type[BaseModel]
    #: Most members a group may have, where the reply has groups; sent as the schema's `maxItems`.
    max_members: int | None = None
    #: What the operator tells the model beside the instructions.
    addition: str = ""
    #: Whether a reply that breaks off may stand as far as it goes, if nothing better comes.
    is_divisible: bool = False


class BadReply(Retryable):
    """A reply broke the rules of its job."""

    def __init__(self, told: str = "", *, plainly: str = "", at: int = 0) -> None:
        """`told` may quote, so only the model hears it; `plainly` is the message, which goes to logs and records.

        `plainly` names the kind of fault, counts and labels (`f1`, `c2`), never what anybody said.
        """
        super().__init__(plainly)
        #: What was wrong and what to do instead, in words for the model.
        self.told = told
        #: Which of the step's prompts it answers.
        self.at = at

    def of(self, job: str) -> Self:
        """The same, and its message says which job was asked for: whoever parks turns for it knows no more."""
        named = copy(self)
        named.args = (f"{job}: {self}",)
        return named


class UnreadableReply(BadReply):
    """There was no reply of the agreed shape, however often it was asked for."""

    def __init__(
        self, told: str = "", *, plainly: str = "", at: int = 0, parts: Sequence[BaseModel] = ()
    ) -> None:
        super().__init__(told, plainly=plainly, at=at)
        self.part, self.may_be_text = "model", True
        #: All replies, those that broke off as far as they went; empty where one gave nothing.
        self.parts = parts


class Doubtful(BadReply):
    """A reply that could stand, but is worth asking about once."""

    def __init__(
        self,
        told: str,
        *,
        plainly: str,
        stands: object,
        joined: Callable[[Any, Any], Any] = lambda _, mended: mended,
        at: int = 0,
    ) -> None:
        super().__init__(told, plainly=plainly, at=at)
        #: The result, should the model not mend its reply.
        self.stands = stands
        self._joined = joined

    def mended(self, result: object) -> object:
        """What a better reply came to, with what stood before: models send the correction alone."""
        return self._joined(self.stands, result)


class Step(Protocol[In, Out]):
    """Both methods are pure. A step that needs no model returns no prompts."""

    def ask(self, item: In) -> Sequence[Prompt]: ...

    def read(self, item: In, replies: Sequence[BaseModel]) -> Out:
        """One reply for each prompt, in order. Raises `BadReply`, `Doubtful` with a result in it."""
        ...
