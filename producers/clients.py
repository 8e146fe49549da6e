"""A client of redis-py for any address. Nothing is retried, and no wait is longer than it was told to be.

A time-out holds for each server that is asked: behind Sentinels and in a cluster, finding the master may ask
several. The one module here that workers use too.
"""

from collections.abc import Mapping
from typing import Any, cast

from redis import Redis, RedisCluster
from redis.asyncio import Redis as AsyncRedis
from redis.asyncio import RedisCluster as AsyncRedisCluster
from redis.asyncio.cluster import ClusterNode as AsyncClusterNode
from redis.asyncio.retry import Retry as AsyncRetry
from redis.asyncio.sentinel import MasterNotFoundError as AsyncMasterNotFoundError
from redis.asyncio.sentinel import Sentinel as AsyncSentinel
from redis.asyncio.sentinel import SentinelConnectionPool as AsyncSentinelPool
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode
from redis.exceptions import (
    ClusterError,
    ConnectionError,  # noqa: A004 - redis-py's own
    RedisClusterException,
    TimeoutError,  # noqa: A004 - redis-py's own
)
from redis.retry import Retry
from redis.sentinel import MasterNotFoundError, Sentinel, SentinelConnectionPool

from schemas.redis_address import RedisAddress

#: What redis-py raises where a server cannot be asked: the next question would only wait as well.
UNREACHABLE = (ConnectionError, TimeoutError, ClusterError, RedisClusterException)


def client(address: RedisAddress, timeout_seconds: float) -> Redis:
    """Connects when first used; that of a cluster at once, and raises one of `UNREACHABLE`."""
    options = _options(address, timeout_seconds)
    retry = Retry(NoBackoff(), 0)
    match address.kind:
        case "cluster":
            nodes = [ClusterNode(host, port) for host, port in address.hosts]  # type: ignore[no-untyped-call] # redis has none here
            cluster = RedisCluster(startup_nodes=nodes, retry=retry, **_CLUSTER, **options)
            # It has the same commands, and redis-py no type for both.
            return cast("Redis", cluster)
        case "sentinel":
            asked = {**_sentinel_options(address, options), "retry": retry}
            sentinels = _Sentinels(address.hosts, sentinel_kwargs=asked, retry=retry, **options)  # type: ignore[no-untyped-call] # nor here
            master = sentinels.master_for(address.master, redis_class=_Master, db=address.db)  # type: ignore[no-untyped-call] # nor here
            return cast("Redis", master)
        case _:
            return Redis(**_place(address), retry=retry, **options)


def async_client(address: RedisAddress, timeout_seconds: float) -> AsyncRedis:
    """The same for asyncio; connects when first used."""
    options = _options(address, timeout_seconds)
    retry = AsyncRetry(NoBackoff(), 0)
    match address.kind:
        case "cluster":
            nodes = [AsyncClusterNode(host, port) for host, port in address.hosts]
            cluster = AsyncRedisCluster(startup_nodes=nodes, retry=retry, **_CLUSTER, **options)
            return cast("AsyncRedis", cluster)
        case "sentinel":
            asked = {**_sentinel_options(address, options), "retry": retry}
            sentinels = _AsyncSentinels(
                address.hosts, sentinel_kwargs=asked, retry=retry, **options
            )  # type: ignore[no-untyped-call] # nor here
            master = sentinels.master_for(address.master, redis_class=_AsyncMaster, db=address.db)
            return cast("AsyncRedis", master)
        case _:
            return AsyncRedis(**_place(address), retry=retry, **options)


#: The nodes that were named are asked again for the others, since their names outlive addresses that move; and
#: a part of the cluster that is down is nothing to those who need another.
_CLUSTER: Mapping[str, Any] = {"dynamic_startup_nodes": False, "require_full_coverage": False}


def _options(address: RedisAddress, timeout_seconds: float) -> dict[str, Any]:
    """What the address says of time-outs is what the operator wants.

    RESP2 unless it says otherwise: over RESP3 redis-py lets a server in maintenance stretch them to 10 s.
    """
    waits = dict.fromkeys(("socket_timeout", "socket_connect_timeout"), timeout_seconds)
    secure = {"ssl": True, **address.tls_options} if address.tls else {}
    return {"protocol": 2, **waits, **address.login, **secure, **address.options}


def _sentinel_options(address: RedisAddress, options: Mapping[str, Any]) -> dict[str, Any]:
    """Sentinels have logins of their own."""
    return {
        **{name: value for name, value in options.items() if name not in address.login},
        **address.sentinel_login,
    }


def _place(address: RedisAddress) -> dict[str, Any]:
    if address.kind == "socket":
        return {"unix_socket_path": address.path, "db": address.db}
    ((host, port),) = address.hosts
    return {"host": host, "port": port, "db": address.db}


def _unknown(master: str) -> MasterNotFoundError:
    """In place of redis-py's words, which describe each client at length, by older versions with its password."""
    return MasterNotFoundError(
        f"no Sentinel that answers knows a master {master!r} that is up: a failover may be under way"
    )


class _Sentinels(Sentinel):
    """Says in short what it does not find."""

    def discover_master(self, service_name: str) -> tuple[str, int]:
        try:
            found: tuple[str, int] = super().discover_master(service_name)  # type: ignore[no-untyped-call] # nor here
        except MasterNotFoundError:
            raise _unknown(service_name) from None
        return found


class _AsyncSentinels(AsyncSentinel):
    """The same for asyncio."""

    async def discover_master(self, service_name: str) -> tuple[str, int]:
        try:
            found: tuple[str, int] = await super().discover_master(service_name)
        except AsyncMasterNotFoundError:
            raise _unknown(service_name) from None
        return found


class _Master(Redis):
    """A client that lets go of its Sentinels as well."""

    def close(self) -> None:
        pool = cast("SentinelConnectionPool", self.connection_pool)
        for sentinel in pool.sentinel_manager.sentinels:
            sentinel.close()
        super().close()


class _AsyncMaster(AsyncRedis):
    """The same for asyncio."""

    async def aclose(self, close_connection_pool: bool | None = None) -> None:  # noqa: FBT001 - redis-py's own
        pool = cast("AsyncSentinelPool", self.connection_pool)
        for sentinel in pool.sentinel_manager.sentinels:
            await sentinel.aclose()
        await super().aclose(close_connection_pool)
