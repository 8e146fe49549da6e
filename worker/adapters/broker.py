"""What Celery is to be told of an address of a Redis: its transport has its own words for it."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from redis.backoff import NoBackoff
from redis.retry import Retry

from schemas.redis_address import RedisAddress
from worker.adapters.redis_server import check_url
from worker.errors import Misconfigured

#: Celery's keys beside the turns.
KEY_PREFIX = "slowwave:celery:"

_OPTIONS: Mapping[str, Any] = {
    "global_keyprefix": KEY_PREFIX,
    "socket_timeout": 5,
    "socket_keepalive": True,
    # A bell is nothing to be kept and given out again. Besides, where Redis is lost while a bell waits for a thread,
    # kombu 5.7 acknowledges it through a client that it has let go of, and the worker ends (AttributeError).
    "ack_emulation": False,
}


def broker(url: str, setting: str) -> dict[str, Any]:
    """Celery's settings `broker_url`, `broker_use_ssl` and `broker_transport_options`.

    Raises `Misconfigured` for what is no address, and for a cluster.
    """
    address = check_url(setting, url)
    if address.kind == "cluster":
        raise Misconfigured(
            f"{setting} is a Redis Cluster, through which Celery cannot send its doorbells:"
            " let SLOWWAVE_BROKER_URL name a Redis that is none, a small one will do"
        )
    return {
        "broker_url": _url(address),
        "broker_use_ssl": _secure(address) or None,
        "broker_transport_options": {**_OPTIONS, **_sentinels(address)},
    }


def _secure(address: RedisAddress) -> dict[str, Any]:
    """Said in full: unless it is told to, kombu looks at no certificate."""
    return {"ssl_cert_reqs": "required", **address.tls_options} if address.tls else {}


def _sentinels(address: RedisAddress) -> dict[str, Any]:
    if address.kind != "sentinel":
        return {}
    secure = {"ssl": True, **_secure(address)} if address.tls else {}
    # A Sentinel that is down is left for the next at once; redis-py would try it for seconds.
    patience = {"socket_timeout": _OPTIONS["socket_timeout"], "retry": Retry(NoBackoff(), 0)}
    asked = {**patience, **address.sentinel_login, **secure}
    return {"master_name": address.master, "sentinel_kwargs": asked}


def _url(address: RedisAddress) -> str:
    login = _login(address)
    if address.kind == "socket":
        return f"redis+socket://{login}{quote(address.path)}?virtual_host={address.db}"
    scheme = "sentinel" if address.kind == "sentinel" else ("rediss" if address.tls else "redis")
    return ";".join(
        f"{scheme}://{login}{_host(host)}:{port}/{address.db}" for host, port in address.hosts
    )


def _host(host: str) -> str:
    return f"[{quote(host, safe=':')}]" if ":" in host else quote(host)


def _login(address: RedisAddress) -> str:
    if not address.login:
        return ""
    return f"{quote(address.username or '', safe='')}:{quote(address.password or '', safe='')}@"
