import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from tests.redis_service import RedisServer
from worker.adapters.sources.stream import StreamSource
from worker.adapters.sources.stream_address import StreamAddress
from worker.errors import Misconfigured, Unavailable

TURN: Any = {"app": "tests", "user": "ann", "role": "user", "text": "I live in Oslo."}

Open = Callable[..., StreamSource]


@pytest.fixture
def opened(redis_client: Redis, redis_url: str) -> Iterator[Open]:
    """Consumers that do not wait for more; `idle` is in seconds."""
    made: list[StreamSource] = []

    def _open(start: str = "0", idle: float = 60.0, **how: Any) -> StreamSource:
        address = StreamAddress(redis_url, "turns", "g", start, idle)
        made.append(StreamSource(address, **{"follow": False, **how}))
        return made[-1]

    yield _open
    for source in made:
        source.close()


def ids(source: StreamSource) -> list[str]:
    found = []
    while (taken := source.take(10, 0)) is not None:
        found += [delivery.id for delivery in taken]
    return found


def pending(client: Redis) -> int:
    return int(client.xpending("turns", "g")["pending"])


@pytest.mark.parametrize(("start", "expected"), [("0", ["1-0", "2-0"]), ("$", ["2-0"])])
def test_a_new_group_begins_where_it_is_told(
    opened: Open, redis_client: Redis, start: str, expected: list[str]
) -> None:
    redis_client.xadd("turns", TURN, id="1-0")
    source = opened(start)
    assert source.take(10, 0) == []  # the group is made
    redis_client.xadd("turns", TURN, id="2-0")

    assert ids(source) == expected


@pytest.mark.parametrize("protocol", [2, 3])
def test_entries_are_read_in_either_protocol(
    redis_client: Redis, redis_url: str, protocol: int
) -> None:
    redis_client.xadd("turns", TURN, id="1-0")
    redis_client.xadd("turns", TURN, id="2-0")
    address = StreamAddress(f"{redis_url}?protocol={protocol}", "turns", idle_seconds=0.001)
    fresh, claiming = StreamSource(address, follow=False), StreamSource(address, follow=False)
    fresh.take(10, 0)

    assert [delivery.id for delivery in fresh.take(10, 0) or []] == ["1-0", "2-0"]
    time.sleep(0.005)
    assert ids(claiming) == ["1-0", "2-0"]
    fresh.close()
    claiming.close()


def test_a_stream_that_is_not_there_is_made(opened: Open, redis_client: Redis) -> None:
    assert ids(opened()) == []

    assert redis_client.type("turns") == b"stream"


def test_a_group_that_is_removed_while_it_is_read_misses_nothing(
    opened: Open, redis_client: Redis
) -> None:
    source = opened("$")
    source.take(10, 0)
    redis_client.delete("turns")
    redis_client.xadd("turns", TURN, id="9-0")

    assert ids(source) == ["9-0"]


def test_two_consumers_share_the_entries(opened: Open, redis_client: Redis) -> None:
    one, other = opened(), opened()
    for _ in range(4):
        redis_client.xadd("turns", TURN)
    assert one.take(2, 0) == []  # the group is made

    first, second = one.take(2, 0), other.take(10, 0)

    assert first
    assert second
    assert len({delivery.id for delivery in [*first, *second]}) == 4


def test_what_a_dead_consumer_had_goes_to_another_once_it_is_idle(
    opened: Open, redis_client: Redis
) -> None:
    redis_client.xadd("turns", TURN, id="1-0")
    dead, early, late = opened(), opened(idle=60), opened(idle=0.01)
    dead.take(10, 0)
    assert dead.take(10, 0)
    time.sleep(0.02)

    assert ids(early) == []
    assert ids(late) == ["1-0"]


def test_what_is_kept_is_not_idle(opened: Open, redis_client: Redis) -> None:
    redis_client.xadd("turns", TURN, id="1-0")
    slow = opened()
    slow.take(10, 0)
    held = slow.take(10, 0)
    assert held
    redis_client.xclaim("turns", "g", slow._consumer, 0, ["1-0"], idle=100_000, justid=True)

    slow.keep(held)

    assert ids(opened(idle=60)) == []


def test_what_is_left_need_not_get_idle_first(opened: Open, redis_client: Redis) -> None:
    redis_client.xadd("turns", TURN, id="1-0")
    source = opened()
    source.take(10, 0)
    source.leave(source.take(10, 0) or [])

    assert ids(opened(idle=60)) == ["1-0"]


