"""The JSON in what a model wrote, and the schema that it was asked for."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import candidacy, fact, record, turn
from worker.adapters.reply import IN_VAIN, _values, as_far_as_it_goes, document, parsed, schema_of
from worker.core.hearing.extract import Extraction
from worker.core.hearing.extraction_reply import ExtractionReply
from worker.core.hearing.heard import Heard
from worker.core.judging.judge import ListJudge
from worker.core.step import BadReply

(EXTRACTION,) = Extraction().ask(Heard((turn(),)))
(BATCHWISE,) = ListJudge(5).ask(candidacy([fact("a")], [record("b")]))

BOTH = (
    '{"facts": [{"text": "Plays the viola", "turns": ["t1"]}, {"text": "Rehearses on Thursdays"}]}'
)


@pytest.mark.parametrize(
    "content",
    [
        BOTH,
        f"```json\n{BOTH}\n```\nThat is all.",
        f"Sure, here you go: {BOTH} Hope that helps!",
        f'<think>maybe {{"facts": ["Plays the cello"]}}</think>{BOTH}',
        f'maybe {{"facts": ["Plays the cello"]}}</think>{BOTH}',
        f"As in [1] and {{so on}}: {BOTH}",
        f"{BOTH}\n\nNothing else: []",
        '["Plays the viola", "Rehearses on Thursdays"]',
    ],
)
def test_the_answer_is_found_in_what_is_around_it(content: str) -> None:
    reply = parsed(content, EXTRACTION)

    assert isinstance(reply, ExtractionReply)
    assert [one.text for one in reply.facts] == ["Plays the viola", "Rehearses on Thursdays"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "   ",
        "I cannot help with that.",
        BOTH[:-20],
        f"Here: {BOTH[:-20]}",
        BOTH.replace('"', "'"),
        '{"memories": [{"content": "Plays the viola"}]}',
        "<think>" + BOTH,
        "[" * 100_000,
        '{"a":' * 100_000,
        '{"facts": ' + "9" * 5_000 + "}",
    ],
)
def test_what_cannot_be_read_is_a_bad_reply_and_never_nothing_found(content: str) -> None:
    with pytest.raises(BadReply):
        parsed(content, EXTRACTION)


@given(st.text(alphabet='{}[]":,a1 \n`<think></think>\\', max_size=80))
def test_any_text_is_a_value_or_a_bad_reply(content: str) -> None:
    try:
        found = document(content)
    except BadReply:
        return

    assert isinstance(found, dict | list)


#: Pieces of replies: JSON, prose with brackets, and what looks like either.
VALUES = '[]|{}|[1, 2]|[-1]|[true]|[ false ]|[null]|[NaN]|[Infinity]|[[1]]|["a"]|[{}]|{"a": 1}|{ "a": [] }'
PROSE = '[1 of 3]|{so on}|{{|[2026-05-01]|"\\"{"|true|null|NaN'
PIECES = st.sampled_from([*'{}[]:,"x1- \n', *VALUES.split("|"), *PROSE.split("|"), BOTH])


def tried_everywhere(text: str) -> list[Any]:
    """The same search without a short cut: JSON is tried at every bracket."""
    found: list[Any] = []
    at = 0
    while at < len(text):
        try:
            value, at = json.JSONDecoder().raw_decode(text, at) if text[at] in "{[" else (None, at)
        except ValueError:
            if re.match(r'[{\[]\s*["{\[]', text[at:]):
                return found
        else:
            if value is not None:
                found.append(value)
                continue
        at += 1
    return found


@given(st.lists(PIECES, max_size=30).map("".join))
def test_no_short_cut_finds_anything_else(content: str) -> None:
    assert repr(list(_values(content))) == repr(tried_everywhere(content))


@pytest.mark.parametrize("piece", ["{a", "[1 ", "[true ", "[1,", '{"a":[', "{ ", "[-"])
def test_a_text_that_fails_everywhere_is_read_a_few_times_and_no_more(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []

    class Counting(json.JSONDecoder):
        def raw_decode(self, s: str, idx: int = 0) -> tuple[Any, int]:
            read.append(len(s))
            return super().raw_decode(s, idx)

    monkeypatch.setattr("worker.adapters.reply.DECODER", Counting())
    content = piece * 200_000

    with pytest.raises(BadReply):
        document(content)

    assert sum(read) <= IN_VAIN + len(content)


@pytest.mark.parametrize(
    "content",
    [
        '{"\\ud800": []}',
        '{"facts": {"\\ud800": 1}}',
        '{"facts": [{"text": "\\ud800"}]}',
        '{"facts": [{"text": 1e999}]}',
        '{"facts": [{"text": "\\u0000"}]}',
    ],
)
def test_what_json_can_carry_and_nothing_else_can_is_a_bad_reply(content: str) -> None:
    with pytest.raises(BadReply) as caught:
        parsed(content, EXTRACTION)

    caught.value.told.encode()


def objects(node: Any) -> list[dict[str, Any]]:
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    here = [node] if isinstance(node, dict) and node.get("type") == "object" else []
    return here + [one for value in inner for one in objects(value)]


@pytest.mark.parametrize("prompt", [EXTRACTION, BATCHWISE], ids=["extraction", "batchwise"])
def test_a_schema_is_as_strict_endpoints_want_it(prompt: Any) -> None:
    found = objects(schema_of(prompt))

    assert found
    for one in found:
        assert one["additionalProperties"] is False
        assert one["required"] == list(one["properties"])
        assert all("default" not in field for field in one["properties"].values())


def test_the_most_members_are_in_the_schema_of_a_group() -> None:
    (group,) = [one for one in objects(schema_of(BATCHWISE)) if "members" in one["properties"]]

    assert group["properties"]["members"]["maxItems"] == 5
    assert next(iter(group["properties"])) == "why"


@pytest.mark.parametrize(
    "content, texts",
    [
        ('{"facts": [{"text": "a", "turns": ["t1"]}, {"text": "b", "tu', ["a"]),
        ('{"facts": [{"text": "a", "turns": ["t1"]}, {"text": "b c', ["a"]),
        ('{"facts": [{"text": "a", "turns": ["t1"]},', ["a"]),
        ('{"facts": [{"text": "a", "turns": ["t1"]}', ["a"]),
        ('<think>{"facts": [{"text": "x"}</think>{"facts": [{"text": "a"}, {', ["a"]),
        ('{"facts": [', []),
    ],
)
def test_a_reply_that_breaks_off_says_what_was_complete(content: str, texts: list[str]) -> None:
    part = as_far_as_it_goes(content, EXTRACTION)

    assert isinstance(part, ExtractionReply)
    assert [one.text for one in part.facts] == texts


@pytest.mark.parametrize(
    "content", ["", "Sorry, no.", '{"fac', '{"memories": [{"text": "a"}, {"te', "[" * 10_000]
)
def test_a_reply_that_says_nothing_before_it_breaks_off_is_none(content: str) -> None:
    assert as_far_as_it_goes(content, EXTRACTION) is None
