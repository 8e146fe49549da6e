"""Why a row of docs/design.md §12 is not reached, written by hand in `notes.toml`."""

import tomllib
from pathlib import Path

FILE = Path(__file__).with_name("notes.toml")


def notes() -> dict[str, str]:
    """Row → a sentence or two."""
    told: dict[str, dict[str, str]] = tomllib.loads(FILE.read_text())
    return {row: f"{of['why']} {of['would']}" for row, of in told.items()}
