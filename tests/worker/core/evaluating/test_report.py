"""One page for people: figures first, then what they cost, what is missing, and what they depend on."""

from dataclasses import replace
from datetime import UTC, datetime

from schemas.plan import Tokens, Usage
from tests.worker.core.evaluating.results import result
from worker.core.evaluating.report import Failed, Learnt, Report, markdown
from worker.core.evaluating.sums import Spread, rows, spent

GIVEN = [
    result(run, q, "single-hop" if q < 3 else "adversarial", correct=q == run)
    for run in (1, 2)
    for q in (1, 2, 3)
]
LEARNING = Usage.by_job(
    {"extraction": 7}, {"extraction": Tokens(prompt=700, completion=70, cached=9)}
)
REPORT = Report(
    made_at=datetime(2026, 12, 1, 9, 5, tzinfo=UTC),
    runs=2,
    rows=rows(GIVEN),
    learning=Learnt(1, 40, 0, 12, 3.4, LEARNING),
    asking=spent(one.usage for one in GIVEN),
    seconds=1.5,
    memories=Spread.of([3, 3]),
    context_tokens=Spread.of([30, 50]),
    failed=[],
    data="d1d1",
    models={"answers": "m|1"},
    prompts={"answer": "p1p1"},
    settings={"detector": "pointwise", "top_k": 10},
    changed=["detector"],
    versions={"slowwave": "1.2.3"},
    answers=GIVEN,
)


def cells(page: str) -> list[list[str]]:
    lines = (line for line in page.splitlines() if line.startswith("| "))
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]


def test_accuracy_is_a_mean_with_its_spread_and_f1_beside_it() -> None:
    told = cells(markdown(REPORT))

    assert ["single-hop", "2", "50.0", "0.0", "50.0–50.0", "50.0"] in told
    assert ["adversarial", "1", "0.0", "0.0", "0.0–0.0", "–"] in told
    assert ["overall", "2", "50.0", "0.0", "50.0–50.0", "50.0"] in told


def test_calls_and_tokens_are_told_for_every_stage() -> None:
    told = cells(markdown(REPORT))

    assert ["learning: extraction", "7", "700", "9", "70"] in told
    assert ["asking: answer", "6", "60", "0", "12"] in told
    assert ["asking: grade", "6", "0", "0", "0"] in told


def test_conditions_name_models_prompts_versions_and_settings_that_were_changed() -> None:
    page = markdown(REPORT)

    for told in (
        "2026-12-01 09:05 UTC",
        "d1d1",
        "p1p1",
        "1.2.3",
        "setting detector | pointwise",
        "m\\|1",
    ):
        assert told in page
    assert "top_k" not in page


def test_what_is_missing_is_told_where_something_is() -> None:
    failed = [Failed(1, "conv-1", 7, "no\nanswer | at all")]
    broken = replace(REPORT, failed=failed, learning=replace(REPORT.learning, parked=4))

    assert REPORT.is_whole
    assert "missing" not in markdown(REPORT)
    assert not broken.is_whole
    assert "* 4 turns were put aside" in markdown(broken)
    assert "* run 1, conv-1, question 7: no answer \\| at all" in markdown(broken)


def test_without_answers_there_is_still_a_page() -> None:
    empty = replace(REPORT, rows=[], memories=None, context_tokens=None, asking=Usage(), answers=[])

    assert "## Conditions" in markdown(empty)
