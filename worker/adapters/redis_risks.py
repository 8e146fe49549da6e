"""Whether a Redis is set right for turns: each server that holds some is looked at."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from redis import Redis, RedisCluster
from redis.exceptions import NoPermissionError, ResponseError

from worker.adapters.redis_server import reachable
from worker.errors import Misconfigured

#: Share of its memory limit from which a Redis counts as nearly full.
NEARLY_FULL = 0.8

_OLDEST_SERVER = (7, 0)
_MEGABYTE = 1_000_000

#: What a server says of itself in one section of INFO.
Info = Mapping[str, Any]
Ask = Callable[[str], Info]


def risks(client: Redis) -> list[str]:
    """Warnings, each `what: what to do`; of a cluster, for each master by its name.

    Raises `Misconfigured` where Redis would lose turns or cannot run our scripts, and as `reachable`.
    """
    with reachable():
        return [warning for name, ask in _masters(client) for warning in _risks(name, ask)]


def _masters(client: Redis) -> Iterator[tuple[str, Ask]]:
    if isinstance(client, RedisCluster):
        for node in client.get_primaries():
            yield f"Redis at {node.name}", partial(client.info, target_nodes=node)
    else:
        yield "Redis", client.info


def _risks(name: str, ask: Ask) -> Iterator[str]:
    try:
        server, memory = ask("server"), ask("memory")
        persistence, replication = ask("persistence"), ask("replication")
    except NoPermissionError:
        yield f"{name} {_UNSEEN}"
        return
    except ResponseError as error:
        if not str(error).startswith("unknown command"):
            raise
        yield f"{name} {_UNSEEN}"
        return
    _refuse_old(name, str(server.get("redis_version", "")))
    _refuse_replica(name, str(replication.get("role", "")))
    yield from _forgetful(name, memory.get("maxmemory_policy"))
    if not persistence.get("aof_enabled"):
        yield f"{name} has no append-only file: a restart loses turns; set appendonly yes"
    yield from _nearly_full(name, memory)
    yield from _unconfirmed(name, replication)


_UNSEEN = (
    "does not let us look at its settings (INFO): see to it that it is version 7 or newer, has"
    " maxmemory-policy noeviction and appendonly yes"
)


def _refuse_old(name: str, version: str) -> None:
    numbers = version.split(".")[:2]
    if version and tuple(map(int, numbers)) < _OLDEST_SERVER:
        raise Misconfigured(f"{name} is {version}: slowwave needs Redis 7.0 or Valkey 7.2 at least")


def _refuse_replica(name: str, role: str) -> None:
    if role == "slave":
        raise Misconfigured(
            f"{name} is a replica and takes no turns: let SLOWWAVE_REDIS_URL name its master, or"
            " Sentinels that know it (redis+sentinel://HOST:26379/MASTER/0)"
        )


def _forgetful(name: str, policy: str | None) -> Iterator[str]:
    """Some managed servers do not tell."""
    if policy is None:
        yield f"{name} does not tell its maxmemory-policy: see to it that it is noeviction"
    elif policy != "noeviction":
        raise Misconfigured(
            f"{name} has maxmemory-policy {policy}, which throws turns away when memory is short:"
            " set it to noeviction"
        )


def _nearly_full(name: str, memory: Info) -> Iterator[str]:
    used, most = memory.get("used_memory", 0), memory.get("maxmemory", 0)
    if most and used >= most * NEARLY_FULL:
        yield (
            f"{name} uses {used / _MEGABYTE:.1f} of {most / _MEGABYTE:.1f} MB, {used / most:.0%} of its"
            " maxmemory: when full it takes neither turns nor doorbells; run more workers, empty it with"
            " `slowwave drain --all`, or raise maxmemory"
        )


def _unconfirmed(name: str, replication: Info) -> Iterator[str]:
    """Told only while `min-replicas-to-write` is set; a master that is cut off goes on accepting without it."""
    if replication.get("connected_slaves") and "min_slaves_good_slaves" not in replication:
        yield (
            f"{name} accepts turns that no replica has: a failover may lose the last seconds, and a"
            " master that is cut off all it took since; set min-replicas-to-write 1 to bound it"
        )
