"""A report as a page."""

from tests.build import NOW, SCOPE, uid
from worker.core.sleeping.markdown import markdown
from worker.core.sleeping.report import Diff, Passed, Report

DIFF = Diff(
    kind="retire",
    memory_id=uid("a"),
    relation="same",
    reason="merged",
    before="Likes | pipes\n# and <b>lines</b>",
    after=None,
    replaced_by=uid("b"),
    why="said `twice`",
    run=uid("r"),
)


def test_a_page_names_every_figure_change_and_proposal_and_texts_are_only_text() -> None:
    passed = Passed(
        name="tidy", before=10, after=9, looked_at=4, asked=3, misjudged=1, calls=5, tokens=70
    ).model_copy(update={"changes": (DIFF,), "proposed": (DIFF,)})
    page = markdown(
        [Report(scope=SCOPE, began_at=NOW, passes=(passed,), waiting=2, stopped="1 turns wait")]
    )

    assert "# A night: tests, ann" in page
    assert "1 changes, 5 calls, 70 tokens, 0.0 s, 2 proposals wait; stopped: 1 turns wait" in page
    assert "| tidy | 10 | 9 | 4 | 3 | 1 | 5 | 70 | 0.0 |" in page
    row = r"| retire | Likes \| pipes \# and \<b\>lines\</b\> | – | said \`twice\` |"
    assert page.count(row) == 2
    assert "## tidy: proposed, not done" in page
