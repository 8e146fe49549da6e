import pytest

from worker.core.evaluating.f1 import f1


@pytest.mark.parametrize(
    ("answer", "expected", "share"),
    [
        ("Oslo", "Oslo", 1),
        ("the  OSLO!", "oslo", 1),
        ("a cat, an owl", "cat owl", 1),
        ("Bergen", "Oslo", 0),
        ("", "Oslo", 0),
        ("Oslo", "", 0),
        ("", "", 1),
        ("the", "a", 1),
        ("Oslo in Norway", "Oslo", 0.5),
        ("tea tea", "tea", 2 / 3),
        ("tea and rain", "rain, tea, snow, fog", 4 / 7),
        ("Łódź", "łódź", 1),
        ("东京", "东京", 1),
    ],
)
def test_it_is_the_share_of_words_that_two_texts_have_in_common(
    answer: str, expected: str, share: float
) -> None:
    assert f1(answer, expected) == pytest.approx(share)
    assert f1(expected, answer) == pytest.approx(share)
