"""Tokens that must match exactly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.core.texts.identifiers import identifiers


@pytest.mark.parametrize(
    "text, expected",
    [
        ("Production moved to 7445.", ("7445",)),
        ("ERR_MEM_4412, then err_mem_4412", ("err_mem_4412",)),
        ("Order 88213-A (not 88213-B)", ("88213-a", "88213-b")),
        ("Code QX-118 or QX-ABC", ("qx-118", "qx-abc")),
        ("Since 2026-06-01 at 10:30", ("2026-06-01", "10:30")),
        ("Runs v1.2.3 of python3", ("v1.2.3", "python3")),
        (
            "See https://example.org/a?b=1, www.example.org.",
            ("https://example.org/a?b=1", "www.example.org"),
        ),
        ("Mail me@example.org!", ("me@example.org",)),
        ("In /etc/hosts and ./run.sh and C:\\tmp\\x", ("/etc/hosts", "./run.sh", "c:\\tmp\\x")),
        ("Opens report.pdf with snake_case", ("report.pdf", "snake_case")),
        ("Costs 1,000 or $500", ("1,000", "500")),
        ("電話は090-1234です", ("090-1234",)),
        ("5月3日", ("5", "3")),
        ("４４１２", ("4412",)),
        ("tea and/or coffee, he/she; well-known e.g. this", ()),
        ("Likes tea.Then coffee", ()),
        ("", ()),
    ],
)
def test_codes_numbers_paths_and_addresses_are_identifiers(
    text: str, expected: tuple[str, ...]
) -> None:
    assert identifiers(text) == expected


@given(st.text())
def test_any_text_has_each_identifier_once(text: str) -> None:
    found = identifiers(text)

    assert len(set(found)) == len(found)
    assert all(token == token.casefold() for token in found)


@given(st.text(), st.from_regex(r"[A-Z]{2}-[0-9]{3}", fullmatch=True), st.text())
def test_a_code_between_spaces_is_always_found(before: str, code: str, after: str) -> None:
    assert code.casefold() in identifiers(f"{before} {code} {after}")
