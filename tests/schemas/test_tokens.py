import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.tokens import estimate


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("tea", 2),  # 1 × 1.1, rounded up
        ("a b c d e f g h i j", 11),
        ("abcdefg", 2),
        ("abcdefgh abcdefgh abcdefgh abcdefgh abcdefgh", 11),
        ("1234567890 1234567890", 11),
        ("(((((((((((((((((((", 16),
        ("我喜欢喝茶我喜欢喝茶", 12),
        ("😀😀😀😀😀", 11),
        ("zażółć gęślą jaźń", 4),
    ],
)
def test_each_kind_of_sign_has_its_weight(text: str, tokens: int) -> None:
    assert estimate(text) == tokens


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(first: str, second: str) -> None:
    assert estimate(first) <= estimate(f"{first} {second}")
