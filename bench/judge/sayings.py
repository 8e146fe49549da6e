"""What may be said of one thing in one language: a line of `sayings.jsonl`; `bench.judge.rules` makes items of it."""

from bench.judge.items import Data


class Marks(Data):
    """Words that tell the sayings from each other, each a need of a pattern."""

    value: str
    detail: str
    new: str
    one: str
    alike: str
    #: That it is over.
    not_: str
    earlier: str
    meanwhile: str
    wish: str
    theirs: str


class Sayings(Data):
    """One thing in one language."""

    language: str
    topic: str
    #: What it settles, as extraction would name it; of all that is about the very same thing.
    attribute: str
    known: str
    #: The same in other words.
    again: str
    #: The same with a detail more.
    richer: str
    #: It has changed.
    changed: str
    #: What holds no longer either once it has changed.
    falls: str
    #: True as well.
    beside: str
    #: Two things that differ in one number or name.
    one: str
    alike: str
    #: It is over, and nothing takes its place.
    ended: str
    #: How it was long ago.
    earlier: str
    #: How it is for a while.
    meanwhile: str
    #: A request to forget it.
    request: str
    #: What is only imagined.
    wish: str
    #: What holds of somebody else.
    theirs: str
    marks: Marks
