import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from worker.adapters.sources.lines import LinesSource
from worker.adapters.sources.places import Place, Places
from worker.adapters.sources.source import Delivery


def line(text: str, **fields: Any) -> str:
    return json.dumps({"text": text} | fields) + "\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "turns.jsonl"


@contextmanager
def opened(file: Path, client: Redis, *, follow: bool = False) -> Iterator[LinesSource]:
    with file.open("rb") as stream:
        yield LinesSource(stream, Places(client, file), file if follow else None)


def all_of(source: LinesSource) -> list[Delivery]:
    found: list[Delivery] = []
    while (taken := source.take(10, 0)) is not None:
        found += taken
    return found


def settle_all(file: Path, client: Redis) -> None:
    with opened(file, client) as source:
        source.settle(all_of(source))


def told(deliveries: list[Delivery]) -> list[tuple[object, bool]]:
    return [(delivery.turn and delivery.turn["text"], delivery.known) for delivery in deliveries]


def test_lines_that_were_added_are_what_is_left(file: Path, redis_client: Redis) -> None:
    file.write_text(line("a", id="1") + "\n" + line("b", said_at="2026-01-01T00:00:00Z"))
    settle_all(file, redis_client)
    with file.open("a") as more:
        more.write(line("c"))

    with opened(file, redis_client) as source:
        found = all_of(source)

    assert [(delivery.id, told([delivery])) for delivery in found] == [("4", [("c", False)])]


def test_lines_known_by_their_words_alone_are_given_as_known(
    file: Path, redis_client: Redis
) -> None:
    file.write_text(line("yes") + "{nonsense\n" + line("no", id="1"))
    settle_all(file, redis_client)
    with file.open("a") as more:
        more.write(line("yes"))

    with opened(file, redis_client) as source:
        assert told(all_of(source)) == [("yes", True), ("yes", False)]


@pytest.mark.parametrize(
    "changed",
    [line("other", id="1") + line("b", id="2"), line("a", id="1"), ""],
    ids=["mended", "cut short", "emptied"],
)
def test_a_file_that_is_not_as_it_was_is_read_from_its_start(
    file: Path, redis_client: Redis, changed: str
) -> None:
    file.write_text(line("a", id="1") + line("b", id="2"))
    settle_all(file, redis_client)
    file.write_text(changed)

    with opened(file, redis_client) as source:
        found = all_of(source)

    assert len(found) == changed.count("\n")
    assert not any(delivery.known for delivery in found)


def test_the_place_of_a_file_is_no_others(file: Path, redis_client: Redis) -> None:
    file.write_text(line("a", id="1"))
    settle_all(file, redis_client)
    copy = file.with_name("copy.jsonl")
    copy.write_text(file.read_text())

    with opened(copy, redis_client) as source:
        assert len(all_of(source)) == 1


def test_a_place_that_cannot_be_read_is_none(file: Path, redis_client: Redis) -> None:
    file.write_text(line("a", id="1"))
    settle_all(file, redis_client)
    (key,) = redis_client.keys("slowwave:place:*")
    redis_client.set(key, "nonsense")

    with opened(file, redis_client) as source:
        assert len(all_of(source)) == 1


def test_the_place_stays_before_the_first_line_that_is_not_settled(
    file: Path, redis_client: Redis
) -> None:
    first, second, third = (line(text, id=text) for text in "abc")
    file.write_text(first + second + third)
    with opened(file, redis_client) as source:
        taken = all_of(source)
        source.settle([taken[0], taken[2]])
        assert _end(file, redis_client) == len(first)

        source.settle([taken[1]])

    assert _end(file, redis_client) == len(first + second + third)


def test_a_line_that_is_not_taken_yet_is_not_settled_with_those_before_it(
    file: Path, redis_client: Redis
) -> None:
    file.write_text(line("a") + line("b"))
    with opened(file, redis_client) as source:
        source.settle(source.take(1, 0) or [])

    assert _end(file, redis_client) == len(line("a"))


def _end(file: Path, client: Redis) -> int:
    place = Places(client, file).read()
    return place.end if place else 0


def test_a_last_line_without_a_line_feed_is_taken_and_looked_at_again(
    file: Path, redis_client: Redis
) -> None:
    file.write_text(line("a", id="1") + line("b", id="2").rstrip())
    settle_all(file, redis_client)

    with opened(file, redis_client) as source:
        assert told(all_of(source)) == [("b", False)]


def test_a_file_that_is_followed_gives_a_line_once_it_is_whole(
    file: Path, redis_client: Redis
) -> None:
    whole = line("a")
    file.write_text(whole[:5])
    with opened(file, redis_client, follow=True) as source, file.open("a") as more:
        assert source.take(10, 0) == []
        assert source.take(10, 0) == []
        more.write(whole[5:])
        more.flush()

        assert told([*(source.take(10, 0) or [])]) == [("a", False)]


@pytest.mark.parametrize("how", ["replaced", "removed", "cut short"])
def test_a_file_that_is_followed_and_no_longer_there_has_ended(
    file: Path, redis_client: Redis, how: str
) -> None:
    file.write_text(line("a"))
    with opened(file, redis_client, follow=True) as source:
        assert told([*(source.take(10, 0) or [])]) == [("a", False)]
        if how == "cut short":
            os.truncate(file, 1)
        else:
            file.unlink()
        if how == "replaced":
            file.write_text(line("b"))

        assert all_of(source) == []


def test_a_pipe_gives_what_is_there_and_does_not_wait_for_the_rest(redis_client: Redis) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as stream, os.fdopen(writing, "wb", 0) as pipe:
        source = LinesSource(stream)
        assert source.take(10, 0) == []
        pipe.write(line("a").encode() + b'{"te')

        assert told([*(source.take(10, 0) or [])]) == [("a", False)]
        assert source.take(10, 0) == []


def test_a_stream_without_a_place_is_read_from_where_it_stands() -> None:
    source = LinesSource(BytesIO(line("a").encode() + line("b").encode()))
    found = all_of(source)
    source.settle(found)

    assert told(found) == [("a", False), ("b", False)]


def test_a_place_is_read_as_it_was_kept(file: Path, redis_client: Redis) -> None:
    Places(redis_client, file).keep(Place(end=7, digest="d"))

    assert Places(redis_client, file).read() == Place(end=7, digest="d")
    assert not redis_client.keys(f"*{file.name}*")
