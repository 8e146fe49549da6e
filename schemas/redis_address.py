"""The address of a Redis, in every form in which one is reached.

redis://HOST:PORT/DB                        one server; `rediss://` is the same over TLS
unix:///PATH?db=DB                          one server, by its socket
redis+sentinel://HOST,HOST/MASTER/DB        the master that these Sentinels name; `rediss+sentinel://`
redis+cluster://HOST,HOST                   a Redis Cluster, known by any of its nodes; `rediss+cluster://`

`USER:PASSWORD@` may stand before the hosts, percent-encoded; an IPv6 address in brackets. Grammar of the first two
forms as redis-py has it, of the others as docket, Prefect and limits do.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote, unquote_plus

Kind = Literal["server", "socket", "sentinel", "cluster"]
Option = str | int | float | bool

#: Each with the kind that it means and whether it is over TLS.
SCHEMES: Mapping[str, tuple[Kind, bool]] = {
    "redis": ("server", False),
    "rediss": ("server", True),
    "unix": ("socket", False),
    "redis+sentinel": ("sentinel", False),
    "rediss+sentinel": ("sentinel", True),
    "redis+cluster": ("cluster", False),
    "rediss+cluster": ("cluster", True),
}

_PORTS: Mapping[Kind, int] = {"server": 6379, "sentinel": 26379, "cluster": 6379, "socket": 0}
_URL = re.compile(r"(?P<scheme>[\w+]+)://(?:(?P<login>[^/]*)@)?(?P<hosts>[^/]*)(?P<path>/.*)?")
_HOST = re.compile(r"(?:\[(?P<six>[^\s\[\]]+)\]|(?P<name>[^\s:\[\]]+))(?::(?P<port>[0-9]{1,5}))?")
_HIGHEST_PORT = 65535


def _truth(text: str) -> bool:
    return {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}[
        text.lower()
    ]


def _one_of(*words: str) -> Callable[[str], str]:
    return {word: word for word in words}.__getitem__


#: What may stand behind the `?`, by the names of redis-py: passed on to every connection.
_OPTIONS: Mapping[str, Callable[[str], Option]] = {
    "client_name": str,
    "health_check_interval": int,
    "max_connections": int,
    "protocol": int,
    "socket_connect_timeout": float,
    "socket_keepalive": _truth,
    "socket_timeout": float,
}
_TLS_OPTIONS: Mapping[str, Callable[[str], Option]] = {
    "ssl_ca_certs": str,
    "ssl_ca_data": str,
    "ssl_cert_reqs": _one_of("required", "optional", "none"),
    "ssl_certfile": str,
    "ssl_check_hostname": _truth,
    "ssl_keyfile": str,
}
_LOGIN = ("username", "password")
_SENTINEL_LOGIN = ("sentinel_username", "sentinel_password")


@dataclass(frozen=True)
class RedisAddress:
    """Where a Redis is and how it wants to be spoken to. Shown without what is secret."""

    kind: Kind
    tls: bool
    #: Servers, Sentinels, or nodes of a cluster: host and port.
    hosts: tuple[tuple[str, int], ...] = ()
    #: Of the socket.
    path: str = ""
    db: int = 0
    #: What the Sentinels call the master.
    master: str = ""
    username: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    sentinel_username: str | None = field(default=None, repr=False)
    sentinel_password: str | None = field(default=None, repr=False)
    #: Options of every connection, TLS apart.
    options: Mapping[str, Option] = field(default_factory=dict)
    #: `ssl_…` options of every connection, those to Sentinels too.
    tls_options: Mapping[str, Option] = field(default_factory=dict, repr=False)

    @property
    def login(self) -> dict[str, str]:
        return _given(username=self.username, password=self.password)

    @property
    def sentinel_login(self) -> dict[str, str]:
        return _given(username=self.sentinel_username, password=self.sentinel_password)

    @property
    def database(self) -> tuple[object, ...]:
        """Equal for two addresses that lead to the same keys, as far as their words show it."""
        return (self.kind, frozenset(self.hosts), self.path, self.master, self.db)


def redis_address(url: str) -> RedisAddress:
    """Raises `ValueError`, which repeats nothing of the URL that could be secret."""
    front, _, query = url.partition("?")
    found = _URL.fullmatch(front)
    if found is None or found["scheme"].lower() not in SCHEMES:
        raise ValueError(f"it begins with none of {', '.join(f'{name}://' for name in SCHEMES)}")
    kind, tls = SCHEMES[found["scheme"].lower()]
    given = _query(query, kind, tls=tls)
    path = unquote(found["path"] or "")
    username, _, password = (found["login"] or "").partition(":")
    return RedisAddress(
        kind=kind,
        tls=tls,
        hosts=() if kind == "socket" else _hosts(found["hosts"], kind),
        path=_socket(found["hosts"], path) if kind == "socket" else "",
        db=_database(path, given.pop("db", None), kind),
        master=_master(path) if kind == "sentinel" else "",
        username=unquote(username) or given.pop("username", None),
        password=unquote(password) or given.pop("password", None),
        sentinel_username=given.pop("sentinel_username", None),
        sentinel_password=given.pop("sentinel_password", None),
        options=_read(given, _OPTIONS),
        tls_options=_read(given, _TLS_OPTIONS),
    )


def _given(**values: str | None) -> dict[str, str]:
    return {name: value for name, value in values.items() if value is not None}


def _query(query: str, kind: Kind, *, tls: bool) -> dict[str, str]:
    known = {"db", *_LOGIN, *_OPTIONS, *_TLS_OPTIONS, *_SENTINEL_LOGIN}
    pairs = [pair.partition("=") for pair in query.split("&") if pair]
    given = {name: unquote_plus(value) for name, _, value in pairs}
    if given.keys() - known:
        # Not named: what was meant for a password may stand there.
        raise ValueError(f"behind the `?` only these may stand: {', '.join(sorted(known))}")
    for name in given:
        if name in _TLS_OPTIONS and not tls:
            raise ValueError(f"`{name}` needs TLS: write rediss in place of redis")
        if name in _SENTINEL_LOGIN and kind != "sentinel":
            raise ValueError(f"`{name}` is for Sentinels: write redis+sentinel:// or leave it out")
    return given


def _read(
    given: Mapping[str, str], readers: Mapping[str, Callable[[str], Option]]
) -> dict[str, Option]:
    options = {}
    for name in given.keys() & readers.keys():
        try:
            options[name] = readers[name](given[name])
        except (KeyError, ValueError):
            raise ValueError(f"its option `{name}` cannot be read") from None
    return options


def _hosts(text: str, kind: Kind) -> tuple[tuple[str, int], ...]:
    parts = text.split(",")
    if kind == "server" and len(parts) > 1:
        raise ValueError(
            "several hosts are Sentinels or a cluster: write redis+sentinel:// or redis+cluster://"
        )
    return tuple(_host(part or "localhost", _PORTS[kind]) for part in parts)


def _host(text: str, port: int) -> tuple[str, int]:
    found = _HOST.fullmatch(text)
    if found is None or int(found["port"] or port) > _HIGHEST_PORT:
        raise ValueError("a host is not HOST:PORT; in a password, percent-encode `/`, `?` and `@`")
    return unquote(found["six"] or found["name"]), int(found["port"] or port)


def _socket(host: str, path: str) -> str:
    if host or not path.strip("/"):
        raise ValueError("a socket is written unix:///PATH, with three slashes")
    return path


def _master(path: str) -> str:
    name = path.strip("/").partition("/")[0]
    if not name:
        raise ValueError("the master's name is missing: redis+sentinel://HOST:26379/MASTER/0")
    return name


def _database(path: str, option: str | None, kind: Kind) -> int:
    words = [] if kind == "socket" else path.strip("/").split("/")
    number = option or "/".join(words[1:] if kind == "sentinel" else words) or "0"
    if not number.isascii() or not number.isdigit():
        raise ValueError("the database is not a number: write it behind the last slash, such as /0")
    if kind == "cluster" and int(number):
        raise ValueError("a Redis Cluster has database 0 only")
    return int(number)
