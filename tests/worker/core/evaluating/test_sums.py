"""Means over runs, and how far runs lie apart."""

from schemas.plan import Tokens
from tests.worker.core.evaluating.results import USAGE, result
from worker.core.evaluating.sums import OVERALL, Spread, rows, spent


def test_each_category_has_a_row_in_the_order_of_the_data_set() -> None:
    found = rows(
        [
            result(1, 5, "adversarial", correct=False),
            result(1, 4, "single-hop"),
            result(1, 1, "multi-hop", correct=False),
        ]
    )

    assert [(row.category, row.questions, row.accuracy.mean) for row in found] == [
        ("multi-hop", 1, 0),
        ("single-hop", 1, 1),
        ("adversarial", 1, 0),
        (OVERALL, 2, 0.5),
    ]


def test_runs_are_means_of_their_own_and_the_spread_is_theirs() -> None:
    (row, whole) = rows(
        [result(run, q, correct=q <= run, f1=q / 4) for run in (1, 2, 3) for q in (1, 2, 3, 4)]
    )

    assert row.questions == 4
    assert row.accuracy == Spread(0.5, 0.25, 0.25, 0.75)
    assert row.f1 == Spread(0.625, 0, 0.625, 0.625)
    assert whole.category == OVERALL


def test_one_run_has_no_deviation() -> None:
    assert rows([result(1, 1)])[0].accuracy.deviation is None


def test_what_no_model_can_flatter_is_left_out_where_right_is_to_decline() -> None:
    (row,) = rows([result(1, 1, "adversarial")])

    assert row.f1 is None


def test_of_nothing_there_are_no_rows() -> None:
    assert rows([]) == []


def test_calls_and_tokens_are_added_up_by_job() -> None:
    found = spent([USAGE, USAGE])

    assert found.calls == {"answer": 2, "grade": 2}
    assert found.tokens["answer"] == Tokens(prompt=20, completion=4)
    assert found.prompt_tokens == 20
