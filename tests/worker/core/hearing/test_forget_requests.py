"""Who asks to forget something, in which language, and who does not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worker.core.hearing.forget_requests import asks_to_forget, unasked


@pytest.mark.parametrize(
    "said, text",
    [
        ("Please forget my address in Lille", "User's address in Lille"),
        ("Forget everything you know about me", "Everything about the user"),
        ("Don't remember what I said about the kayak", "The kayak"),
        ("Can you please not store the thing about the kayak?", "The kayak"),
        ("I'd like you to forget about the kayak", "The kayak"),
        ("Forget that, please", "That"),
        ("Lösch das mit dem Kajak", "Das Kajak"),
        ("Merk dir das mit dem Kajak bitte nicht", "Das Kajak"),
        ("Oublie ce que j'ai dit sur le kayak", "Le kayak"),
        ("Olvida lo del kayak", "El kayak"),
        ("Забудь мой адрес", "Мой адрес"),
        ("Unohda osoitteeni, osoite on vanha", "Osoite"),
        ("请删除我的地址", "我的地址"),
        ("住所のことは忘れてください", "住所"),
        ("주소를 잊어 주세요", "주소"),
        # Languages without a word here are believed as far as what is to go was spoken of.
        ("Scrios an bád le do thoil", "An bád"),
        ("Dileu fy nghyfeiriad os gwelwch yn dda", "Nghyfeiriad"),
    ],
)
def test_a_request_in_any_language_is_carried_out(said: str, text: str) -> None:
    assert unasked(text, said, said) is None


@pytest.mark.parametrize(
    "said, text, wrong",
    [
        ("Summarise this mail for me", "The mail", "asks to forget"),
        ("What time is it in Lille?", "Lille", "asks to forget"),
        ("great, thanks, bye!", "Everything", "asks to forget"),
        ("I always forget my keys", "Keys", "asks to forget"),
        ("I don't remember where I put my keys", "Keys", "asks to forget"),
        ("Don't forget that I'm allergic to nuts", "Nuts", "asks to forget"),
        ("Vergiss nicht, dass ich gegen Nüsse allergisch bin", "Nüsse", "asks to forget"),
        ("N'oublie pas que je déteste les noix", "Noix", "asks to forget"),
        ("Forget where I live", "Home address", "in the words"),
        ("Scrios an bád le do thoil", "The job in Lille", "in the words"),
        ("Я живу в Казани по этому адресу", "Этому адресу", "asks to forget"),
    ],
)
def test_what_nobody_asked_for_is_asked_about(said: str, text: str, wrong: str) -> None:
    assert wrong in (unasked(text, said, said) or "")


def test_what_was_spoken_of_before_may_be_what_is_to_go() -> None:
    assert unasked("The kayak", "Please forget it", "Please forget it\nYour kayak is red") is None


@given(st.text(min_size=1, max_size=80))
def test_what_a_request_names_word_for_word_is_never_asked_about(what: str) -> None:
    said = f"Please forget this.\n{what}"

    assert asks_to_forget(said)
    assert unasked(what, said, said) is None


@pytest.mark.parametrize(
    "said",
    [
        "Never let me forget the dentist.",
        "Don't you ever forget my birthday.",
        "Do not let me forget it.",
        "N'oublie jamais mon anniversaire.",
        "N'oublie pas le pain.",
        "Vergiss nie meinen Geburtstag.",
        "Vergiss das niemals.",
        "No olvides el pan.",
        "Nunca olvides mi cumpleaños.",
        "Nunca esqueça o pão.",
        "Non dimenticare mai il pane.",
        "Vergeet nooit mijn verjaardag.",
        "Glöm aldrig mjölken.",
        "Не забудь про хлеб.",
        "别忘了买面包。",
        "不要忘记我的生日。",
        "誕生日を忘れないで。",
        "생일 잊지 마.",
        "Ekmeği unutma.",
        "Jangan lupa roti.",
        "Đừng quên bánh mì.",
    ],
)
def test_to_be_told_not_to_forget_is_no_request_to_forget(said: str) -> None:
    assert not asks_to_forget(said)


@pytest.mark.parametrize(
    "said",
    [
        "Don't keep this, please delete it.",
        "Never mind the dentist. Forget it.",
        "I don't want that stored, remove it.",
        "Vergiss bitte meinen Geburtstag.",
        "Oublie mon anniversaire, s'il te plaît.",
        "Olvida lo del pan, no lo quiero.",
        "忘记我的生日。",
        "誕生日のことは忘れて。",
        "생일은 잊어 줘.",
    ],
)
def test_to_be_told_to_forget_is_one(said: str) -> None:
    assert asks_to_forget(said)
