"""A Redis Stream as a source: a consumer group, one consumer for each process.

An entry is acknowledged only once it is settled, so it stays pending under its consumer's name until then; what
a dead consumer left is claimed after `idle_seconds` (XAUTOCLAIM).
"""

import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

from redis import Redis
from redis.exceptions import AuthenticationError, NoPermissionError, RedisError, ResponseError
from redis.typing import StreamIdT

from worker.adapters.redis_server import connect
from worker.adapters.sources.entry import own_id, published_at, turn_in
from worker.adapters.sources.source import Delivery
from worker.adapters.sources.stream_address import StreamAddress
from worker.errors import Misconfigured, SlowwaveError, Unavailable, Unprocessable

#: The place before every entry, and where XAUTOCLAIM has looked at them all.
START = b"0-0"
#: Most seconds between two looks for what dead consumers left.
SWEEP_SECONDS = 10.0

Fields = dict[bytes, bytes]
Entries = list[tuple[bytes, Fields]]


class StreamSource:
    """Reads as one consumer. A group or stream that is not there is made when it is first asked for."""

    unit = "entry"

    def __init__(
        self,
        address: StreamAddress,
        *,
        follow: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Unless it is to `follow`, it has come to its end when nothing is left."""
        self._client: Redis = connect(address.url, "the stream's URL")
        self._stream, self._group, self._start = address.stream, address.group, address.start
        self._idle_ms = round(address.idle_seconds * 1000)
        self._follow, self._clock = follow, clock
        self._consumer = f"{socket.gethostname()}-{os.getpid()}-{uuid4().hex[:8]}"
        self._cursor, self._sweep_at = START, clock()
        self._in_hand: dict[str, Fields] = {}
        self._failed = False
        self.aside = f"{address.stream}:refused"

    def take(self, most: int, seconds: float) -> Sequence[Delivery] | None:
        with self._reached():
            try:
                entries = self._claimed(most) or self._fresh(most, seconds)
            except ResponseError as error:
                if not str(error).startswith("NOGROUP"):
                    raise
                self._make_group()
                return []
        if not entries and not self._follow and self._cursor == START:
            return None
        return [self._delivered(entry, fields) for entry, fields in entries]

    def _claimed(self, most: int) -> Entries:
        """What others left, a look at a time, and what was lost on the way to us."""
        if self._cursor == START and self._clock() < self._sweep_at:
            return []
        cursor, entries, *_ = self._client.xautoclaim(
            self._stream, self._group, self._consumer, self._idle_ms, self._cursor, most
        )
        self._cursor = cursor
        if cursor == START:
            self._sweep_at = self._clock() + min(SWEEP_SECONDS, self._idle_ms / 1000)
        return [(entry, fields) for entry, fields in entries if not self._holds(entry)]

    def _holds(self, entry: bytes | None) -> bool:
        """A server before Redis 7 gives null for an entry that was deleted: nothing is left of it to take."""
        return entry is None or entry.decode() in self._in_hand

    def _fresh(self, most: int, seconds: float) -> Entries:
        block = max(1, round(seconds * 1000)) if self._follow else None
        return _entries(
            self._client.xreadgroup(
                self._group, self._consumer, {self._stream: ">"}, count=most, block=block
            )
        )

    def _make_group(self) -> None:
        """One that is gone while we read is made from the start: entries of meanwhile may not be missed."""
        try:
            self._client.xgroup_create(self._stream, self._group, self._start, mkstream=True)
        except ResponseError as error:
            if not str(error).startswith("BUSYGROUP"):
                raise
        self._start = "0"

    def _delivered(self, entry: bytes, fields: Fields) -> Delivery:
        id = entry.decode()
        self._in_hand[id] = fields
        try:
            turn = turn_in(fields)
        except Unprocessable as error:
            return Delivery(id, problem=str(error))
        if turn.get("id") is None:
            turn = {**turn, "id": own_id(self._stream, id)}
        return Delivery(id, turn, published_at=published_at(id))

    def settle(self, deliveries: Sequence[Delivery]) -> None:
        ids = [delivery.id for delivery in deliveries]
        if ids:
            with self._reached():
                self._client.xack(self._stream, self._group, *ids)
        self._let_go(ids)

    def refuse(self, delivery: Delivery, reason: str) -> None:
        """The entry's own fields go with the reason, so that it can be mended and added again."""
        fields = self._in_hand.get(delivery.id, {})
        told: Mapping[bytes, bytes] = {
            **fields,
            b"refused:reason": reason.encode(errors="replace"),
            b"refused:entry": delivery.id.encode(),
        }
        # One that is put aside and not acknowledged comes again; the other way round it would be lost.
        with self._reached():
            self._client.xadd(self.aside, told)  # type: ignore[arg-type] # a dict is invariant
        self.settle([delivery])

    def keep(self, deliveries: Sequence[Delivery]) -> None:
        """Their idle time starts anew."""
        self._claim_own([delivery.id for delivery in deliveries], 0)

    def leave(self, deliveries: Sequence[Delivery]) -> None:
        """They count as idle for long enough."""
        ids = [delivery.id for delivery in deliveries]
        self._let_go(ids)
        self._claim_own(ids, self._idle_ms)

    def _claim_own(self, ids: Iterable[str], idle_ms: int) -> None:
        if own := list[StreamIdT](ids):
            with self._reached():
                self._client.xclaim(
                    self._stream, self._group, self._consumer, 0, own, idle=idle_ms, justid=True
                )

    def _let_go(self, ids: Iterable[str]) -> None:
        for id in ids:
            self._in_hand.pop(id, None)

    def close(self) -> None:
        """Leaves no name behind, unless entries are pending under it: they would be lost with it."""
        with self._client, suppress(SlowwaveError), self._reached():
            # An answer that never came may still put entries there.
            if not self._failed and not self._client.xpending_range(
                self._stream, self._group, "-", "+", 1, self._consumer
            ):
                self._client.xgroup_delconsumer(self._stream, self._group, self._consumer)

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except (AuthenticationError, NoPermissionError) as error:
            raise Misconfigured(
                f"the Redis of the stream {self._stream} refuses us ({error}): check user and password in its URL"
            ) from error
        except ResponseError as error:
            if not str(error).startswith("WRONGTYPE"):
                self._failed = True
                raise self._unavailable(error) from error
            raise Misconfigured(
                f"{self._stream} or {self.aside} is no stream: name another key, or remove what is there"
            ) from error
        except RedisError as error:
            self._failed = True
            raise self._unavailable(error) from error

    def _unavailable(self, error: RedisError) -> Unavailable:
        return Unavailable(
            f"the Redis of the stream {self._stream} does not answer as it should"
            f" ({type(error).__name__}: {error}): see that it runs and has room"
        )


def _entries(reply: Any) -> Entries:
    """Of a reply in either of Redis's protocols, 2 or 3."""
    if isinstance(reply, dict):
        return [entry for parts in reply.values() for part in parts for entry in part]
    return [entry for _, part in reply for entry in part]
