"""What has lapsed is written down as it stands."""

from typing import Any

import pytest

from schemas.plan import Retire, Revise
from tests.build import NOW, RUN, SCOPE, at, record, vector
from worker.core.current import current
from worker.core.groups.setting import Setting
from worker.core.sleeping.expire import Expire, texts_after, written_down
from worker.core.sleeping.night import Bounds, Glance, Night, Sight

SETTING = Setting(RUN, SCOPE, (), NOW, "sleep")


def due(**fields: Any) -> bool:
    one = record("A", **fields)
    live = {one.memory.id: Glance.of(one.memory)}
    tonight = Night(SCOPE, NOW, Bounds(0.5), live)
    found = Expire().due(tonight)
    lapsed = Expire().first_slice(Sight(tonight, [(d, one) for d in found])).records
    assert [one.memory.id for one in lapsed] == [due.id for due in found]
    return bool(found)


@pytest.mark.parametrize(
    ("fields", "is_due"),
    [
        ({}, False),
        ({"volatile": True, "said_at": at(-9_000)}, False),
        ({"until": at(0)}, True),
        ({"until": at(-1), "until_assumed": True}, True),
        ({"until": at(0.001)}, False),
        ({"until": at(-1), "pinned": True}, False),
    ],
)
def test_only_what_had_an_end_that_has_come_is_written_down(
    fields: dict[str, Any], is_due: bool
) -> None:
    assert due(**fields) is is_due


def test_what_stands_again_is_the_next_version_in_the_words_that_reads_show() -> None:
    one = record("A", until=at(-1), until_assumed=True, after="Since 2019", flagged="open")
    assert texts_after([one, one]) == ("Since 2019",)

    (change,) = written_down(SETTING, [one], {"Since 2019": vector("Since 2019")})

    assert isinstance(change, Revise)
    stands, shown = change.record.memory, current(one.memory, NOW)
    assert shown
    assert (stands.text, stands.since, stands.until, stands.after) == (
        *(shown.text, shown.since, shown.until),
        None,
    )
    assert (stands.version, stands.updated_at, stands.last_run) == (2, NOW, RUN)
    assert (stands.identifiers, stands.until_assumed, stands.flagged) == (("2019",), False, "open")
    assert change.record.vector == vector("Since 2019")
    archive = change.archive.archive
    assert (archive.memory, archive.replaced_by, archive.reason) == (
        *(one.memory, one.memory.id),
        "expired",
    )


def test_where_nothing_stands_again_it_goes_into_the_archive() -> None:
    one = record("A", until=at(-1))

    (change,) = written_down(SETTING, [one], {})

    assert isinstance(change, Retire)
    archive = change.archive.archive
    assert (archive.memory, archive.replaced_by, archive.reason, archive.run) == (
        *(one.memory, None),
        *("expired", RUN),
    )
    assert "until 2026-05-31" in archive.why
