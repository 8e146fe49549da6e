from datetime import timedelta

import pytest

from schemas.memory import Archive, Memory
from tests.build import NOW, RUN, memory, uid
from worker.interfaces.cli.versions import successor
from worker.interfaces.versions import LIVE, newest_first


def archive(old: Memory, by: str | None, days: int = 0) -> Archive:
    return Archive(
        memory=old,
        replaced_by=uid(by) if by else None,
        archived_at=NOW + timedelta(days=days),
        reason="superseded",
        why="",
        run=RUN,
    )


OLD = memory("tea", id=uid("m"))
TEXTS = {(uid("m"), 2): "coffee", (uid("m"), LIVE): "water", (uid("other"), LIVE): "milk"}


@pytest.mark.parametrize(
    ("by", "stands"),
    [("m", "coffee"), ("other", "milk"), (None, "–"), ("gone", str(uid("gone"))[:8])],
)
def test_a_version_is_followed_by_the_next_of_its_own_or_by_another_memory(
    by: str | None, stands: str
) -> None:
    assert successor(archive(OLD, by), TEXTS) == stands


def test_archives_are_listed_newest_first_and_versions_of_one_moment_too() -> None:
    first, second = archive(OLD, "m"), archive(memory("x", id=uid("m"), version=2), "m")
    later = archive(memory("y", id=uid("n")), None, days=1)

    assert newest_first([first, later, second]) == (later, second, first)
