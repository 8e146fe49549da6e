"""Counts that add up."""

from dataclasses import dataclass, fields
from typing import Self


@dataclass(frozen=True)
class Counts:
    """Whole numbers by name; those of several streams add up."""

    def __add__(self, other: Self) -> Self:
        names = [one.name for one in fields(self)]
        return type(self)(**{name: getattr(self, name) + getattr(other, name) for name in names})
