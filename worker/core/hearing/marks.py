"""What stands around recalled memories in a message, so that they are not learned again."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Marks:
    """Between these stands what recall put in front of a message."""

    begin: str = "<recalled>"
    end: str = "</recalled>"


MARKS = Marks()
