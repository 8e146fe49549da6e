"""One message of a conversation."""

from typing import Literal
from uuid import UUID

from pydantic import Field, JsonValue

from schemas.base import AwareDatetime, Stored, Text
from schemas.scope import Scope

Role = Literal["system", "developer", "user", "assistant", "tool", "function"]

#: Longest text of one turn, in characters.
MAX_TEXT = 100_000


class Turn(Stored):
    """A turn as it is queued: its id and times are fixed, its secrets masked."""

    id: UUID
    scope: Scope
    conversation: str
    role: Role
    #: Name of who spoke, where a role has several voices.
    speaker: str | None = None
    text: Text = Field(min_length=1, max_length=MAX_TEXT)
    #: When it was said, in the speaker's own offset.
    said_at: AwareDatetime
    received_at: AwareDatetime
    #: `said_at` was not given, or lay in the future: it is the time of receipt.
    approximate_time: bool = False
    #: Sent by a machine (a schedule, a heartbeat): never learned from.
    automated: bool = False
    #: The caller's own fields.
    metadata: dict[str, JsonValue] = Field(default_factory=dict)
