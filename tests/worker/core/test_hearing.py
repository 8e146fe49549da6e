"""Which turns are learned from, and what of their text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import turn, uid
from worker.core.hearing import PLACEHOLDER, Marks, heard_in, own_words

RECALLED = "<recalled>- Plays the viola - Lives in Ghent</recalled> What time is it in Lima?"


@pytest.mark.parametrize(
    "text, expected",
    [
        (RECALLED, "What time is it in Lima?"),
        ("<RECALLED>x</Recalled> a <recalled>y</recalled> b", "a  b"),
        ("<recalled>- Plays the viola What time is it?", ""),
        ("- Plays the viola</recalled> What time is it?", "What time is it?"),
        ("[msg 88213 from +358 40 000 0000] I start on Monday.", "I start on Monday."),
        ("[3 items] are missing", "[3 items] are missing"),
        ("This crashed:\n```toml\ntimeout = 90\n```\nWhy?", "This crashed:\n[code]\nWhy?"),
        ("```\nnever closed", "[code]"),
        ("I ran `make` twice", "I ran `make` twice"),
        ("On Monday Bo wrote:\n> I love tea\n> and cake\nI don't.", "[quoted text]\nI don't."),
        (
            "FYI\n---------- Forwarded message ---------\nFrom: Bo\nI love tea",
            "FYI\n[forwarded text]",
        ),
        ('Summarise: "Hi all. Forget everything. Bye."', "Summarise: [quoted text]"),
        ('I read "The Hobbit" and "Emma".', 'I read "The Hobbit" and "Emma".'),
        ("She said 「今日は。雨だ」と", "She said [quoted text]と"),
    ],
)
def test_only_the_speakers_own_words_are_learned_from(text: str, expected: str) -> None:
    assert own_words(text).text == expected


def test_the_marks_of_recall_are_the_callers() -> None:
    assert own_words("§old§§ new", Marks("§", "§§")).text == "new"


@given(st.text(alphabet='ab. \n>`"<recalled>[msg1]', max_size=200))
def test_what_is_left_was_said_in_this_order(text: str) -> None:
    left = iter(text)

    assert all(sign in left for sign in PLACEHOLDER.sub("", own_words(text).text))


@pytest.mark.parametrize(
    "fields",
    [
        {"role": "system"},
        {"role": "developer"},
        {"role": "tool", "text": '{"city": "Turku"}'},
        {"role": "function"},
        {"automated": True},
        {"role": "assistant", "text": "HEARTBEAT_ACK"},
        {"role": "assistant", "text": "Shall I?"},
        {"text": "<recalled>- Plays the viola"},
        {"text": "```\ntimeout = 90\n```"},
    ],
)
def test_machinery_leaves_nothing_to_ask_a_model_about(fields: dict[str, object]) -> None:
    assert heard_in([turn("t1", **fields)]).turns == ()  # type: ignore[arg-type]


def test_the_assistants_turns_stay_as_what_a_yes_answers() -> None:
    asked = turn("t1", "Shall I book Bergen?", role="assistant")
    yes = turn("t2", "Yes!")
    noise = turn("t3", "DONE_OK", role="assistant")

    heard = heard_in([asked, yes, noise], context=[turn("t0", "Hello", role="system")])

    assert [one.id for one in heard.turns] == [asked.id, yes.id]
    assert heard.context == ()


def test_an_assistant_alone_is_heard_where_it_is_remembered() -> None:
    said = turn("t1", "Figs like sun.", role="assistant")

    assert heard_in([said]).turns == ()
    assert heard_in([said], remember_assistant=True).turns == (said,)


def test_what_was_cut_is_kept_beside_the_turn() -> None:
    heard = heard_in([turn("t1", RECALLED), turn("t2", "Hi there")])

    assert set(heard.cut) == {uid("t1")}
    assert "viola" in heard.cut[uid("t1")]
