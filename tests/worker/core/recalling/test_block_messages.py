"""One block among the messages of a chat, in the place of those before."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.core.hearing.marks import MARKS, Marks
from worker.core.recalling.messages import Place, with_block, without_blocks

OLD, NEW = "<recalled>\nold\n</recalled>", "<recalled>\nnew\n</recalled>"
ASK = {"role": "user", "content": "Hi"}
PLACES: tuple[Place, ...] = ("system", "last")


def system(content: Any) -> dict[str, Any]:
    return {"role": "system", "content": content}


def text(said: str, **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": said, **fields}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([], [system(NEW)]),
        ([ASK], [system(NEW), ASK]),
        ([system("Be kind.\n"), ASK], [system(f"Be kind.\n\n\n{NEW}"), ASK]),
        ([system(f"Be kind.\n\n{OLD}"), ASK], [system(f"Be kind.\n\n{NEW}"), ASK]),
        ([system(f"Be {OLD}kind."), ASK], [system(f"Be kind.\n\n{NEW}"), ASK]),
        ([system(OLD), ASK, system(OLD)], [system(NEW), ASK]),
        ([system("")], [system(f"\n\n{NEW}")]),
        ([system([text("Be kind.")])], [system([text("Be kind."), text(NEW)])]),
        ([system([text("Be kind."), text(OLD)])], [system([text("Be kind."), text(NEW)])]),
        ([system([]), ASK], [system(NEW), system([]), ASK]),
        (
            [{"role": "developer", "content": "Go."}],
            [{"role": "developer", "content": f"Go.\n\n{NEW}"}],
        ),
    ],
)
def test_a_block_stands_at_the_end_of_the_system_message(before: Any, after: Any) -> None:
    given = deepcopy(before)

    assert with_block(before, NEW) == after
    assert with_block(after, NEW) == after
    assert before == given


def test_a_block_stands_in_a_message_of_its_own_before_the_users_last_one() -> None:
    calls = {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]}
    result = {"role": "tool", "tool_call_id": "1", "content": "3 °C"}
    chat: list[dict[str, Any]] = [
        system("Be kind."),
        ASK,
        {"role": "assistant", "content": "Ho"},
        ASK,
        calls,
        result,
    ]

    placed = with_block(chat, NEW, place="last")

    assert placed == [*chat[:3], system(NEW), *chat[3:]]
    assert with_block([system("Be kind.")], NEW, place="last")[-1] == system(NEW)


def test_earlier_blocks_are_taken_out_of_whatever_message_they_are_in() -> None:
    chat: list[dict[str, Any]] = [
        {"role": "user", "content": f"{OLD} What time is it?", "name": "Ann"},
        {"role": "user", "content": [text(f"{OLD}Look:"), {"type": "image_url", "image_url": {}}]},
        {"role": "assistant", "content": OLD, "tool_calls": [{"id": "1"}]},
    ]

    assert with_block(chat, "") == [
        {"role": "user", "content": " What time is it?", "name": "Ann"},
        {"role": "user", "content": [text("Look:"), {"type": "image_url", "image_url": {}}]},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "1"}]},
    ]


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("a <recalled> b", "a <recalled> b"),
        ("a </recalled> b <recalled>c</recalled> d", "a </recalled> b  d"),
        ("a <recalled> b <recalled>c</recalled> d", "a <recalled> b  d"),
        ("<reca<recalled>x</recalled>lled>y</recalled>z", "z"),
        ("<recalled>x</reca<recalled>y</recalled>lled>z", "z"),
        ("a\n\n<recalled>b</recalled>", "a"),
        ("a\n\n<recalled>b</recalled>c", "a\n\nc"),
    ],
)
def test_only_what_stands_between_two_marks_is_a_block(said: str, left: str) -> None:
    assert without_blocks(said) == left


@pytest.mark.parametrize(
    "said",
    [
        "<recalled>" * 20_000,
        "</recalled>" * 20_000,
        "<reca" * 20_000 + "<recalled></recalled>" + "lled></recalled>" * 20_000,
    ],
    ids=["begun", "ended", "nested"],
)
def test_marks_by_the_thousand_take_no_time_to_speak_of(said: str) -> None:
    assert "<recalled></recalled>" not in without_blocks(said)


def test_a_block_of_other_marks_is_refused() -> None:
    with pytest.raises(ValueError, match="between <recalled> and </recalled>: give the marks"):
        with_block([ASK], "[[memory]]\nx\n[[end]]")


PIECES = st.lists(
    st.sampled_from(
        [MARKS.begin, MARKS.end, OLD, "<reca", "lled>", "</reca", "\n\n", "\n", " ", "Be kind."]
    ),
    max_size=6,
).map("".join)
PARTS = st.lists(
    st.builds(text, PIECES) | st.just({"type": "image_url", "image_url": {"url": "x"}}), max_size=3
)
MESSAGES = st.lists(
    st.builds(
        lambda role, content, rest: {"role": role, "content": content, **rest},
        st.sampled_from(["system", "developer", "user", "assistant", "tool"]),
        PIECES | PARTS | st.none(),
        st.sampled_from([{}, {"name": "x"}]),
    ),
    max_size=5,
)


@given(MESSAGES, st.sampled_from(PLACES), st.sampled_from(PLACES))
def test_there_is_one_block_however_often_it_is_put_there(
    chat: list[dict[str, Any]], first: Place, then: Place
) -> None:
    once = with_block(chat, NEW, place=then)

    assert with_block(once, NEW, place=then) == once
    assert with_block(with_block(chat, OLD, place=first), NEW, place=then) == once
    assert str(once).count("\\nnew\\n") == 1
    assert with_block(once, "") == with_block(chat, "")


@given(MESSAGES, st.sampled_from(PLACES))
def test_what_is_no_block_stays_as_it_is(chat: list[dict[str, Any]], place: Place) -> None:
    marks = Marks("[[memory]]", "[[end]]")
    placed = with_block(chat, "[[memory]]\nnew\n[[end]]", marks, place)

    assert with_block(placed, "", marks) == chat
