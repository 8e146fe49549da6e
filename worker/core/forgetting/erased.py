"""What an erased scope does not get back."""

from datetime import datetime


def is_erased(moment: datetime, erased_at: datetime | None) -> bool:
    """Whether what was said, or planned, then was of a scope that was erased since."""
    return erased_at is not None and moment <= erased_at
