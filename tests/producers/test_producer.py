import asyncio
import socket
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

import pytest
from openai.types.chat import ChatCompletionMessage
from pydantic import BaseModel
from redis import Redis
from redis.asyncio import Redis as AsyncRedis

from producers.answer import Answer
from producers.producer import AsyncProducer, Producer
from schemas.keys import PartitionKeys, ScopeKeys
from schemas.limits import Limits
from schemas.line import TurnLine
from schemas.scope import Scope
from schemas.turn import Turn
from tests.redis_service import RedisServer
from worker.adapters.inbox import Inbox
from worker.adapters.redis_server import connect

SCOPE = Scope(app="acme", user="alice")
LINE: dict[str, Any] = {"app": "acme", "user": "alice", "role": "user", "text": "I like tea."}
SHARED, OWN = PartitionKeys(0), ScopeKeys(0, SCOPE.key)


def waiting(client: Redis) -> list[Turn]:
    return Inbox(client).pending(SCOPE.key)


def score(client: Redis) -> float:
    """Ms from now until the scope is due."""
    seconds, micros = client.time()
    at = client.zscore(SHARED.due, SCOPE.key)
    assert isinstance(at, float)
    return at - (seconds * 1000 + micros / 1000)


def limits(client: Redis, **changes: Any) -> None:
    Inbox(client).configure(Limits(**changes))


def test_an_accepted_turn_waits_in_the_inbox(redis_client: Redis) -> None:
    with Producer(redis_client) as producer:
        answer = producer.publish({**LINE, "speaker": "Alice"})
    (turn,) = waiting(redis_client)

    assert answer == Answer(status="accepted", turn_id=turn.id, pending=1, ticket=answer.ticket)
    assert answer.ticket
    assert (turn.text, turn.speaker, turn.scope) == ("I like tea.", "Alice", SCOPE)


def test_a_turn_a_line_and_a_dict_are_taken(redis_client: Redis) -> None:
    with Producer(redis_client) as producer:
        producer.publish({**LINE, "id": "1"})
        (turn,) = waiting(redis_client)
        statuses = [
            producer.publish(turn).status,
            producer.publish(TurnLine.model_validate({**LINE, "id": "1"})).status,
            producer.publish({**LINE, "id": 1}).status,
        ]

    assert statuses == ["duplicate"] * 3
    assert len(waiting(redis_client)) == 1


def test_two_yes_on_their_own_are_two_turns(redis_client: Redis) -> None:
    with Producer(redis_client) as producer:
        answers = [producer.publish({**LINE, "text": "yes"}) for _ in range(2)]

    assert [answer.pending for answer in answers] == [1, 2]
    assert len({answer.turn_id for answer in answers}) == 2


def test_a_refused_turn_says_why_and_leaves_no_trace(redis_client: Redis) -> None:
    with Producer(redis_client) as producer:
        answer = producer.publish({**LINE, "usr": "x"})

    assert answer.status == "refused"
    assert answer.message == "turn: `usr` is not a field of a turn: did you mean `user`?"
    assert redis_client.keys("*") == []


def test_a_list_is_answered_in_its_order(redis_client: Redis) -> None:
    lines = [LINE, {**LINE, "role": "bot"}, LINE, {**LINE, "text": "Bye."}]
    with Producer(redis_client) as producer:
        answers = producer.publish_many(lines)
        again = producer.publish_many(lines)

    assert [a.status for a in answers] == ["accepted", "refused", "accepted", "accepted"]
    assert [a.pending for a in answers] == [1, None, 2, 3]
    assert [a.status for a in again] == ["duplicate", "refused", "duplicate", "duplicate"]
    assert [turn.text for turn in waiting(redis_client)] == ["I like tea."] * 2 + ["Bye."]


def test_parts_of_a_file_are_one_list(redis_client: Redis) -> None:
    earlier: Counter[UUID] = Counter()
    with Producer(redis_client) as producer:
        answers = [*producer.publish_many([LINE], earlier), *producer.publish_many([LINE], earlier)]

    assert [answer.status for answer in answers] == ["accepted"] * 2


def test_more_turns_than_fit_into_one_round_trip_go_in_order(redis_client: Redis) -> None:
    with Producer(redis_client) as producer:
        answers = producer.publish_many({**LINE, "text": str(at)} for at in range(1201))

    assert {answer.status for answer in answers} == {"accepted"}
    assert [turn.text for turn in waiting(redis_client)] == [str(at) for at in range(1201)]


def test_messages_of_a_chat_are_taken_as_they_are(redis_client: Redis) -> None:
    messages: list[dict[str, Any] | BaseModel] = [
        {"role": "user", "content": [{"type": "text", "text": "Hi"}], "name": "Bob", "new_key": 1},
        ChatCompletionMessage(role="assistant", content="Hello!"),
        {"role": "user"},
    ]
    with Producer(redis_client) as producer:
        answers = producer.publish_messages(messages, app="acme", user="alice", conversation="c")

    assert [a.status for a in answers] == ["accepted", "accepted", "refused"]
    assert answers[2].message == "line 3: `text` is empty: leave such a turn out"
    assert [(t.role, t.speaker, t.text, t.conversation) for t in waiting(redis_client)] == [
        ("user", "Bob", "Hi", "c"),
        ("assistant", None, "Hello!", "c"),
    ]


