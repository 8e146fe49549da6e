"""The two producers. A chat backend opens one, keeps it, and never sees an exception for a turn."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from threading import Lock
from types import TracebackType
from typing import Self, cast
from uuid import UUID

from pydantic import BaseModel
from redis import Redis, RedisCluster
from redis.asyncio import Redis as AsyncRedis
from redis.asyncio import RedisCluster as AsyncRedisCluster
from redis.exceptions import RedisError

from producers.answer import NOT_IN, Answer, Settled
from producers.clients import UNREACHABLE, async_client, client
from producers.post import Command, Exchange, Letter, Post, T, parcels
from producers.ticket import Ticket, pauses
from schemas.line import Line, Refused, TurnLine, turn_of, turns_of
from schemas.redis_address import redis_address

#: A message as chat backends have it: a dict in OpenAI's format, or the `openai` package's own object.
Message = Mapping[str, object] | BaseModel

#: Longest wait for Redis: a chat goes on without it.
TIMEOUT_SECONDS = 0.2


class Producer:
    """Publishes turns in one round trip; blocks 0.2 s for connecting and 0.2 s for the answer at most.

    Both hold for each server that has to be asked for the master, behind Sentinels and in a cluster.
    """

    def __init__(self, redis: str | Redis | RedisCluster) -> None:
        """`redis` is a URL of any form in `schemas.redis_address`, or a client that stays the caller's.

        Raises `ValueError` for what is no such URL.
        """
        self._owned = isinstance(redis, str)
        self._redis = None if isinstance(redis, str) else redis
        self._connect: Callable[[], Redis | RedisCluster] = (
            partial(client, redis_address(redis), TIMEOUT_SECONDS)
            if isinstance(redis, str)
            else lambda: redis
        )
        self._connecting = Lock()
        self._post = Post()

    def publish(self, turn: Line) -> Answer:
        """Without an id and `said_at`, two calls with the same words are two turns."""
        (answer,) = self._run(self._post.deliver(_parcel(turn)))
        return answer

    def publish_many(
        self, turns: Iterable[Line], earlier: Counter[UUID] | None = None
    ) -> list[Answer]:
        """One answer for each, in order; a round trip for every 500 turns.

        Turns are told apart as those of one list (`schemas.line.turns_of`): publishing it again changes
        nothing. `earlier` carries on over the parts of a longer list.
        """
        deliveries = map(self._post.deliver, parcels(turns_of(turns, datetime.now(UTC), earlier)))
        return [answer for delivery in deliveries for answer in self._run(delivery)]

    def publish_messages(
        self, messages: Iterable[Message], *, app: str, user: str, conversation: str = "default"
    ) -> list[Answer]:
        """A conversation in OpenAI's format, whole or in parts.

        Give `id` or `said_at` in the messages when you publish only the newest ones: without them, the
        same words in the next call are taken for the same history published again.
        """
        return self.publish_many(_lines(messages, app, user, conversation))

    def wait(self, ticket: str | None, timeout: float = 30.0) -> Settled:
        """Until the turn of an answer's `ticket` is consolidated or parked, or `timeout` seconds are over.

        0 looks once. It asks Redis alone, again and again, every 0.25 s in the end. Without a ticket, for a turn that
        is not in, the answer is `unknown`. Raises `ValueError` for what is no ticket; an outage is waited out, as far
        as there is time.
        """
        if ticket is None:
            return NOT_IN
        wanted, until = Ticket.read(ticket), time.monotonic() + timeout
        for pause in pauses():
            settled = self._run(self._post.look(wanted))
            left = until - time.monotonic()
            if settled.is_over or left <= 0:
                break
            time.sleep(min(pause, left))
        return settled

    def _run(self, exchange: Exchange[T]) -> T:
        try:
            commands = next(exchange)
            while True:
                commands = exchange.send(self._execute(commands))
        except StopIteration as done:
            return cast("T", done.value)

    def _execute(self, commands: Sequence[Command]) -> list[object]:
        try:
            redis = self._connected()
            if len(commands) == 1 or isinstance(redis, RedisCluster):
                return self._one_by_one(redis, commands)
            pipeline = redis.pipeline(transaction=False)
            for command in commands:
                pipeline.execute_command(*command)  # type: ignore[no-untyped-call]
            return list(pipeline.execute(raise_on_error=False))
        except (RedisError, *UNREACHABLE) as error:
            return [error] * len(commands)

    def _one_by_one(self, redis: Redis | RedisCluster, commands: Sequence[Command]) -> list[object]:
        """In a cluster: redis-py's pipelines ask where each script belongs, and wait for each when a node hangs."""
        replies: list[object] = []
        for command in commands:
            try:
                replies.append(redis.execute_command(*command))  # type: ignore[no-untyped-call]
            except UNREACHABLE as error:
                return replies + [error] * (len(commands) - len(replies))
            except RedisError as error:
                replies.append(error)
        return replies

    def _connected(self) -> Redis | RedisCluster:
        """A cluster has to be there before there is a client of it; no thread waits for another's try."""
        if self._redis is not None:
            return self._redis
        made = self._connect()
        with self._connecting:
            if self._redis is None:
                self._redis = made
                return made
        made.close()
        return self._redis

    def close(self) -> None:
        if self._owned and self._redis is not None:
            self._redis.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncProducer:
    """The same for asyncio: `await` each call. Belongs to one event loop."""

    def __init__(self, redis: str | AsyncRedis | AsyncRedisCluster) -> None:
        """As `Producer`."""
        self._owned = isinstance(redis, str)
        self._redis = (
            async_client(redis_address(redis), TIMEOUT_SECONDS) if isinstance(redis, str) else redis
        )
        self._post = Post()

    async def publish(self, turn: Line) -> Answer:
        """Without an id and `said_at`, two calls with the same words are two turns."""
        (answer,) = await self._run(self._post.deliver(_parcel(turn)))
        return answer

    async def publish_many(
        self, turns: Iterable[Line], earlier: Counter[UUID] | None = None
    ) -> list[Answer]:
        """As `Producer.publish_many`."""
        deliveries = map(self._post.deliver, parcels(turns_of(turns, datetime.now(UTC), earlier)))
        return [answer for delivery in deliveries for answer in await self._run(delivery)]

    async def publish_messages(
        self, messages: Iterable[Message], *, app: str, user: str, conversation: str = "default"
    ) -> list[Answer]:
        """As `Producer.publish_messages`."""
        return await self.publish_many(_lines(messages, app, user, conversation))

    async def wait(self, ticket: str | None, timeout: float = 30.0) -> Settled:  # noqa: ASYNC109 - it ends between two looks, never inside one
        """As `Producer.wait`."""
        if ticket is None:
            return NOT_IN
        wanted, until = Ticket.read(ticket), time.monotonic() + timeout
        for pause in pauses():
            settled = await self._run(self._post.look(wanted))
            left = until - time.monotonic()
            if settled.is_over or left <= 0:
                break
            await asyncio.sleep(min(pause, left))
        return settled

    async def _run(self, exchange: Exchange[T]) -> T:
        try:
            commands = next(exchange)
            while True:
                commands = exchange.send(await self._execute(commands))
        except StopIteration as done:
            return cast("T", done.value)

    async def _execute(self, commands: Sequence[Command]) -> list[object]:
        if len(commands) == 1 or isinstance(self._redis, AsyncRedisCluster):
            return await self._one_by_one(commands)
        try:
            pipeline = self._redis.pipeline(transaction=False)
            for command in commands:
                pipeline.execute_command(*command)
            return list(await pipeline.execute(raise_on_error=False))
        except (RedisError, *UNREACHABLE) as error:
            return [error] * len(commands)

    async def _one_by_one(self, commands: Sequence[Command]) -> list[object]:
        """As `Producer._one_by_one`."""
        replies: list[object] = []
        for command in commands:
            try:
                replies.append(await self._redis.execute_command(*command))
            except UNREACHABLE as error:
                return replies + [error] * (len(commands) - len(replies))
            except RedisError as error:
                replies.append(error)
        return replies

    async def close(self) -> None:
        if self._owned:
            await self._redis.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


def _parcel(turn: Line) -> list[Letter | Refused]:
    """Id and times are fixed here, before the first try."""
    made = turn_of(turn, datetime.now(UTC))
    return [made if isinstance(made, Refused) else Letter.of(made)]


_MESSAGE_FIELDS = TurnLine.model_fields.keys() - {"app", "user", "conversation", "text"}


def _lines(messages: Iterable[Message], app: str, user: str, conversation: str) -> Iterator[Line]:
    """OpenAI's messages carry more than we know and grow new fields: those are left out, not refused."""
    for message in messages:
        given = message.model_dump() if isinstance(message, BaseModel) else message
        if isinstance(given, Mapping):
            known = {name: given[name] for name in _MESSAGE_FIELDS & given.keys()}
            yield {**known, "app": app, "user": user, "conversation": conversation}
        else:
            yield given
