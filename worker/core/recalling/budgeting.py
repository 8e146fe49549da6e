"""As much as fits."""

from worker.core.recalling.ask import Budget
from worker.core.recalling.pool import Entry, Pool, Stage


def bounded(limit: int, budget: Budget) -> Stage:
    """Leaves out what is beyond the limit or does not fit.

    Memories are never cut. One that does not fit is passed over for smaller ones behind it: a long memory in second
    place must not leave the rest of the room empty.
    """

    def stage(pool: Pool) -> Pool:
        room = _Room(limit, budget)
        # In the order of the entries, as each takes room from those behind it.
        refused = {id(entry): room.refuses(entry) for entry in pool.entries}
        full = pool.sifted("limit", lambda entry: _beyond(refused[id(entry)], limit))
        return full.sifted("budget", lambda entry: refused[id(entry)])

    return stage


#: The place behind the last.
BEYOND = ""


def _beyond(refused: str | None, limit: int) -> str | None:
    return f"{limit} better ones fill the answer" if refused == BEYOND else None


class _Room:
    """What is left of a budget."""

    def __init__(self, limit: int, budget: Budget) -> None:
        self._places, self._count = limit, budget.count
        self._characters, self._tokens = budget.characters, budget.tokens

    def refuses(self, entry: Entry) -> str | None:
        """Why it does not fit; where it does, it has taken its room."""
        if not self._places:
            return BEYOND
        text = entry.memory.text
        if self._characters is not None and len(text) > self._characters:
            return f"its {len(text)} characters do not fit in the {self._characters} left"
        tokens = 0 if self._tokens is None else self._count(text)
        if self._tokens is not None and tokens > self._tokens:
            return f"its {tokens} tokens do not fit in the {self._tokens} left"
        self._take(len(text), tokens)
        return None

    def _take(self, characters: int, tokens: int) -> None:
        self._places -= 1
        if self._characters is not None:
            self._characters -= characters
        if self._tokens is not None:
            self._tokens -= tokens
