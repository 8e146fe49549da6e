"""What bears on no query at all."""

import pytest

from tests.build import uid
from tests.worker.core.recalling.values import after, entry, fits, reasons
from worker.core.recalling.floor import floored
from worker.core.recalling.pool import Signal


@pytest.mark.parametrize(
    ("signals", "stays"),
    [
        ([fits(0.5)], True),
        ([fits(0.49, bm25=1.0)], False),
        ([fits(0.1, codes=0.5)], True),
        ([fits(0.1), fits(0.6)], True),
        ([fits(None, bm25=0.2)], True),
        ([fits(None)], False),
    ],
)
def test_near_to_one_query_or_with_a_code_of_it_is_near_enough(
    signals: list[Signal], stays: bool
) -> None:
    found = after(floored(0.5, follow_links=False), entry("tea", *signals))

    assert found == (["tea"] if stays else [])


def test_without_a_floor_only_what_shares_nothing_goes() -> None:
    stage = floored(None, follow_links=False)

    assert after(
        stage, entry("a", fits(-0.9)), entry("b", fits(None)), entry("c", fits(None, 1))
    ) == [
        "a",
        "c",
    ]


def test_a_correction_stays_however_far_it_is() -> None:
    assert after(floored(0.5, follow_links=False), entry("tea", fits(0.1), correction=True)) == [
        "tea"
    ]


def test_where_links_are_followed_what_a_near_one_links_to_stays_and_no_further() -> None:
    chain = [
        entry("near", fits(0.9), links=(uid("far"),)),
        entry("far", fits(0.1), links=(uid("farther"),)),
        entry("farther", fits(0.1)),
    ]

    assert after(floored(0.5, follow_links=True), *chain) == ["near", "far"]
    assert after(floored(0.5, follow_links=False), *chain) == ["near"]


def test_how_far_it_is_is_told() -> None:
    stage = floored(0.5, follow_links=False)

    assert reasons(stage, entry("a", fits(0.25), fits(0.3))) == {"a": "cosine 0.300, under 0.5"}
    assert "no word in common" in reasons(stage, entry("b", fits(None)))["b"]
