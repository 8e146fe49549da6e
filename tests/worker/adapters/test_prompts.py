"""The instructions of each job, ours or an operator's."""

from pathlib import Path

import pytest

from worker.adapters.prompts import MOST_TOKENS, Prompts
from worker.errors import Misconfigured

OURS = Prompts()


def test_a_file_in_the_folder_takes_the_place_of_ours_and_the_others_stay(tmp_path: Path) -> None:
    (tmp_path / "extraction.md").write_text("Find what matters. Answer in JSON.", encoding="utf-8")
    (tmp_path / ".gitignore").write_text("")
    prompts = Prompts(tmp_path)

    assert prompts.system("extraction") == "Find what matters. Answer in JSON."
    assert prompts.replaced == ("extraction",)
    assert prompts.fingerprint("extraction") != OURS.fingerprint("extraction")
    assert prompts.system("batchwise") == OURS.system("batchwise")
    assert prompts.fingerprint("batchwise") == OURS.fingerprint("batchwise")


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("extract.md", b"x", r"has extract\.md, .*names are .*extraction\.md"),
        ("README.md", b"x", r"has README\.md"),
        ("extraction", b"x", "has extraction, "),
        ("memory.db", b"\xff", r"has memory\.db"),
        ("extraction.md", b"\xff\xfeabc", "extraction.md.*not UTF-8"),
        ("extraction.md", b"", "has 0 tokens"),
        ("extraction.md", b" \n", "has 0 tokens"),
        ("extraction.md", b"word " * (2 * MOST_TOKENS), "extraction.md has .*write 1 to 1,500"),
    ],
)
def test_a_folder_that_cannot_be_used_is_told_at_once(
    tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    (tmp_path / name).write_bytes(content)

    with pytest.raises(Misconfigured, match=told):
        Prompts(tmp_path)


@pytest.mark.parametrize("made", ["nothing", "file", "folder inside"])
def test_what_is_no_folder_of_files_is_named(tmp_path: Path, made: str) -> None:
    folder = tmp_path / "prompts"
    if made == "file":
        folder.write_text("x")
    if made == "folder inside":
        (folder / "extraction.md").mkdir(parents=True)

    with pytest.raises(Misconfigured, match=str(folder)):
        Prompts(folder)


def test_what_an_operator_adds_comes_last_and_leaves_the_beginning_as_it_was() -> None:
    plain = OURS.system("extraction")
    added = OURS.system("extraction", "Never note prices.")

    assert added.startswith(plain.rstrip())
    assert added.endswith("Never note prices.\n")
    assert added == Prompts().system("extraction", "Never note prices."), "the same bytes"
