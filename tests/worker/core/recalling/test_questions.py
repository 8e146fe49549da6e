"""Whatever is typed is searched for as far as it says anything."""

import pytest

from worker.core.recalling.questions import LONGEST_QUERY, asked


@pytest.mark.parametrize("queries", [(), ("",), ("  \n", "\0\x1b", "?!")])
def test_what_says_nothing_is_no_question(queries: tuple[str, ...]) -> None:
    assert asked(queries).questions == ()


@pytest.mark.parametrize(
    ("typed", "searched"),
    [
        (" Which\ttea?\n", "Which tea?"),
        ("te\x00a \x1b[2J", "te a [2J"),
        ("half a \ud800 pair", "half a pair"),
        ("猫が好き？", "猫が好き？"),
        ("🍵", "🍵"),
    ],
)
def test_control_characters_are_not_searched_for(typed: str, searched: str) -> None:
    (question,) = asked([typed]).questions

    assert question.text == searched
    assert question.text.encode()


def test_the_same_question_is_asked_once() -> None:
    assert [one.text for one in asked(["tea", " tea ", "coffee"]).questions] == ["tea", "coffee"]


def test_of_a_long_query_its_beginning_and_its_end_are_looked_at_and_that_is_said() -> None:
    found = asked(["What about the boat? " + "pasted " * 20_000 + "Is it ERR_MEM_4412?"])

    (question,) = found.questions
    assert len(question.text) <= LONGEST_QUERY + 1
    assert {"boat", "err_mem_4412"} <= set(question.terms)
    assert question.codes == ("err_mem_4412",)
    assert "140,040 characters" in found.notes[0]
