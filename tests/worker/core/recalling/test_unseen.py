"""What was shown already is not shown again, unless it has changed."""

from tests.build import uid
from tests.worker.core.recalling.values import entry, texts
from worker.core.recalling.pool import Pool
from worker.core.recalling.unseen import marked, unseen, withdrawn

SHOWN = {uid("seen"): 2, uid("changed"): 1, uid("gone"): 5}
ENTRIES = [
    entry("new", score=0.9),
    entry("seen", score=0.8, version=2),
    entry("changed", score=0.1, version=3),
]


def test_what_was_shown_is_left_out_and_what_has_changed_comes_first_as_a_correction() -> None:
    found = unseen(SHOWN)(Pool(tuple(marked(ENTRIES, SHOWN))))

    assert texts(found.entries) == ["changed", "new"]
    assert [one.is_correction for one in found.entries] == [True, False]
    assert [(one.memory.text, one.why) for one in found.left_out] == [
        ("seen", "version 2 was shown")
    ]


def test_an_older_version_than_the_shown_one_is_a_correction_too() -> None:
    """A restored memory has a higher version; a store that was put back has not."""
    (found,) = marked([entry("a", version=1)], {uid("a"): 2})

    assert found.is_correction


def test_nothing_shown_changes_nothing() -> None:
    pool = Pool(tuple(ENTRIES))

    assert unseen({})(pool) == pool
    assert marked(ENTRIES, {}) == ENTRIES


def test_what_no_longer_stands_is_withdrawn() -> None:
    assert withdrawn(ENTRIES, SHOWN) == (uid("gone"),)
    assert withdrawn(ENTRIES, {}) == ()
