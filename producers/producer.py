"""The two producers. A chat backend opens one, keeps it, and never sees an exception for a turn."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Self
from uuid import UUID

from pydantic import BaseModel
from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.exceptions import RedisClusterException, RedisError
from redis.retry import Retry

from producers.answer import Answer
from producers.post import Command, Delivery, Letter, Post, parcels
from schemas.line import Line, Refused, TurnLine, turn_of, turns_of

#: A message as chat backends have it: a dict in OpenAI's format, or the `openai` package's own object.
Message = Mapping[str, object] | BaseModel

#: Longest wait for Redis: a chat goes on without it.
TIMEOUT_SECONDS = 0.2


class Producer:
    """Publishes turns in one round trip; blocks 0.2 s for connecting and 0.2 s for the answer at most."""

    def __init__(self, redis: str | Redis) -> None:
        """`redis` is a URL (`redis://`, `rediss://`, `unix://`), or a client that stays the caller's."""
        self._owned = isinstance(redis, str)
        self._redis = _client(redis) if isinstance(redis, str) else redis
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

    def _run(self, delivery: Delivery) -> list[Answer]:
        try:
            commands = next(delivery)
            while True:
                commands = delivery.send(self._execute(commands))
        except StopIteration as done:
            return list(done.value)

    def _execute(self, commands: Sequence[Command]) -> list[object]:
        try:
            if len(commands) == 1:
                return [self._redis.execute_command(*commands[0])]  # type: ignore[no-untyped-call]
            pipeline = self._redis.pipeline(transaction=False)
            for command in commands:
                pipeline.execute_command(*command)  # type: ignore[no-untyped-call]
            return list(pipeline.execute(raise_on_error=False))
        except (RedisError, RedisClusterException) as error:
            return [error] * len(commands)

    def close(self) -> None:
        if self._owned:
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

    def __init__(self, redis: str | AsyncRedis) -> None:
        """`redis` is a URL (`redis://`, `rediss://`, `unix://`), or a client that stays the caller's."""
        self._owned = isinstance(redis, str)
        self._redis = _async_client(redis) if isinstance(redis, str) else redis
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

    async def _run(self, delivery: Delivery) -> list[Answer]:
        try:
            commands = next(delivery)
            while True:
                commands = delivery.send(await self._execute(commands))
        except StopIteration as done:
            return list(done.value)

    async def _execute(self, commands: Sequence[Command]) -> list[object]:
        try:
            if len(commands) == 1:
                return [await self._redis.execute_command(*commands[0])]  # type: ignore[no-untyped-call]
            pipeline = self._redis.pipeline(transaction=False)
            for command in commands:
                pipeline.execute_command(*command)
            return list(await pipeline.execute(raise_on_error=False))
        except (RedisError, RedisClusterException) as error:
            return [error] * len(commands)

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


def _client(url: str) -> Redis:
    return Redis.from_url(
        url,
        retry=Retry(NoBackoff(), 0),
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        health_check_interval=0,
    )


def _async_client(url: str) -> AsyncRedis:
    return AsyncRedis.from_url(
        url,
        retry=AsyncRetry(NoBackoff(), 0),
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        health_check_interval=0,
    )


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
