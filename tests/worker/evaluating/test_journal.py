"""Lines that are on the disk when they are said to be, whatever happens to the next one."""

import os
from errno import ENOSPC
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


@pytest.mark.parametrize("taken", [0, 1, 20])
def test_a_disk_that_is_full_costs_the_line_alone_and_none_that_comes_after(
    path: Path, monkeypatch: pytest.MonkeyPatch, taken: int
) -> None:
    """A part of the line may have found room."""
    journal, third = Journal(path, Result), result(2, 1)
    whole = path.read_bytes()
    monkeypatch.setattr(os, "fsync", lambda file: full(file, taken))
    with pytest.raises(OSError, match="No space"):
        journal.append(third)
    monkeypatch.undo()

    assert (path.read_bytes(), journal.entries) == (whole, [FIRST, SECOND])
    journal.append(third)
    assert Journal(path, Result).entries == [FIRST, SECOND, third]


def full(file: int, taken: int) -> None:
    os.ftruncate(file, os.fstat(file).st_size - taken)
    raise OSError(ENOSPC, "No space left on device")


@pytest.mark.parametrize("line", [b"{}\n", b"what\n", b"\n", b"\xff\n"])
def test_a_line_of_somebody_else_is_told_by_its_number(path: Path, line: bytes) -> None:
    path.write_bytes(path.read_bytes() + line)

    with pytest.raises(Misconfigured, match=r"answered\.jsonl, line 3, was not written by"):
        Journal(path, Result)
