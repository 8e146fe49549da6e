"""Entries in order, and scores that are the sum of their parts."""

from tests.build import at, uid
from tests.worker.core.recalling.values import entry, reasons, texts
from worker.core.recalling.pool import Pool, best_first


def test_equal_scores_go_by_what_was_said_last_then_by_id() -> None:
    first, second = sorted([uid("x"), uid("y")], key=lambda one: one.int)
    crowd = [
        entry("b", score=0.5, said_at=at(-9), id=second),
        entry("a", score=0.5, said_at=at(-9), id=first),
        entry("newer", score=0.5, said_at=at(-1), id=second),
        entry("better", score=0.6, said_at=at(-99), id=second),
    ]

    assert texts(best_first(crowd)) == ["better", "newer", "a", "b"]
    assert best_first(reversed(crowd)) == best_first(crowd)


def test_a_lift_is_a_part_by_itself_and_never_a_fall() -> None:
    one = entry("a", score=0.5)

    assert one.lifted("later", 0.8).parts == {"cosine": 0.5, "later": 0.8 - 0.5}
    assert one.lifted("later", 0.4) == one


def test_who_is_left_out_goes_with_the_reason_and_in_order() -> None:
    def stage(pool: Pool) -> Pool:
        return pool.sifted("limit", lambda one: one.memory.text if one.score < 0.5 else None)

    found = reasons(stage, entry("b", score=0.1), entry("a"), entry("c", score=0.9))
    assert list(found.items()) == [("b", "b"), ("a", "a")]
