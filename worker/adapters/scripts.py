"""The Lua scripts."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from redis import Redis

from worker.adapters.redis_server import reachable

_NAMES = (
    "claim",
    "commit",
    "configure",
    "fail",
    "flush",
    "flush_all",
    "partitions",
    "ready",
    "renew",
    "ring",
    "save_plan",
    "status",
)


class Scripts:
    """Each script is one text file beside; Redis learns it again by itself after a restart."""

    def __init__(self, client: Redis) -> None:
        folder = files("worker").joinpath("adapters", "lua")
        self._scripts = {
            name: client.register_script(folder.joinpath(f"{name}.lua").read_text())
            for name in _NAMES
        }

    def run(self, name: str, keys: Sequence[str], arguments: Sequence[str | int]) -> Any:
        """What the script gives, in bytes and numbers."""
        with reachable():
            return self._scripts[name](keys=keys, args=arguments)
