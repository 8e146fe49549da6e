import pytest
import typer

from worker.interfaces.cli.naming import digits_of


@pytest.mark.parametrize("given", ["abc", "wxyz", "", "abcd " * 2, "a" * 33])
def test_less_than_four_digits_or_others_are_wrong_usage(given: str) -> None:
    with pytest.raises(typer.BadParameter, match="is no id: write four or more"):
        digits_of(given)


def test_an_id_may_be_typed_in_capitals_and_with_its_dashes() -> None:
    assert digits_of("ABCD-1") == "abcd1"
