"""The generated pages are current, and say what the settings say."""

from pathlib import Path

import pytest

from docs import generate
from worker.settings import Settings


def test_the_generated_pages_are_current() -> None:
    assert generate.stale() == [], "run make docs"


def test_a_page_that_was_changed_by_hand_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate, "cli_page", lambda _: "another page\n")

    assert generate.stale() == ["docs/cli.md"]
    assert generate.main(["--check"]) == 1


def test_the_table_has_a_row_for_every_setting() -> None:
    rows = generate.settings_table().splitlines()[2:]

    assert len(rows) == len(Settings.model_fields)
    assert all(row.startswith("| `SLOWWAVE_") and row.count(" | ") == 2 for row in rows)
    assert all(not row.endswith("|  |") for row in rows), "each says what it means"


def test_the_example_taken_at_its_word_changes_nothing(tmp_path: Path) -> None:
    lines = generate.example_env().splitlines()
    taken = [line[1:] for line in lines if line.startswith("#SLOWWAVE_") and line[-1] != "="]
    env = tmp_path / ".env"
    env.write_text("\n".join(taken))

    given = Settings(_env_file=env)

    assert {"SLOWWAVE_MODEL=rules", "SLOWWAVE_BATCH_TURNS=10"} <= {*taken}
    assert given.model_copy(update={"data_dir": given.data_dir.expanduser()}) == Settings(
        _env_file=None
    )


def test_a_page_without_its_markers_is_refused() -> None:
    with pytest.raises(SystemExit, match="put them back"):
        generate.between("no markers here", "settings", "table")


def test_only_what_stands_between_the_markers_is_replaced() -> None:
    page = "a\n<!-- x: written by make docs -->\nold\n<!-- end of x -->\nb\n"

    assert generate.between(page, "x", "new") == page.replace("old", "new")
