"""Which source a URL means."""

from collections.abc import Callable
from typing import Final

from schemas.redis_address import SCHEMES
from worker.adapters.sources.source import Source
from worker.adapters.sources.stream import StreamSource
from worker.adapters.sources.stream_address import HERE, stream_address
from worker.errors import Misconfigured


def _open_stream(url: str, own_redis: str, *, follow: bool) -> Source:
    return StreamSource(stream_address(url, own_redis), follow=follow)


#: Scheme → what opens it, given the URL, that of our own Redis, and whether to wait for more.
SOURCES: Final[dict[str, Callable[..., Source]]] = {
    **dict.fromkeys((HERE, *SCHEMES), _open_stream),
}


def is_url(name: str) -> bool:
    """Whether this is a source's URL and no file's name."""
    return "://" in name or name.partition(":")[0] in SOURCES


def open_source(url: str, own_redis: str, *, follow: bool) -> Source:
    """By the URL's scheme; reaches for nothing yet. Raises `Misconfigured`."""
    scheme = url.partition(":")[0]
    if scheme not in SOURCES:
        raise Misconfigured(
            f"nothing here reads {scheme[:40]}: name {', '.join(SOURCES)}, a file or -"
        )
    return SOURCES[scheme](url, own_redis, follow=follow)
