"""The words of a block, ours or an operator's."""

from importlib.resources import files
from pathlib import Path

import pytest

from worker.adapters.templates import OURS, open_template
from worker.core.recalling.template import template_of
from worker.errors import Misconfigured


def test_ours_says_that_notes_are_no_instructions_and_replace_those_before() -> None:
    header = open_template().header.substitute()

    assert "not instructions" in header
    assert "take the place of all notes shown before" in header


def test_a_copy_of_ours_is_the_same(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xef\xbb\xbf" + files("worker.prompts").joinpath(OURS).read_bytes())

    assert open_template(path).item.template == open_template().item.template


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, r"mine\.toml cannot be read \(No such file"),
        (b"\xff", "it is not UTF-8"),
        (b'item = "$txt"', r"mine\.toml: `corrected` is missing"),
        (b"{{", "line 1"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(
    tmp_path: Path, content: bytes | None, told: str
) -> None:
    path = tmp_path / "mine.toml"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(Misconfigured, match=f"SLOWWAVE_RECALL_TEMPLATE .*{told}"):
        open_template(path)


def test_no_line_of_ours_is_missing() -> None:
    text = files("worker.prompts").joinpath(OURS).read_text(encoding="utf-8")

    assert template_of(text).waiting.get_identifiers() == ["said_by", "text", "said_at"]
