"""Which addresses only this machine can reach."""

import ipaddress
from urllib.parse import urlsplit


def is_loopback(host: str) -> bool:
    """Of an address, or of a name: only `localhost` is one for certain."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def host_in(url: str) -> str:
    """The host of `scheme://host:port…` or `//host:port`, in small letters; empty where there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