def test_what_is_in_hand_is_not_given_to_the_same_process_twice(
    opened: Open, redis_client: Redis
) -> None:
    redis_client.xadd("turns", TURN, id="1-0")
    source = opened(idle=0.001)
    source.take(10, 0)
    assert source.take(10, 0)
    time.sleep(0.01)

    assert ids(source) == []


def test_what_was_refused_is_put_aside_whole_with_the_reason(
    opened: Open, redis_client: Redis
) -> None:
    redis_client.xadd("turns", {"text": b"\xff", "more": "x"}, id="1-0")
    source = opened()
    source.take(10, 0)
    (delivery,) = source.take(10, 0) or []

    source.refuse(delivery, "holds bytes that are no UTF-8")

    ((_, aside),) = redis_client.xrange("turns:refused") or []
    assert aside == {
        b"text": b"\xff",
        b"more": b"x",
        b"refused:reason": b"holds bytes that are no UTF-8",
        b"refused:entry": b"1-0",
    }
    assert pending(redis_client) == 0


def test_what_cannot_be_put_aside_is_not_acknowledged(opened: Open, redis_client: Redis) -> None:
    redis_client.xadd("turns", {"text": "x"}, id="1-0")
    redis_client.set("turns:refused", "something else")
    source = opened()
    source.take(10, 0)
    (delivery,) = source.take(10, 0) or []

    with pytest.raises(Misconfigured, match="turns:refused is no stream"):
        source.refuse(delivery, "is no turn")

    assert pending(redis_client) == 1


def test_a_turn_without_an_id_gets_that_of_its_entry_and_one_with_keeps_its_own(
    opened: Open, redis_client: Redis
) -> None:
    redis_client.xadd("turns", TURN, id="1-0")
    redis_client.xadd("turns", TURN | {"id": "mine"}, id="2-0")
    redis_client.xadd("turns", {"turn": '{"id": null}'}, id="3-0")
    source = opened()
    source.take(10, 0)

    found = [delivery.turn["id"] for delivery in source.take(10, 0) or [] if delivery.turn]

    assert found == ["1-0@turns", "mine", "3-0@turns"]


def test_a_consumer_that_has_nothing_pending_leaves_no_name_behind(
    opened: Open, redis_client: Redis
) -> None:
    redis_client.xadd("turns", TURN)
    redis_client.xadd("turns", TURN)
    done, dead = opened(), opened()
    done.take(1, 0)
    done.settle(done.take(1, 0) or [])
    dead.take(1, 0)

    done.close()
    dead.close()

    (consumer,) = redis_client.xinfo_consumers("turns", "g")
    assert consumer["pending"] == 1


def test_a_key_that_is_no_stream_is_said(opened: Open, redis_client: Redis) -> None:
    redis_client.set("turns", "something else")

    with pytest.raises(Misconfigured, match="is no stream"):
        opened().take(10, 0)


def test_a_redis_that_is_down_is_unavailable_and_its_entries_are_there_afterwards(
    redis_server: RedisServer,
) -> None:
    source = StreamSource(
        StreamAddress(redis_server.url, "turns", idle_seconds=0.001), follow=False
    )
    with Redis.from_url(redis_server.url) as client:
        client.xadd("turns", TURN, id="1-0")
    source.take(10, 0)
    (delivery,) = source.take(10, 0) or []
    redis_server.kill()

    with pytest.raises(Unavailable, match="stream turns"):
        source.settle([delivery])
    redis_server.start()
    source.settle([delivery])

    assert ids(source) == []
    source.close()


def test_the_rights_that_the_page_names_are_enough(redis_server: RedisServer) -> None:
    page = (Path(__file__).parents[4] / "docs" / "redis.md").read_text()
    named = re.search(r"```acl source\n(.*?)```", page, re.DOTALL)
    assert named
    with Redis.from_url(redis_server.url) as admin:
        admin.execute_command("ACL", "SETUSER", "reader", *named[1].split())
        for id in ("1-0", "2-0", "3-0", "4-0"):
            admin.xadd("turns", TURN, id=id)
        url = redis_server.url.replace("redis://", "redis://reader:PASSWORD@")
        source = StreamSource(StreamAddress(url, "turns", idle_seconds=0.001), follow=False)

        source.take(10, 0)
        first, second, third, fourth = source.take(10, 0) or []
        source.keep([third])
        source.settle([first])
        source.refuse(second, "is no turn")
        source.leave([third, fourth])
        time.sleep(0.005)  # until it looks again
        assert ids(source) == ["3-0", "4-0"]
        source.close()

        assert {entry["object"] for entry in admin.acl_log()} <= {"client|setinfo"}
