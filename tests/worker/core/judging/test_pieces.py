"""Which facts share a call of the judge."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from tests.build import at, candidacy, fact, record
from worker.core.groups.judgment import Candidacy
from worker.core.judging.pieces import CallSize, Piece, pieces

HOME, CAR, DOG = "Lives in Porto", "Drives a Saab", "Has a dog"
CASE = candidacy(
    [fact("Moved to Ghent"), fact("Sold the Saab"), fact("Is in Ghent now"), fact("Sings")],
    [record(HOME), record(CAR)],
    {"f1": ("c1", "f3"), "f2": ("c2",), "f3": ("f1", "c1"), "f4": ()},
)


def facts_of(found: Iterable[Piece]) -> list[tuple[str, ...]]:
    return [piece.facts for piece in found]


def texts(case: Candidacy, labels: Iterable[str]) -> list[str]:
    return [case.shown(one).text for one in labels]


def test_without_limits_all_facts_share_a_call() -> None:
    (piece,) = pieces(CASE, CASE.fact_labels, CallSize())

    assert sorted(piece.facts) == ["f1", "f2", "f3", "f4"]
    assert piece.cut[0].asked_labels == ("f1", "f2", "f3", "f4")


def test_facts_with_a_common_candidate_stay_together_where_they_fit() -> None:
    assert facts_of(pieces(CASE, CASE.fact_labels, CallSize(facts=2))) == [
        ("f1", "f3"),
        ("f2", "f4"),
    ]


def test_a_call_holds_no_more_than_so_many_tokens() -> None:
    size = CallSize(tokens=5, count=lambda text: len(text.split()))

    assert facts_of(pieces(CASE, CASE.fact_labels, size)) == [("f1",), ("f3",), ("f2",), ("f4",)]


def test_a_single_fact_is_never_cut_however_much_it_was_offered() -> None:
    assert facts_of(pieces(CASE, ["f1"], CallSize(tokens=1))) == [("f1",)]


def test_only_what_is_asked_about_is_in_a_call() -> None:
    assert facts_of(pieces(CASE, ["f2"], CallSize())) == [("f2",)]
    assert pieces(CASE, [], CallSize()) == []


def test_an_older_twin_that_is_judged_elsewhere_may_be_joined_but_is_not_asked_about() -> None:
    case, labels = Piece(CASE, ("f3",)).cut

    assert texts(case, case.fact_labels) == ["Moved to Ghent", "Is in Ghent now"]
    assert texts(case, case.asked_labels) == ["Is in Ghent now"]
    assert case.offered == ((), ("f1", "c1"))
    assert labels == {"f1": "f1", "f2": "f3", "c1": "c1"}


def test_a_younger_twin_that_is_judged_elsewhere_asks_itself() -> None:
    case, _ = Piece(CASE, ("f1",)).cut

    assert texts(case, case.fact_labels) == ["Moved to Ghent"]
    assert case.offered == (("c1",),)


def test_a_request_to_forget_is_shown_what_it_may_mean_and_to_nobody() -> None:
    case = candidacy(
        [fact("Owns a Saab"), fact("Forget the Saab", kind="forget"), fact("Sold it")],
        [record(CAR)],
        {"f1": ("c1",), "f2": ("f1", "c1"), "f3": ("f2", "f1", "c1")},
    )

    assert texts(Piece(case, ("f2",)).cut[0], ["f1", "f2"]) == ["Owns a Saab", "Forget the Saab"]
    shown = Piece(case, ("f3",)).cut[0]
    assert texts(shown, shown.fact_labels) == ["Owns a Saab", "Sold it"]


def test_younger_is_what_was_said_later_whatever_its_place() -> None:
    late = candidacy(
        [fact("Moved", said_at=at(1)), fact("Moves")], [], {"f1": ("f2",), "f2": ("f1",)}
    )

    assert texts(Piece(late, ("f1",)).cut[0], ["f1", "f2"]) == ["Moved", "Moves"]
    assert Piece(late, ("f2",)).cut[0].fact_labels == ("f1",)


def test_what_fails_is_halved_down_to_one_fact() -> None:
    whole = Piece(CASE, ("f1", "f2", "f3"))

    assert facts_of(whole.halves()) == [("f1",), ("f2", "f3")]
    assert facts_of(whole.singles()) == [("f1",), ("f2",), ("f3",)]
    assert Piece(CASE, ("f1",)).halves() == Piece(CASE, ("f1",)).singles() == []


@given(
    st.lists(st.lists(st.integers(0, 5), max_size=4), min_size=1, max_size=12),
    st.integers(1, 5),
    st.integers(1, 30),
)
def test_every_fact_is_asked_about_exactly_once(
    offers: list[list[int]], most: int, tokens: int
) -> None:
    case = candidacy(
        [fact(f"fact {n}") for n in range(len(offers))],
        [record(f"memory {n}") for n in range(6)],
        {f"f{n}": tuple(f"c{one + 1}" for one in set(o)) for n, o in enumerate(offers, start=1)},
    )
    found = pieces(case, case.fact_labels, CallSize(most, tokens, lambda text: 1))

    assert sorted(one for piece in found for one in piece.facts) == sorted(case.fact_labels)
    assert all(len(piece.facts) <= most for piece in found)
