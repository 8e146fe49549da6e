"""Rankings fused by rank."""

from hypothesis import given
from hypothesis import strategies as st

from tests.build import uid
from worker.core.finding.rank import reciprocal_rank_fusion

A, B, C = uid("a"), uid("b"), uid("c")


def test_what_both_rankings_like_comes_first() -> None:
    assert next(id for id, _ in reciprocal_rank_fusion([[A, B], [B, C]])) == B


def test_the_score_is_one_over_sixty_plus_rank() -> None:
    assert reciprocal_rank_fusion([[A]]) == [(A, 1 / 61)]


@given(st.lists(st.permutations([A, B, C]), min_size=1, max_size=4))
def test_the_order_of_the_rankings_does_not_matter(rankings: list[list[object]]) -> None:
    assert reciprocal_rank_fusion(rankings) == reciprocal_rank_fusion(rankings[::-1])  # type: ignore[arg-type]
