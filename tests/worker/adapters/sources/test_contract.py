"""What every source promises, whatever it is: add one here with a way to fill it, and it has to pass."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from worker.adapters.sources.lines import LinesSource
from worker.adapters.sources.places import Places
from worker.adapters.sources.source import Source
from worker.adapters.sources.stream import StreamSource
from worker.adapters.sources.stream_address import StreamAddress


def turn(text: str, **fields: Any) -> Any:
    return {"app": "tests", "user": "ann", "role": "user", "id": text, "text": text} | fields


@dataclass(frozen=True)
class Well:
    """A place that turns come from: how it is filled, and read up to its end."""

    put: Callable[..., None]
    opened: Callable[[], Any]

    def left(self) -> list[object]:
        """What whoever comes next gets and has not been given for known."""
        with self.opened() as source:
            return texts(source)


@pytest.fixture(params=["stream", "lines"])
def well(
    request: pytest.FixtureRequest, redis_client: Redis, redis_url: str, tmp_path: Path
) -> Well:
    path = tmp_path / "turns.jsonl"
    path.touch()

    def _put_entries(*turns: Any) -> None:
        for one in turns:
            redis_client.xadd("turns", one)

    def _put_lines(*turns: dict[str, Any]) -> None:
        with path.open("a") as file:
            file.writelines(json.dumps(one) + "\n" for one in turns)

    @contextmanager
    def _stream() -> Iterator[Source]:
        time.sleep(0.005)  # longer than what is pending has to be idle
        source = StreamSource(StreamAddress(redis_url, "turns", idle_seconds=0.001), follow=False)
        yield source
        source.close()

    @contextmanager
    def _lines() -> Iterator[Source]:
        with path.open("rb") as file:
            yield LinesSource(file, Places(redis_client, path))

    if request.param == "stream":
        return Well(_put_entries, _stream)
    return Well(_put_lines, _lines)


def texts(source: Source) -> list[object]:
    found = []
    while (taken := source.take(2, 0.01)) is not None:
        found += [delivery.turn["text"] for delivery in taken if delivery.turn]
    return found


def take(source: Source, most: int) -> list[Any]:
    """Asks until there are some."""
    while not (taken := source.take(most, 0.01)):
        assert taken is not None
    return [*taken]


def test_turns_are_given_in_order_and_then_the_end(well: Well) -> None:
    well.put(turn("a"), turn("b"), turn("c"))

    assert well.left() == ["a", "b", "c"]


def test_an_empty_source_is_at_its_end(well: Well) -> None:
    assert well.left() == []


def test_no_more_are_given_than_were_asked_for(well: Well) -> None:
    well.put(*map(turn, "abcde"))

    with well.opened() as source:
        assert [delivery.turn["text"] for delivery in take(source, 3)] == ["a", "b", "c"]
        assert [delivery.turn["text"] for delivery in take(source, 3)] == ["d", "e"]


def test_what_was_settled_is_not_given_again_and_what_was_not_is(well: Well) -> None:
    well.put(*map(turn, "abc"))
    with well.opened() as source:
        first, second, _ = take(source, 3)
        source.settle([first, second])

    assert well.left() == ["c"]


def test_what_was_settled_out_of_turn_may_be_given_again_but_nothing_else_is_skipped(
    well: Well,
) -> None:
    well.put(*map(turn, "abc"))
    with well.opened() as source:
        _, _, last = take(source, 3)
        source.settle([last])

    assert well.left()[:2] == ["a", "b"]


def test_what_was_refused_is_not_given_again(well: Well) -> None:
    well.put(*map(turn, "ab"))
    with well.opened() as source:
        first, _ = take(source, 2)
        source.refuse(first, "is no turn")

    assert well.left() == ["b"]


def test_what_is_left_is_for_whoever_asks_next(well: Well) -> None:
    well.put(*map(turn, "ab"))
    with well.opened() as source:
        both = take(source, 2)
        source.keep(both)
        source.leave(both)

    assert well.left() == ["a", "b"]


def test_what_cannot_be_read_is_given_with_the_reason(well: Well) -> None:
    well.put({"turn": "{nonsense"}, turn("b"))

    with well.opened() as source:
        first, second = take(source, 2)

    assert first.turn is None or "app" not in first.turn
    assert second.turn["text"] == "b"
