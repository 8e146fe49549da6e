"""Counting tokens: estimated, or exactly where the package is there."""

import sys

import pytest

from schemas.tokens import estimate
from worker.adapters.tokenizer import VOCABULARIES, token_counter
from worker.errors import Misconfigured
from worker.settings import Settings


def test_an_estimate_needs_nothing() -> None:
    assert token_counter("estimate") is estimate


def test_a_vocabulary_is_counted_exactly() -> None:
    pytest.importorskip("quicktok")
    count = token_counter("cl100k")

    assert count("") == 0
    assert count("hello world") == 2
    assert count("<|endoftext|>") > 1, "what people write is text and no sign of the model's"


def test_every_name_of_the_setting_is_one() -> None:
    choices = Settings.model_json_schema()["properties"]["tokenizer"]["enum"]

    assert set(choices) == {"estimate", *VOCABULARIES}


def test_a_package_that_is_missing_is_told_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "quicktok", None)

    with pytest.raises(Misconfigured, match=r"o200k.*slowwave\[tokens\].*estimate"):
        token_counter("o200k")
