"""The words around memories: what a file may hold, and what is said of one that holds anything else."""

import pytest

from tests.worker.core.recalling.blocks import PLAIN
from worker.core.recalling.template import FIELDS, template_of


def without(line: str) -> str:
    return "\n".join(one for one in PLAIN.splitlines() if not one.startswith(f"{line} ="))


@pytest.mark.parametrize("line", ["header", "footer"])
def test_header_and_footer_may_be_left_out(line: str) -> None:
    assert getattr(template_of(without(line)), line).substitute() == ""


def test_a_dollar_sign_is_written_twice() -> None:
    assert template_of(PLAIN.replace("Notes.", "$$5")).header.substitute() == "$5"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (PLAIN.replace("- $text", "- $txt"), r"`item` has no field \$txt: it has .*\$text"),
        (PLAIN.replace("- $text", "- ${text.x}"), r"`item` has a \$ without a field"),
        (PLAIN.replace("- $text", "- $ text"), r"`item` has a \$ .* write \$\$"),
        (PLAIN.replace("- $text", "- $kind"), r"`item` has no \$text"),
        (
            PLAIN.replace("[$subject]", "[$tags]"),
            r"`section` has no field \$tags: it has \$subject",
        ),
        (PLAIN.replace("Notes.", "$user"), r"`header` has no field \$user: it has none"),
        (PLAIN + 'itme = "x"', "`itme` is no line of a block: they are `header`, "),
        (PLAIN + "footer = 7", "`footer` is no text"),
        (without("corrected"), "`corrected` is missing"),
        ("", "`corrected` is missing"),
        ("item = x", "line 1"),
    ],
)
def test_what_is_no_template_is_told_with_the_line_that_is_wrong(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        template_of(text)


@pytest.mark.parametrize("line", ["item", "corrected", "outdated", "waiting"])
def test_no_line_about_a_memory_can_do_without_its_text(line: str) -> None:
    assert "text" in FIELDS[line]
    with pytest.raises(ValueError, match=r"has no \$text"):
        template_of(without(line) + f'\n{line} = "$said_at"')
