"""An HTTP client whose replies end: each has a last moment and a largest size, whatever drips in."""

import time
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import httpx2
import openai

from worker.errors import Retryable

#: Bytes of one reply once unpacked. The longest that a job asks for has some ten thousand.
LARGEST_REPLY = 4_000_000
#: What no longer holds of a body that is unpacked and whole.
TRANSFER_HEADERS = frozenset({b"content-encoding", b"content-length", b"transfer-encoding"})


class BoundedClient(openai.DefaultHttpxClient):
    """The openai package's own client, that reads every body itself, those of errors too.

    `seconds` count from the request to the last byte. They are looked at between two reads, each of which has
    the same limit: a server that drips and then falls silent holds a call for twice as long at most. Redirects are
    not followed: what people said goes to the host that was named and to no other.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(timeout=seconds, follow_redirects=False)
        self._seconds = seconds

    def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """Raises `httpx2.ReadTimeout` for a reply that is too slow, `Retryable` for one that is too large."""
        until = time.monotonic() + self._seconds
        with closing(super().send(request, **{**options, "stream": True})) as reply:
            body = b"".join(_within_bounds(reply, until))
        kept = [pair for pair in reply.headers.raw if pair[0].lower() not in TRANSFER_HEADERS]
        return httpx2.Response(reply.status_code, headers=kept, content=body, request=request)


def _within_bounds(reply: httpx2.Response, until: float) -> Iterator[bytes]:
    size = 0
    for chunk in reply.iter_bytes():
        size += len(chunk)
        if size > LARGEST_REPLY:
            raise Retryable(
                f"{reply.request.url.host} sent a reply of more than {LARGEST_REPLY:,} bytes: see that"
                " SLOWWAVE_MODEL_URL names an OpenAI-compatible API, and how long its model may answer",
                part="model",
                may_be_text=True,
            )
        if time.monotonic() > until:
            raise httpx2.ReadTimeout("the reply drips", request=reply.request)
        yield chunk
