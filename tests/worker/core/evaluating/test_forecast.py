"""What it will cost is told before it is spent."""

from dataclasses import replace

import pytest

from tests.locomo import sample
from worker.core.evaluating.forecast import Instructions, Way, forecast, judge_calls
from worker.core.evaluating.locomo import conversations
from worker.core.groups.setting import DetectorName

WAY = Way(
    Instructions(extraction=1000, judge=1000, answer=500, grade=400),
    batch_turns=1,
    judging=1,
    extracting=1,
    top_k=10,
)
(TALK,) = conversations([sample()])
CATEGORIES = [one.category for one in TALK.questions]


def test_calls_are_those_of_batches_and_questions() -> None:
    found = forecast([TALK], CATEGORIES, WAY)

    assert {one.name: one.calls for one in found.stages} == {
        "extraction": 3,
        "judging": 3,
        "answer": 5,
        "grade": 4,
    }
    assert found.calls == 15
    assert found.prompt > 3 * 2000 + 5 * 500 + 4 * 400
    assert found.completion > 0


def test_a_batch_never_spans_two_sessions() -> None:
    found = forecast([TALK], [], replace(WAY, batch_turns=10))

    assert found.stages[0].calls == 2


def test_what_is_done_costs_nothing_more() -> None:
    assert forecast([], [], WAY).calls == forecast([], [], WAY).prompt == 0


def test_without_a_model_learning_is_free() -> None:
    found = forecast([TALK], CATEGORIES, replace(WAY, extracting=0, judging=0))

    assert [one.calls for one in found.stages] == [0, 0, 5, 4]
    assert found.stages[0].prompt == found.stages[0].completion == 0


def test_a_price_is_for_a_million_tokens_of_each_kind() -> None:
    found = forecast([TALK], CATEGORIES, WAY)

    price = found.price(per_million_in=2, per_million_out=10)
    assert price == pytest.approx((2 * found.prompt + 10 * found.completion) / 1e6)


@pytest.mark.parametrize(
    ("detector", "calls"),
    [
        ("add_only", 0),
        ("batchwise", 1),
        ("listwise", 10),
        ("listwise_multitarget", 10),
        ("pointwise", 50),
    ],
)
def test_the_judge_is_asked_as_often_as_its_detector_does(
    detector: DetectorName, calls: int
) -> None:
    assert judge_calls(detector, batch_turns=10, top_k=5) == calls
