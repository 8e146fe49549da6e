"""What was shown in a conversation, as Redis and one process know it."""

from hypothesis import given
from hypothesis import strategies as st

from tests.build import NOW, memory, uid
from worker.core.recalling.answer import Answer, Outdated, Recalled
from worker.core.recalling.showing import Showing, in_view, shown_by, without_doubles

TEA, HOME = uid("tea"), uid("home")


def answer(*texts: str, **fields: object) -> Answer:
    return Answer(items=tuple(Recalled(memory(text), 1.0) for text in texts), **fields)  # type: ignore[arg-type]


def test_what_is_not_brought_yet_is_in_view_and_the_higher_version_counts() -> None:
    stored = {TEA: 2, HOME: 5}

    assert in_view(stored, {}) == stored
    assert in_view(stored, {TEA: Showing(3)}) == {TEA: 3, HOME: 5}
    assert in_view(stored, {TEA: Showing(1)}) == stored
    assert in_view({}, {TEA: Showing(1)}) == {TEA: 1}


def test_what_was_withdrawn_is_out_of_view_until_it_is_shown_again() -> None:
    assert in_view({TEA: 2}, {TEA: Showing(2, is_withdrawn=True)}) == {}
    assert in_view({TEA: 4}, {TEA: Showing(2, is_withdrawn=True)}) == {TEA: 4}


def test_of_two_answers_at_once_the_later_one_leaves_out_what_the_earlier_told() -> None:
    told = without_doubles(answer("tea", "boat"), {uid("tea"): Showing(1)})

    assert [one.memory.text for one in told.items] == ["boat"]
    assert [(one.memory.text, one.stage) for one in told.left_out] == [("tea", "shown")]


def test_a_correction_of_what_was_told_just_before_is_told() -> None:
    later = Answer(items=(Recalled(memory("tea", version=2), 1.0),))

    assert without_doubles(later, {uid("tea"): Showing(1)}) == later
    assert without_doubles(later, {uid("tea"): Showing(2, is_withdrawn=True)}) == later


def test_what_no_longer_stands_is_named_once() -> None:
    found = answer(withdrawn=(TEA, HOME))
    showings = shown_by(found, {TEA: 3, HOME: 1})

    assert showings == {TEA: Showing(3, True), HOME: Showing(1, True)}
    assert without_doubles(found, showings).withdrawn == ()


def test_the_words_that_hold_no_more_go_with_what_they_are_told_for() -> None:
    before = tuple(Outdated(memory(text), NOW) for text in ("tea", "home", "boat"))
    later = Recalled(memory("boat", version=2), 1.0, "correction")
    found = Answer(items=(later,), withdrawn=(TEA, HOME), outdated=before)

    told = without_doubles(found, {TEA: Showing(1, is_withdrawn=True), uid("boat"): Showing(2)})
    assert [one.memory.text for one in told.outdated] == ["home"]


VERSIONS = st.dictionaries(st.sampled_from([TEA, HOME, uid("boat")]), st.integers(1, 5))


@given(VERSIONS, VERSIONS)
def test_what_one_answer_has_told_the_next_of_its_process_knows(
    stored: dict[object, int], told: dict[object, int]
) -> None:
    items = tuple(
        Recalled(memory("x", id=id, version=version), 1.0) for id, version in told.items()
    )
    after = shown_by(Answer(items=items), stored)  # type: ignore[arg-type]

    view = in_view(stored, after)  # type: ignore[arg-type]
    assert all(view[id] >= version for id, version in told.items())  # type: ignore[index]
    assert without_doubles(Answer(items=items), after).items == ()
