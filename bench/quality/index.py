"""Which of many texts could say something, without reading them all."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

from bench.quality.words import certain, tokens

T = TypeVar("T")


class Index(Generic[T]):
    """Things by the words of their texts: thousands of slots are looked for among thousands of texts."""

    def __init__(self, things: Sequence[T], text_of: Callable[[T], str]) -> None:
        self._things = things
        self._places = defaultdict[str, set[int]](set)
        for place, thing in enumerate(things):
            for token in tokens(text_of(thing)):
                self._places[token].add(place)

    def near(self, needs: Iterable[str]) -> Sequence[T]:
        """In their order all that may tell the needs, and others that may not."""
        wanted = {token for need in needs for token in certain(need)}
        if not wanted:
            return self._things
        found = [self._places.get(token, set()) for token in wanted]
        return [self._things[place] for place in sorted(set.intersection(*found))]
