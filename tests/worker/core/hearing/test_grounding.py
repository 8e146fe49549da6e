"""Which facts their turns do not support."""

import pytest

from tests.build import turn
from worker.core.hearing.grounding import unsupported
from worker.core.hearing.heard import Heard
from worker.core.hearing.hearing import heard_in

HIDDEN = "only recalled, quoted or forwarded text says it"


def reason(said: str, text: str) -> str | None:
    heard = heard_in([turn("t1", said)])
    return unsupported(text, heard.turns, heard)


@pytest.mark.parametrize(
    "said, text",
    [
        ("<recalled>Lives in Utrecht</recalled> Is it warm in Utrecht?", "Lives in Utrecht"),
        ("This setting broke it:\n```\nretries = 7\n```", "The setting retries = 7 broke it"),
        ('Shorten the mail: "Hi. I am Zoltan. Bye."', "The mail is from old Zoltan"),
        ("[msg 55102 from +47 900 00 000] I start on Monday", "Message 55102: starts on Monday"),
        ("> I love tea\nMe too", "Tea lover"),
    ],
)
def test_what_the_model_was_not_shown_supports_nothing(said: str, text: str) -> None:
    assert reason(said, text) == HIDDEN


@pytest.mark.parametrize(
    "said, text",
    [
        ("<recalled>Lives in Utrecht</recalled> I moved to Delft", "Lives in Delft"),
        ("<recalled>Plays the oboe</recalled> I still play the oboe", "Plays the oboe"),
        ('"Hi. I am Bo. Bye." is how my son Bo ends each mail', "Son Bo ends each mail so"),
        ("```\nretries = 7\n```\nI set it to 9 in the end", "Set it to 9"),
        ("[msg 7 from +47 900 00 000] I start on Monday", "Starts on Monday 2026-06-01"),
    ],
)
def test_own_words_beside_what_was_cut_support_what_they_say(said: str, text: str) -> None:
    assert reason(said, text) is None


@pytest.mark.parametrize(
    "said, text",
    [
        ("毎晩お茶を飲みます", "ユーザーは毎晩お茶を飲む"),
        ("我每天早上跑步", "用户每天晨跑"),
        ("고양이 두 마리를 키워요", "사용자는 고양이를 키운다"),
        ("ฉันชอบกาแฟ", "ผู้ใช้ชอบกาแฟ"),
        ("I can't stand aubergine", "Dislikes eggplant"),
    ],
)
def test_a_paraphrase_is_supported_with_and_without_spaces(said: str, text: str) -> None:
    assert reason(said, text) is None


def test_a_name_from_the_conversation_is_no_invention() -> None:
    before = turn("t0", "Shall I note Hallgren as the teacher?", role="assistant")
    heard = Heard((turn("t1", "Yes!"),), (before,))

    assert unsupported("Teacher: the old Hallgren", heard.turns, heard) is None
    assert unsupported("Teacher: the old Lindqvist", heard.turns, heard) == "names what nobody said"