def test_what_is_no_message_is_refused(redis_client: Redis) -> None:
    junk: Any = ["not a message", None]
    with Producer(redis_client) as producer:
        answers = producer.publish_messages(junk, app="acme", user="alice")

    assert [answer.status for answer in answers] == ["refused"] * 2
    assert redis_client.dbsize() == 0


def test_a_full_inbox_takes_no_more_and_says_how_much_waits(redis_client: Redis) -> None:
    limits(redis_client, max_pending=2)
    with Producer(redis_client) as producer:
        answers = producer.publish_many({**LINE, "id": str(at)} for at in range(3))
        known = producer.publish({**LINE, "id": "0"})

    assert [(a.status, a.pending) for a in answers[1:]] == [("accepted", 2), ("full", 2)]
    assert known.status == "duplicate"
    assert len(waiting(redis_client)) == 2


def test_a_turn_id_is_forgotten_after_a_while(redis_client: Redis) -> None:
    with Producer(redis_client) as producer:
        producer.publish({**LINE, "id": "1"})
        ttl = redis_client.pttl(OWN.seen)
        limits(redis_client, seen_seconds=1)
        redis_client.zadd(OWN.seen, {"old": 0})
        producer.publish({**LINE, "id": "2"})

    assert 86_000_000 < ttl <= 86_400_000
    assert 0 < redis_client.pttl(OWN.seen) <= 1000
    assert redis_client.zscore(OWN.seen, "old") is None


def test_a_scope_is_due_after_quiet(redis_client: Redis) -> None:
    limits(redis_client, quiet_seconds=100, max_wait_seconds=1000)
    with Producer(redis_client) as producer:
        producer.publish(LINE)

    assert 90_000 < score(redis_client) <= 100_000


def test_talk_puts_off_the_quiet_but_not_for_ever(redis_client: Redis) -> None:
    limits(redis_client, quiet_seconds=100, max_wait_seconds=1000)
    with Producer(redis_client) as producer:
        producer.publish(LINE)
        redis_client.hincrby(OWN.meta, "first", -950_000)
        producer.publish(LINE)

    assert 40_000 < score(redis_client) <= 50_000


@pytest.mark.parametrize("limit", [{"batch_turns": 2}, {"batch_tokens": 10}])
def test_a_scope_with_a_whole_batch_is_due_at_once(
    redis_client: Redis, limit: dict[str, int]
) -> None:
    limits(redis_client, quiet_seconds=100, max_wait_seconds=1000, **limit)
    with Producer(redis_client) as producer:
        producer.publish(LINE)
        before = score(redis_client)
        producer.publish(LINE)

    assert before > 0 >= score(redis_client)


def test_who_is_due_already_keeps_the_place(redis_client: Redis) -> None:
    limits(redis_client, quiet_seconds=100, max_wait_seconds=1000)
    with Producer(redis_client) as producer:
        producer.publish(LINE)
        redis_client.zadd(SHARED.due, {SCOPE.key: 5})
        producer.publish(LINE)

    assert redis_client.zscore(SHARED.due, SCOPE.key) == 5


def test_a_busy_scope_stays_out_of_the_line(redis_client: Redis) -> None:
    limits(redis_client, quiet_seconds=0)
    with Producer(redis_client) as producer:
        producer.publish(LINE)
        Inbox(redis_client).claim()
        producer.publish(LINE)

    assert redis_client.zscore(SHARED.due, SCOPE.key) is None
    assert len(waiting(redis_client)) == 2


def test_a_new_turn_does_not_end_a_back_off(redis_client: Redis) -> None:
    limits(redis_client, quiet_seconds=0, batch_turns=1)
    inbox = Inbox(redis_client)
    with Producer(redis_client) as producer:
        producer.publish(LINE)
        claim = inbox.claim()
        assert claim
        inbox.fail(claim, 100, burn=True)
        producer.publish(LINE)

    assert 90_000 < score(redis_client) <= 100_000


def test_an_error_in_the_script_never_leaves_seen_without_the_turn(redis_client: Redis) -> None:
    redis_client.set(OWN.turns, "not a list")
    with Producer(redis_client) as producer:
        answer = producer.publish({**LINE, "id": "1"})
        redis_client.delete(OWN.turns)
        again = producer.publish({**LINE, "id": "1"})

    assert answer.status == "unavailable"
    assert answer.message is not None
    assert "WRONGTYPE" in answer.message
    assert again.status == "accepted"


def test_a_redis_without_memory_takes_nothing_and_says_so(redis_server: RedisServer) -> None:
    with connect(redis_server.url) as client, Producer(client) as producer:
        producer.publish(LINE)
        client.config_set("maxmemory", 1)
        answer = producer.publish({**LINE, "id": "1"})
        inbox = Inbox(client)
        inbox.flush()
        claim = inbox.claim()
        assert claim
        inbox.keep_plan(claim, "plan")
        inbox.commit(claim, 1, 4)

        assert answer.status == "unavailable"
        assert answer.message is not None
        assert "OutOfMemoryError" in answer.message
        assert inbox.idle()


