"""The last turns of a scope's conversations, kept at commit as context for later ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from redis import Redis

from schemas.keys import ScopeKeys
from schemas.turn import Turn
from worker.adapters.entries import RECENT, RECENT_CONVERSATIONS, outdated, recent_after
from worker.adapters.redis_server import reachable


@dataclass(frozen=True)
class Renewal:
    """What a commit makes of the context that is kept."""

    #: Conversation → JSON of its last turns.
    kept: Mapping[str, str]
    #: Conversations to forget.
    outdated: Sequence[str]


class Recent:
    """Reads what is kept and says what to keep; `commit` writes it. Every call may raise `Unavailable`."""

    def __init__(self, client: Redis, keep: int) -> None:
        self._redis = client
        self._keep = keep

    def turns(self, keys: ScopeKeys, conversations: list[str]) -> dict[str, tuple[Turn, ...]]:
        """Of each of these conversations, oldest first."""
        if not conversations:
            return {}
        with reachable():
            kept = self._redis.hmget(keys.recent, conversations)
        return {
            conversation: RECENT.validate_json(turns) if turns else ()
            for conversation, turns in zip(conversations, kept, strict=True)
        }

    def all_of(self, keys: ScopeKeys) -> dict[str, tuple[Turn, ...]]:
        """Of every conversation, oldest first."""
        with reachable():
            kept = self._redis.hgetall(keys.recent)
        return {
            name.decode() if isinstance(name, bytes) else str(name): RECENT.validate_json(turns)
            for name, turns in kept.items()
        }

    def after(self, keys: ScopeKeys, settled: Sequence[Turn]) -> Renewal:
        """What to keep, and what to forget, once these turns are settled too."""
        if not self._keep:
            return Renewal({}, [])
        heard = [turn for turn in settled if not turn.automated]
        before = self.turns(keys, list(dict.fromkeys(turn.conversation for turn in heard)))
        kept = recent_after(before, heard, self._keep)
        # Where no conversation is new, they are no more than they were.
        is_growing = not all(before.values())
        return Renewal(kept, self._outdated(keys, kept) if is_growing else [])

    def _outdated(self, keys: ScopeKeys, renewed: Mapping[str, str]) -> list[str]:
        with reachable():
            if self._redis.hlen(keys.recent) + len(renewed) <= RECENT_CONVERSATIONS:
                return []
        return outdated(self.all_of(keys), renewed)
