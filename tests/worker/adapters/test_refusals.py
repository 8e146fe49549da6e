"""What is quoted of an endpoint's own words."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.adapters.refusals import ECHO, QUOTED, said


@dataclass(frozen=True)
class Refused:
    body: Any
    message: str = "Error code: 400"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"message": "no such model", "type": "invalid", "param": "Ann has HIV"}, "no such model"),
        ("plain text", "plain text"),
        ({"error": "as text-embeddings-inference says it"}, "as text-embeddings-inference says it"),
        ({"detail": "as FastAPI says it"}, "as FastAPI says it"),
        ({"detail": [{"loc": ["body"], "msg": "bad", "input": "Ann has HIV"}]}, "bad"),
        (
            {"message": "Provider returned error", "metadata": {"raw": "no credit"}},
            "Provider returned error; no credit",
        ),
        (None, "Error code: 400"),
        ([], ""),
        (7, ""),
    ],
)
def test_the_words_for_people_are_quoted_and_nothing_else(body: Any, expected: str) -> None:
    assert said(Refused(body)) == expected


@given(
    st.text(alphabet="abc é", min_size=ECHO, max_size=40),
    st.text(alphabet="xyz ", max_size=40),
    st.sampled_from(
        [
            str,
            str.upper,
            str.title,
            lambda text: text.replace(" ", "_"),
            "-".join,
        ]
    ),
)
def test_no_longer_piece_of_a_text_that_was_sent_is_quoted_in_any_spelling(
    text: str, around: str, spelled: Callable[[str], str]
) -> None:
    quoted = said(Refused({"message": around + spelled(text) + around}), [text]).removesuffix("…")

    letters, own = ("".join(filter(str.isalnum, one.casefold())) for one in (quoted, text))
    pieces = {own[at : at + ECHO] for at in range(len(own) - ECHO + 1)}
    assert not any(piece in letters for piece in pieces)
    assert len(quoted) <= QUOTED
