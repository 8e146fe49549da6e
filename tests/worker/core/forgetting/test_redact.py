import pytest

from tests.build import fact
from worker.core.forgetting.redact import Redacting, Redaction, RedactReply
from worker.core.forgetting.topics import of_query
from worker.core.step import BadReply, Doubtful

TEXTS = {
    "Sails on Sundays and has had gout since 2019": ("gout", "Sails on Sundays"),
    "Hat Gicht und segelt sonntags": ("Gicht", "Segelt sonntags"),
    "Tiene gota y no come carne": ("gota", "No come carne"),
    "Страдает подагрой и ходит под парусом": ("подагра", "Ходит под парусом"),
    "得了痛风，每周日去划船": ("痛风", "每周日去划船"),
    "痛風がある。日曜は釣りに行く": ("痛風", "日曜は釣りに行く"),
}


def read(text: str, query: str, reply: str | None) -> str | None:
    item = Redaction(fact(text), of_query(query))
    (prompt,) = Redacting().ask(item)
    assert prompt.document == {"text": text, "forget": query}
    return Redacting().read(item, [RedactReply(text=reply)])


@pytest.mark.parametrize(("text", "query", "left"), [(t, *rest) for t, rest in TEXTS.items()])
def test_what_remains_stands(text: str, query: str, left: str) -> None:
    assert read(text, query, left) == left


@pytest.mark.parametrize(("text", "query", "left"), [(t, *rest) for t, rest in TEXTS.items()])
def test_what_still_tells_is_refused(text: str, query: str, left: str) -> None:
    with pytest.raises(BadReply) as refused:
        read(text, query, text)

    assert query in refused.value.told
    assert query not in str(refused.value)


@pytest.mark.parametrize(
    "reply",
    [
        "Sails on Sundays with Marjolein",
        "Sails on Sundays since 2018",
        "Sails on Sundays despite an illness",
        "Never sails on Sundays",
    ],
)
def test_nothing_is_added_or_turned_round(reply: str) -> None:
    with pytest.raises(BadReply) as refused:
        read("Sails on Sundays and has had gout since 2019", "gout", reply)

    assert not isinstance(refused.value, Doubtful)


@pytest.mark.parametrize(
    ("reply", "stands"), [("", None), (None, None), ("-", None), ("Bakes", "Bakes")]
)
def test_a_loss_that_nobody_asked_for_is_asked_about_once_and_then_stands(
    reply: str | None, stands: str | None
) -> None:
    with pytest.raises(Doubtful, match="more may be gone") as doubt:
        read("Bakes, sails on Sundays, was in Ghent with gout", "gout in Ghent", reply)

    assert doubt.value.stands == stands
    assert "sails on Sundays" in doubt.value.told
    assert "Ghent" not in doubt.value.told


def test_nothing_may_remain_of_what_says_nothing_else() -> None:
    assert read("Has had gout since 2019", "gout", "") is None
