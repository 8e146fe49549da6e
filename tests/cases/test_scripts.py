"""Facts in every script."""

import unicodedata

from schemas.scope import Scope
from tests.cases.talk import AtDesk, Talk, found
from tests.desk import scripted

DOGS = "犬を三匹飼っています"
CHOIR = "Meets the choir at Bar Müller"
SAID = (DOGS, "早起きです", "Живу в Томске", "우유를 못 마셔요", "Likes 🍇", "Likes 🥝")
ENGLISH = "Has three dogs"


def test_no_fact_of_any_script_passes_for_another(at_desk: AtDesk, scope: Scope) -> None:
    """The same thing said in another language stands beside, linked and flagged: no words keep what both say."""
    table = at_desk(scope, {ENGLISH: (DOGS, 0.8)})
    decomposed = unicodedata.normalize("NFD", CHOIR)
    talk = Talk(
        {text: [found(text)] for text in (*SAID, CHOIR, decomposed)}
        | {"I have three dogs.": [found(ENGLISH)]},
        relations={(ENGLISH, DOGS): "same"},
    )
    with scripted(table, talk):
        for at, text in enumerate((*SAID, CHOIR, decomposed)):
            table.say(text, f"2026-03-01T09:0{at}:00Z", id=f"e{at}")
            table.settle()
        live = table.live()
        assert set(live) == {*SAID, CHOIR}
        assert len({memory.id for memory in live.values()}) == 7
        assert live[CHOIR].confirmations == 2

        table.say("I have three dogs.", "2026-03-02T09:00:00Z")
        table.settle()

    beside = table.live().pop(ENGLISH)
    assert {text: table.live()[text].id for text in live} == {t: m.id for t, m in live.items()}
    assert beside.links == (live[DOGS].id,)
    assert beside.flagged
