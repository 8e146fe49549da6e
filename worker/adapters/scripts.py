"""The Lua scripts."""

from collections.abc import Sequence
from hashlib import sha1
from importlib.resources import files
from typing import Any

from redis import Redis
from redis.exceptions import NoScriptError

from worker.adapters.redis_server import reachable

_NAMES = (
    "breaker",
    "claim",
    "claim_scope",
    "commit",
    "configure",
    "drop",
    "drop_recent",
    "drop_turns",
    "evict",
    "fail",
    "flush",
    "flush_all",
    "partitions",
    "ready",
    "release",
    "renew",
    "replay",
    "ring",
    "save_plan",
    "seize",
    "serve",
    "show",
    "shown",
    "sleep_call",
    "sleep_claim",
    "sleep_due",
    "sleep_end",
    "sleep_renew",
    "spend",
    "status",
    "uncount",
    "unserve",
)


class Scripts:
    """Each script is one text file beside; a server that does not know it, restarted or a new master, is sent it."""

    def __init__(self, client: Redis) -> None:
        folder = files("worker").joinpath("adapters", "lua")
        self._client = client
        self._texts = {name: folder.joinpath(f"{name}.lua").read_text() for name in _NAMES}
        self._digests = {
            name: sha1(text.encode(), usedforsecurity=False).hexdigest()
            for name, text in self._texts.items()
        }

    def run(self, name: str, keys: Sequence[str], arguments: Sequence[str | int]) -> Any:
        """What the script gives, in bytes and numbers."""
        values = [len(keys), *keys, *arguments]
        with reachable():
            try:
                return self._client.execute_command("EVALSHA", self._digests[name], *values)  # type: ignore[no-untyped-call]
            except NoScriptError:
                return self._client.execute_command("EVAL", self._texts[name], *values)  # type: ignore[no-untyped-call]
