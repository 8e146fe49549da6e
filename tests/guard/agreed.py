"""What was counted, held to the table of what was agreed on."""

from collections.abc import Mapping
from pathlib import Path

#: Name → how many: exactly so many, or any number within a range. What is not named is 0.
Counts = Mapping[str, int | range]

ROOT = Path(__file__).parents[2]


def agree(case: str, found: Mapping[str, int], agreed: Counts, table: str, file: str) -> None:
    """Fails with old and new beside each other. `table` is the one place to change in that file where it is meant."""
    names = [*agreed, *(name for name in found if name not in agreed)]
    changed = [
        f"  {name}: agreed {_told(agreed.get(name, 0))}, is {found.get(name, 0)}"
        for name in names
        if not _holds(found.get(name, 0), agreed.get(name, 0))
    ]
    assert not changed, "\n".join(
        [
            f"{case} costs something else than was agreed:",
            *changed,
            f"If this is meant, change {table} in {Path(file).relative_to(ROOT)}; all of it is now",
            f"  { {name: count for name, count in found.items() if count} }",
        ]
    )


def _holds(found: int, agreed: int | range) -> bool:
    return found in agreed if isinstance(agreed, range) else found == agreed


def _told(agreed: int | range) -> str:
    if isinstance(agreed, range):
        return f"{agreed.start} to {agreed.stop - 1}"
    return str(agreed)
