from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.messages import Said, said, tools_of

CALL = {
    "id": "c1",
    "type": "function",
    "function": {"name": "weather", "arguments": '{"city": "Os'},
}
CUSTOM = {"id": "c2", "type": "custom", "custom": {"name": "shell", "input": "ls -la"}}


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": "Hi"}, "Hi"),
        ({"content": None}, ""),
        ({}, ""),
        ({"content": []}, ""),
        (
            {"content": [{"type": "text", "text": "One"}, {"type": "text", "text": "Two"}]},
            "One\nTwo",
        ),
        ({"content": ["bare", {"type": "refusal", "refusal": "I cannot."}]}, "bare\nI cannot."),
        ({"content": [{"type": "image_url", "image_url": {"url": "data:..."}}]}, "[image]"),
        ({"content": [{"type": "input_audio", "input_audio": {"data": "UklGR"}}]}, "[audio]"),
        ({"content": [{"type": "file", "file": {"filename": "tax.pdf"}}]}, "[file tax.pdf]"),
        ({"content": [{"type": "file", "file": {"file_data": "JVBERi"}}]}, "[file]"),
        ({"content": [{"type": "hologram", "data": "xx"}, {"text": "Hi"}]}, "[hologram]\nHi"),
        ({"content": [{}, None, 7]}, "[part]\nnull\n7"),
        ({"content": [{"type": "output_text", "text": "From another API"}]}, "From another API"),
        ({"content": None, "refusal": "No."}, "No."),
        ({"content": None, "audio": {"id": "a", "transcript": "Hello there"}}, "Hello there"),
        ({"content": None, "tool_calls": [CALL]}, '[calls weather: {"city": "Os]'),
        ({"content": "Wait", "tool_calls": [CUSTOM]}, "Wait\n[calls shell: ls -la]"),
        ({"function_call": {"name": "old", "arguments": "{}"}}, "[calls old: {}]"),
        ({"tool_calls": [{"id": "x"}, "junk", None]}, "[calls a tool]"),
        ({"tool_calls": "junk", "function_call": "junk", "content": "Hi"}, "Hi"),
    ],
)
def test_every_shape_becomes_text(message: dict[str, Any], text: str) -> None:
    assert said({"role": "user", **message}, {}) == Said("user", None, text)


def test_a_name_is_the_speaker() -> None:
    assert said({"role": "user", "name": "Bob", "content": "Hi"}, {}).speaker == "Bob"


def test_a_tool_s_answer_is_spoken_by_the_tool_that_was_called() -> None:
    tools = tools_of({"role": "assistant", "tool_calls": [CALL, CUSTOM]})
    answer = {"role": "tool", "tool_call_id": "c2", "content": "total 4"}

    assert tools == {"c1": "weather", "c2": "shell"}
    assert said(answer, tools) == Said("tool", "shell", "total 4")
    assert said({**answer, "tool_call_id": "c9"}, tools).speaker is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
FIELDS = (
    "role",
    "content",
    "name",
    "tool_calls",
    "tool_call_id",
    "function_call",
    "refusal",
    "audio",
)


@settings(max_examples=40)
@given(st.dictionaries(st.sampled_from(FIELDS), JSON))
def test_no_message_raises(message: dict[str, Any]) -> None:
    said(message, tools_of(message))


@given(st.lists(st.text(min_size=1).filter(str.strip)))
def test_no_text_is_lost(texts: list[str]) -> None:
    parts = [{"type": "text", "text": text} for text in texts]

    assert said({"role": "user", "content": parts}, {}).text == "\n".join(texts)
