"""What data sets ask is answered by letters in what comes up first."""

import pytest

from bench.quality.questions import Asked, asked
from bench.quality.stream import Question

PYTHON = Question("Which Python?", (("3.12", "three twelve"),), ("3.10",))
BOTH = Question("Which Python and branch?", (("3.12",), ("main",)))


@pytest.mark.parametrize(
    ("question", "hits", "expected"),
    [
        pytest.param(PYTHON, ["It is 3.12"], (1, 1, 0), id="first"),
        pytest.param(PYTHON, ["Hi", "THREE\n twelve"], (0, 1, 0), id="any wording, any case"),
        pytest.param(PYTHON, ["It was 3.10", "It is 3.12"], (0, 1, 1), id="beside what may not be"),
        pytest.param(PYTHON, [], (0, 0, 0), id="nothing"),
        pytest.param(BOTH, ["3.12", "on main"], (0, 1, 0), id="in two hits"),
        pytest.param(BOTH, ["3.12 on main"], (1, 1, 0), id="both in one"),
        pytest.param(BOTH, ["3.12"], (0, 0, 0), id="half"),
    ],
)
def test_an_answer_is_there_where_all_of_it_can_be_read(
    question: Question, hits: list[str], expected: tuple[int, int, int]
) -> None:
    found = asked([question], [hits])

    assert (found.answered_first, found.answered, found.told_wrongly) == expected
    assert found.questions == 1


def test_the_pieces_of_an_answer_are_counted_one_by_one() -> None:
    found = asked([BOTH, PYTHON], [["3.12"], ["It was 3.10"]])

    assert (found.pieces_told, found.pieces, found.answered) == (1, 3, 0)


def test_a_question_that_wants_nothing_told_is_counted_for_what_may_not_be() -> None:
    refusal = Question("The key?", (), ("K-77",))

    assert asked([refusal, refusal], [["Key K-77"], ["No"]]) == Asked(guarded=2, told_wrongly=1)
    assert asked([Question("9 times 8?")], [["72"]]) == Asked()
