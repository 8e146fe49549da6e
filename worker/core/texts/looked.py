"""What a text that many facts are compared with says, looked at once."""

from functools import cached_property, lru_cache

from worker.core.texts.identifiers import identifiers
from worker.core.texts.language import is_listed
from worker.core.texts.names import keys
from worker.core.texts.words import content_words, terms


class Looked:
    """One text; each part is found when it is first asked for."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def words(self) -> frozenset[str]:
        return content_words(self._text)

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(terms(self._text))

    @cached_property
    def codes(self) -> frozenset[str]:
        return frozenset(identifiers(self._text))

    @cached_property
    def names(self) -> frozenset[str]:
        """All words in the form in which names are compared."""
        return keys(self._text)

    @cached_property
    def is_listed(self) -> bool:
        return is_listed(self._text)


@lru_cache(maxsize=8)
def looked(text: str) -> Looked:
    """A batch has few sets of turns that facts cite, and a turn may have a hundred thousand characters."""
    return Looked(text)
