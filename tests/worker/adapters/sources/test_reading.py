from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.adapters.sources import reading
from worker.adapters.sources.reading import Cut, Cutter, cuts, turn_on
from worker.errors import Unprocessable


@given(raw=st.binary(max_size=60).map(lambda raw: raw.replace(b"a", b"\n")), data=st.data())
def test_lines_are_the_same_however_they_come_in_chunks(raw: bytes, data: st.DataObject) -> None:
    cutter, found, at = Cutter(), list[Cut](), 0
    while at < len(raw):
        size = data.draw(st.integers(1, 9))
        found += cutter.feed(raw[at : at + size])
        at += size
    found += cutter.rest()

    assert found == list(cuts(BytesIO(raw)))
    assert b"\n".join(cut.raw for cut in found) == raw.removesuffix(b"\n")
    assert all(raw[: cut.end].endswith(cut.raw + b"\n") for cut in found[:-1])
    assert not found or found[-1].end == len(raw)


def test_of_a_line_that_is_too_long_no_more_is_kept_than_shows_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "MAX_LINE", 5)

    first, second = cuts(BytesIO(b"x" * 90 + b"\nfits\n"))

    assert (first.raw, first.end) == (b"x" * 6, 91)
    assert (second.raw, second.number, second.end) == (b"fits", 2, 96)


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"{nonsense}", "is not JSON"),
        (b"[1]", "is not an object"),
        (b'{"a": "\xff"}', "is not UTF-8 from byte 7"),
        (b"[" * 100_000, "is not JSON that can be read"),
    ],
)
def test_what_is_no_object_says_what_is_wrong(raw: bytes, problem: str) -> None:
    with pytest.raises(Unprocessable, match=problem):
        turn_on(raw)
