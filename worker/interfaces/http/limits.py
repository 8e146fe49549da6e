"""What one request may send, how often a key may ask, and what every answer says to browsers."""

import math
import time
from collections.abc import Collection
from http import HTTPStatus

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import SlidingWindowCounterRateLimiter
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from worker.interfaces.http.problems import SECURITY, problem

NDJSON = "application/x-ndjson"


def media_type(headers: Headers) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


class BodyLimit:
    """Refuses longer bodies with 413, also those that do not say how long they are.

    `streamed` are paths whose lines of JSON have a limit each instead.
    """

    def __init__(self, app: ASGIApp, most: int, streamed: Collection[str] = ()) -> None:
        self._app, self._most, self._streamed = app, most, streamed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if scope["path"] in self._streamed and media_type(headers) == NDJSON:
            await self._app(scope, receive, send)
            return
        length = headers.get("content-length", "")
        if length.isdecimal() and (len(length) > 20 or int(length) > self._most):  # noqa: PLR2004 - digits of 2**64
            await problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, self._told)(scope, receive, send)
            return
        await self._app(scope, self._counted(receive), send)

    def _counted(self, receive: Receive) -> Receive:
        got = 0

        async def counted() -> Message:
            nonlocal got
            message = await receive()
            got += len(message.get("body", b""))
            if got > self._most:
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, self._told)
            return message

        return counted

    @property
    def _told(self) -> str:
        return (
            f"the body is longer than {self._most:,} bytes: send less at once;"
            f" turns may come as lines, as {NDJSON}, where this holds for each line"
        )


class SecurityHeaders:
    """Unless a route says otherwise."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, sent if scope["type"] == "http" else send)


class Rate:
    """How often each caller may ask; kept in this process. A key that was never made is refused before it counts."""

    def __init__(self, per_minute: int) -> None:
        self._limit = RateLimitItemPerMinute(per_minute) if per_minute else None
        self._hits = SlidingWindowCounterRateLimiter(MemoryStorage())

    def check(self, caller: str) -> None:
        """Raises `HTTPException` (429) beyond the limit."""
        if self._limit is None or self._hits.hit(self._limit, caller):
            return
        again = self._hits.get_window_stats(self._limit, caller).reset_time - time.time()
        raise HTTPException(
            HTTPStatus.TOO_MANY_REQUESTS,
            f"more than {self._limit.amount:,} requests in a minute: wait, or raise SLOWWAVE_HTTP_RATE_PER_MINUTE",
            {"Retry-After": str(max(1, math.ceil(again)))},
        )