def test_a_redis_that_is_down_is_an_answer_and_no_exception() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        with Producer(f"redis://127.0.0.1:{port}/0") as producer:
            answers = [producer.publish(LINE), *producer.publish_many([LINE, LINE])]

    assert [answer.status for answer in answers] == ["unavailable"] * 3
    assert all(answer.turn_id for answer in answers)


def test_a_redis_that_hangs_is_an_answer_and_no_exception() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with Producer(f"redis://127.0.0.1:{port}/0") as producer:
            answer = producer.publish(LINE)

    assert answer.status == "unavailable"
    assert answer.message is not None
    assert "Timeout" in answer.message


def test_a_restarted_redis_is_published_to_without_loss_or_double(
    redis_server: RedisServer,
) -> None:
    with connect(redis_server.url) as client, Producer(client) as producer:
        before = producer.publish_many({**LINE, "id": str(at)} for at in range(3))
        redis_server.kill()
        down = producer.publish({**LINE, "id": "3"})
        redis_server.start()
        after = producer.publish_many({**LINE, "id": str(at)} for at in range(6))

    assert [a.status for a in before] == ["accepted"] * 3
    assert down.status == "unavailable"
    assert [a.status for a in after] == ["duplicate"] * 3 + ["accepted"] * 3
    with connect(redis_server.url) as client:
        assert len(waiting(client)) == 6


def test_a_redis_that_forgot_the_script_learns_it_again(redis_client: Redis) -> None:
    with Producer(redis_client) as producer:
        producer.publish(LINE)
        redis_client.script_flush()
        one = producer.publish(LINE)
        redis_client.script_flush()
        many = producer.publish_many({**LINE, "text": str(at)} for at in range(3))

    assert [answer.pending for answer in [one, *many]] == [2, 3, 4, 5]


def test_turns_go_to_the_partitions_that_the_workers_stored(redis_client: Redis) -> None:
    inbox = Inbox(redis_client, partitions=8)
    inbox.configure(Limits())
    with Producer(redis_client) as producer:
        producer.publish_many({**LINE, "user": f"u{at}"} for at in range(20))
    found = [len(inbox.pending(Scope(app="acme", user=f"u{at}").key)) for at in range(20)]

    assert found == [1] * 20
    tags = {str(key).split(":")[1] for key in redis_client.keys("*:turns:*")}
    assert len(tags) > 1


def test_a_client_of_the_caller_is_used_and_left_open(redis_url: str, redis_client: Redis) -> None:
    with Redis.from_url(redis_url, decode_responses=True) as client:
        with Producer(client) as producer:
            answer = producer.publish(LINE)

        assert answer.status == "accepted"
        assert client.ping()
    assert len(waiting(redis_client)) == 1


def test_a_url_that_is_none_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="redis://"):
        Producer("http://localhost")


def run(url: str, work: Callable[[AsyncProducer], Awaitable[list[Answer]]]) -> list[Answer]:
    async def both() -> list[Answer]:
        # A busy machine may need longer than a chat would wait.
        client = AsyncRedis.from_url(url, socket_timeout=10, socket_connect_timeout=10)
        async with client, AsyncProducer(client) as producer:
            return await work(producer)

    return asyncio.run(both())


def test_the_async_producer_gives_the_same_answers(redis_client: Redis, redis_url: str) -> None:
    async def work(producer: AsyncProducer) -> list[Answer]:
        return [
            await producer.publish({**LINE, "id": "1"}),
            await producer.publish({**LINE, "id": "1"}),
            await producer.publish({**LINE, "usr": "x"}),
            *await producer.publish_many([LINE, LINE]),
            *await producer.publish_messages(
                [{"role": "user", "content": "Hi"}], app="acme", user="alice"
            ),
        ]

    answers = run(redis_url, work)

    assert [answer.status for answer in answers] == [
        *("accepted", "duplicate", "refused"),
        *("accepted", "accepted", "accepted"),
    ]
    assert len(waiting(redis_client)) == 4


def test_many_async_publishers_at_once_lose_nothing(redis_client: Redis, redis_url: str) -> None:
    async def work(producer: AsyncProducer) -> list[Answer]:
        lines = [{**LINE, "id": str(at)} for at in range(50)]
        return list(await asyncio.gather(*(producer.publish(line) for line in lines)))

    answers = run(redis_url, work)

    assert {answer.status for answer in answers} == {"accepted"}
    assert len(waiting(redis_client)) == 50


def test_for_asyncio_too_a_redis_that_is_down_is_an_answer() -> None:
    async def work(url: str) -> list[Answer]:
        async with AsyncProducer(url) as producer:
            return [await producer.publish(LINE), *await producer.publish_many([LINE, LINE])]

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        answers = asyncio.run(work(f"redis://127.0.0.1:{taken.getsockname()[1]}/0"))

    assert [answer.status for answer in answers] == ["unavailable"] * 3
