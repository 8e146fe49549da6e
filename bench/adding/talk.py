"""A conversation in the batches in which every system gets it. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from worker.core.evaluating.locomo import turns

BATCH_TURNS = 10

Line = Mapping[str, str]


@dataclass(frozen=True)
class Talk:
    """Turns in the order they were said, as lines for `slowwave publish`; no batch has those of two sessions."""

    name: str
    batches: Sequence[Sequence[Line]]
    #: One of two speakers: peers know a user and an assistant.
    first_speaker: str

    @classmethod
    def of(cls, sample: dict[str, Any], sessions: int | None = None) -> "Talk":
        """The first so many sessions of a sample, or all."""
        by_session = [
            list(some) for _, some in groupby(turns(sample), lambda one: one["conversation"])
        ]
        batches = [
            some[at : at + BATCH_TURNS]
            for some in by_session[:sessions]
            for at in range(0, len(some), BATCH_TURNS)
        ]
        return cls(sample["sample_id"], batches, sample["conversation"]["speaker_a"])

    @property
    def turns(self) -> int:
        return sum(map(len, self.batches))

    def messages(self) -> list[dict[str, Any]]:
        """As peers take them: each batch with its date, and its messages by role."""
        return [
            {"date": batch[0]["said_at"], "messages": [self._message(turn) for turn in batch]}
            for batch in self.batches
        ]

    def _message(self, turn: Line) -> dict[str, str]:
        role = "user" if turn["speaker"] == self.first_speaker else "assistant"
        return {"role": role, "content": f"{turn['speaker']}: {turn['text']}"}
