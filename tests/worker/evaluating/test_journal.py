"""Lines that are on the disk when they are said to be, whatever happens to the next one."""

from pathlib import Path

import pytest

from tests.worker.core.evaluating.results import result
from worker.core.evaluating.sums import Result
from worker.errors import Misconfigured
from worker.evaluating.journal import Journal

FIRST, SECOND = result(1, 1, answer="Łódź\nand more"), result(1, 2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    journal = Journal(tmp_path / "answered.jsonl", Result)
    journal.append(FIRST)
    journal.append(SECOND)
    return tmp_path / "answered.jsonl"


def test_what_was_appended_is_there_the_next_time(path: Path) -> None:
    assert Journal(path, Result).entries == [FIRST, SECOND]


def test_a_last_line_that_broke_off_anywhere_is_written_again_and_costs_no_other(
    path: Path,
) -> None:
    whole = path.read_bytes()
    start = whole.index(b"\n") + 1

    for length in range(start, len(whole)):
        path.write_bytes(whole[:length])
        journal = Journal(path, Result)
        assert journal.entries == [FIRST]
        journal.append(SECOND)
        assert path.read_bytes() == whole


@pytest.mark.parametrize("line", [b"{}\n", b"what\n", b"\n", b"\xff\n"])
def test_a_line_of_somebody_else_is_told_by_its_number(path: Path, line: bytes) -> None:
    path.write_bytes(path.read_bytes() + line)

    with pytest.raises(Misconfigured, match=r"answered\.jsonl, line 3, was not written by"):
        Journal(path, Result)
