"""Which turns are learned from, and what of their text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.build import turn, uid
from worker.core.hearing.hearing import PLACEHOLDER, Own, heard_in, own_words
from worker.core.hearing.marks import Marks

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
        ('彼は"今日は。雨だ。はい。"と', "彼は[quoted text]と"),
        ("Bo: „Hallo alle. Ich mag Tee. Ade.“ Ich nicht.", "Bo: [quoted text] Ich nicht."),
        ('Title:"Hi all. I am Bo." Nice?', "Title:[quoted text] Nice?"),
        (
            "FYI\nFrom: Bo <bo@example.org>\nSubject: tea\n\nI love tea",
            "FYI\n[forwarded text]",
        ),
        (
            "FYI\nFrom: Bo Smith\nSent: Monday\nTo: Ann\nSubject: tea\n\nI love tea",
            "FYI\n[forwarded text]",
        ),
        ("From: Bo\nDate: 3 May\nTo: Ann\nSubject: tea\nI love tea", "[forwarded text]"),
    ],
)
def test_only_the_speakers_own_words_are_learned_from(text: str, expected: str) -> None:
    assert own_words(text).text == expected


@pytest.mark.parametrize(
    "text",
    [
        'My TV is 55" wide. I moved to Oslo in May. My desk is 60" wide.',
        'My TV is 55 " wide. I moved to Oslo in May. My desk is 60 " wide.',
        "Bo is 6'1\" tall. I moved to Oslo in May. I am 5'2\" tall.",
        'The end is near". I moved to Oslo in May. It is far".',
        "From: Berlin\nTo: Paris\nI am moving in May.",
        "From: Berlin\nTo: Paris\nDate: Friday\nI am moving in May.",
        "From: me@example.org\nI am moving in May.",
        "I am from: Oslo\nto: Bergen is where I go.",
    ],
)
def test_own_words_that_look_like_a_quotation_or_a_mail_stay(text: str) -> None:
    assert own_words(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "„" * 20_000,
        "“" * 20_000,
        "«" * 20_000,
        "「" * 20_000,
        '"' * 20_001,
        "from: " + "a@" * 9_000,
    ],
)
def test_marks_without_end_cut_nothing(text: str) -> None:
    assert own_words(text) == Own(text)


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
