from io import BytesIO

import pytest

from worker.adapters.sources import reading
from worker.interfaces.cli import lines
from worker.interfaces.cli.ending import Failed


def read(raw: bytes, **defaults: str) -> list[lines.Read]:
    return [line for portion in lines.portions(BytesIO(raw), defaults) for line in portion]


def test_blank_lines_are_left_out_and_counted() -> None:
    found = read(b'\n{"a": 1}\n  \n{"b": 2}')

    assert [(line.number, line.turn) for line in found] == [(2, {"a": 1}), (4, {"b": 2})]


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"{nonsense}", "is not JSON"),
        (b'[{"text": "x"}]', "is not an object"),
        (b'{"text": "\xff"}', "is not UTF-8 from byte 10"),
        (b"[" * 100_000, "is not JSON that can be read"),
        (b"9" * 5_000, "is not JSON that can be read"),
    ],
)
def test_a_line_that_is_no_object_says_what_is_wrong(raw: bytes, problem: str) -> None:
    (line,) = read(raw)

    assert line.turn is None
    assert problem in line.problem


def test_a_line_without_end_is_refused_and_the_next_one_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "MAX_LINE", 20)

    found = read(b"x" * 90 + b'\n{"a": 1}\n')

    assert "longer than 20 bytes" in found[0].problem
    assert (found[1].number, found[1].turn) == (2, {"a": 1})


def test_defaults_fill_only_what_is_lacking() -> None:
    (line,) = read(b'{"user": "ben"}', app="acme", user="ann")

    assert line.turn == {"app": "acme", "user": "ben"}


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    assert read(b'\xef\xbb\xbf{"a": 1}\n')[0].turn == {"a": 1}


def test_portions_are_bounded() -> None:
    sizes = [len(portion) for portion in lines.portions(BytesIO(b"{}\n" * 450), {})]

    assert sizes == [200, 200, 50]


def test_a_file_that_is_not_there_is_named() -> None:
    with (
        pytest.raises(Failed, match=r"nowhere[.]jsonl cannot be read"),
        lines.source("nowhere.jsonl"),
    ):
        pass
