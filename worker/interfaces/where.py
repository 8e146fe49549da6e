"""Where the parts of a deployment are, without their passwords."""

import re
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import parse_qsl, urlencode, urlsplit

from schemas.redis_address import redis_address
from worker.settings import Settings, revealed

#: What stands between scheme and host.
USER_INFO = re.compile(r"://[^/\s]+@")
#: A URL, a host with its port, an address, or the path of a file.
PLACE = re.compile(
    r"\b[a-z][a-z0-9+.-]*:/{1,3}\S+"
    r"|\b(?:ipv4:)?(?:\d{1,3}\.){3}\d{1,3}\b(?::\d+)?"
    r"|\bipv6:[^\s,]+(?=:\s)|\[[0-9a-fA-F:.]{2,}\](?::\d+)?|[0-9a-fA-F:]*::[0-9a-fA-F:]*"
    r"|\b[A-Za-z][\w.-]*:\d{2,5}\b"
    r"|(?<!\w)/(?:[^\s/()'\"]+/)+[^\s/()'\",;:]*"
)
#: Query parameters of a URL that may be shown.
SHOWN = {"db", "grpc_port", "protocol", "ssl_cert_reqs"}


def shown(url: str) -> str:
    """The URL with user, password and unknown parameters taken out."""
    if url.startswith("sqlite:"):
        return url
    place, _, query = url.partition("#")[0].partition("?")
    known = urlencode([pair for pair in parse_qsl(query) if pair[0] in SHOWN])
    return without_passwords(place) + (f"?{known}" if known else "")


def redis_of(settings: Settings) -> str:
    return shown(settings.redis_url) if settings.redis_url else "embedded Redis"


def model_of(settings: Settings) -> str:
    """The model's name and endpoint; the mode without one says what it is."""
    if settings.model == "rules":
        return "rules (English, no language model)"
    return (
        f"{settings.model} at {shown(settings.model_url)}" if settings.model_url else settings.model
    )


def without_secrets(text: str, settings: Settings) -> str:
    """The text with every key and every password of the settings masked."""
    keys = (settings.store_key, settings.model_key, settings.embedder_key)
    given = (settings.redis_url, settings.broker_url, settings.store, settings.model_url)
    secrets = [revealed(key) or "" for key in keys]
    secrets += [password for url in given if url for password in _passwords(url)]
    for secret in filter(None, secrets):
        text = text.replace(secret, "***")
    return without_passwords(text)


def without_places(text: str, settings: Settings) -> str:
    """For somebody who is not to know where the parts are: neither secrets nor addresses, hosts or files."""
    told = PLACE.sub("…", without_secrets(text, settings))
    given = (settings.redis_url, settings.broker_url, settings.store_url, settings.model_url)
    for host in filter(
        None, map(_host, (*given, settings.embedder_url, settings.recall_reranker_url))
    ):
        told = re.sub(rf"(?<![\w.-]){re.escape(host)}(?![\w-]|\.\w)", "…", told)
    return told


def _host(url: str | None) -> str | None:
    with suppress(ValueError):
        return urlsplit(url).hostname if url else None
    return None


def _passwords(url: str) -> Iterator[str]:
    """As they stand in the URL and as they are meant."""
    with suppress(ValueError):
        yield urlsplit(url).password or ""
    with suppress(ValueError):
        address = redis_address(url)
        yield from (address.password or "", address.sentinel_password or "")


def without_passwords(text: str) -> str:
    """The text with user and password of every URL in it masked."""
    return USER_INFO.sub("://***@", text)
