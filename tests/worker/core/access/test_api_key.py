"""What opens, and what of it is kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import NOW
from worker.core.access.api_key import ApiKey, Shown, opens, read

SHOWN = Shown("0123456789ab", "Az09_-" * 7 + "x")
KEPT = ApiKey(id=SHOWN.id, digest=SHOWN.digest, app="acme", created_at=NOW)


def test_a_key_is_read_as_it_is_shown() -> None:
    assert read(SHOWN.text) == SHOWN
    assert read(f" {SHOWN.text}\n") == SHOWN


@given(st.text() | st.builds(lambda cut: SHOWN.text[:cut], st.integers(0, len(SHOWN.text) - 1)))
def test_what_is_no_key_is_none(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    ("shown", "kept", "is_open"),
    [
        (SHOWN, KEPT, True),
        (SHOWN, None, False),
        (Shown(SHOWN.id, "y" * 43), KEPT, False),
        (Shown(SHOWN.id, KEPT.digest[:43]), KEPT, False),
        (SHOWN, KEPT.model_copy(update={"digest": ""}), False),
        (SHOWN, KEPT.model_copy(update={"digest": SHOWN.secret}), False),
    ],
)
def test_the_secret_alone_opens(shown: Shown, kept: ApiKey | None, is_open: bool) -> None:
    assert opens(shown, kept) is is_open


def test_what_is_kept_does_not_hold_the_secret() -> None:
    assert SHOWN.secret not in KEPT.model_dump_json()
