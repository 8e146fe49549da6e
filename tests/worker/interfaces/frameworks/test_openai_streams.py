"""What a stream says, put together."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai.types.chat import ChatCompletionMessage
from openai.types.chat.chat_completion_chunk import ChoiceDelta

from schemas.messages import said
from worker.interfaces.frameworks.openai_streams import together


def call(index: int, **fields: Any) -> dict[str, Any]:
    return {"tool_calls": [{"index": index, **fields}]}


def called(id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


TABLE: list[tuple[list[dict[str, Any]], dict[str, Any] | None]] = [
    ([], None),
    ([{"role": "assistant"}, {"content": ""}, {}], None),
    ([{"content": "a"}, {"content": None}, {"content": "b"}], {"content": "ab"}),
    ([{"refusal": "I "}, {"refusal": "won't."}], {"refusal": "I won't."}),
    (
        [
            call(0, id="c1", function={"name": "look", "arguments": "{"}),
            call(1, id="c2", function={"name": "go"}),
            call(0, function={"arguments": "}"}),
            call(1),
        ],
        {"tool_calls": [called("c1", "look", "{}"), called("c2", "go", "")]},
    ),
]


@pytest.mark.parametrize(("deltas", "message"), TABLE)
def test_pieces_make_the_message_of_a_whole_answer(
    deltas: list[dict[str, Any]], message: dict[str, Any] | None
) -> None:
    made = together([ChoiceDelta.model_validate(one) for one in deltas])

    assert made == (message and {"role": "assistant", **message})


PIECES = st.lists(st.text(max_size=5), max_size=4)


@given(PIECES, PIECES, st.lists(st.tuples(st.text(min_size=1, max_size=5), PIECES), max_size=3))
def test_however_it_is_cut_a_stream_is_the_same_turn_as_the_whole_answer(
    content: list[str], refusal: list[str], calls: list[tuple[str, list[str]]]
) -> None:
    deltas = [{"content": piece} for piece in content] + [{"refusal": piece} for piece in refusal]
    for index, (name, arguments) in enumerate(calls):
        deltas.append(call(index, id=str(index), function={"name": name}))
        deltas += [call(index, function={"arguments": piece}) for piece in arguments]
    whole = ChatCompletionMessage.model_validate(
        {
            "role": "assistant",
            "content": "".join(content),
            "refusal": "".join(refusal),
            "tool_calls": [
                called(str(index), name, "".join(arguments))
                for index, (name, arguments) in enumerate(calls)
            ],
        }
    )

    made = together([ChoiceDelta.model_validate(one) for one in deltas])

    assert said(made or {"role": "assistant"}, {}) == said(whole.model_dump(), {})
