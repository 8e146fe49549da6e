"""A step asks, an adapter answers: whatever needs a model is two pure functions around a call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

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


class BadReply(Retryable):
    """The reply breaks a rule. The message goes back to the model, so it says what to do instead."""

    def __init__(self, message: str = "", *, at: int = 0) -> None:
        super().__init__(message)
        #: Which of the step's prompts it answers.
        self.at = at


class Step(Protocol[In, Out]):
    """Both methods are pure. A step that needs no model returns no prompts."""

    def ask(self, item: In) -> Sequence[Prompt]: ...

    def read(self, item: In, replies: Sequence[BaseModel]) -> Out:
        """One reply for each prompt, in order. Raises `BadReply`."""
        ...
