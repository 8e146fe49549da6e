"""Labelled pairs of others as items: a file of JSON lines, each one fact and the one thing that is known.

A line has `id`, `source`, `older`, `newer`, `older_at`, `newer_at` (ISO 8601, a date or a time) and `label` (`same`,
`update`, `contradict`, or `separate`); what else it has is ignored.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

from bench.judge.items import BadItems, Item, checked, lines


def _moment(value: object) -> object:
    """A date begins in UTC."""
    if not isinstance(value, str):
        return value
    at = datetime.fromisoformat(value)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


class Pair(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    source: str
    older: str
    newer: str
    older_at: Annotated[datetime, BeforeValidator(_moment)]
    newer_at: Annotated[datetime, BeforeValidator(_moment)]
    label: Literal["same", "update", "contradict", "separate"]

    def item(self, language: str) -> Item:
        """The newer is the fact. Its kind is where it is from."""
        groups = [{"members": ("f1", "c1"), "relation": self.label}]
        return Item.model_validate(
            {
                "id": self.id,
                "kind": self.source,
                "language": language,
                "facts": [{"text": self.newer, "said_at": self.newer_at}],
                "known": [{"text": self.older, "said_at": self.older_at}],
                "groups": [] if self.label == "separate" else groups,
            }
        )


def read_pairs(paths: Sequence[Path], language: str) -> list[Item]:
    """Of files, and of all `.jsonl` files of folders. Raises `BadItems`."""
    files = [file for path in paths for file in _files(path)]
    return [
        checked(Pair, file, number, found).item(language)
        for file in files
        for number, found in lines(file)
    ]


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    if found := sorted(path.glob("*.jsonl")):
        return found
    raise BadItems(f"{path} has no .jsonl files: see `python -m bench judge --help`")
