"""What an update has to carry over: every detail that still holds, and what callers attached."""

from typing import Any

from schemas.scope import Scope
from tests.cases.talk import AtDesk, found
from tests.cases.verdicts import Judge, Thing
from tests.desk import Desk, scripted

BAKES = (
    "Bakes rye bread every Saturday with a nine-year-old starter called Otto while listening to"
    " Finnish radio"
)
SISTER = "Bakes at a sister's place on Sundays in February 2026 because the oven broke"
RICH = (
    "In February 2026 bakes rye bread on Sundays at a sister's place because the oven broke, with"
    " a nine-year-old starter called Otto while listening to Finnish radio; before that every Saturday"
)
FACTS = {
    "Every Saturday I bake rye bread.": [found(BAKES, attribute="baking")],
    "My oven broke; this month I bake at my sister's on Sundays.": [
        found(SISTER, attribute="baking", happened_at="2026-02")
    ],
}


def baked(table: Desk, text: str) -> dict[str, int]:
    thing = Thing((SISTER, BAKES), "update", text)
    first, second = FACTS
    with scripted(table, Judge(FACTS, [thing])) as model:
        table.say(first, "2025-11-02T11:00:00Z", metadata={"ticket": "K-17"})
        table.settle()
        table.say(second, "2026-02-14T11:00:00Z", metadata={"mood": "sour"})
        table.settle()
        return dict(model.calls)


def test_a_rewrite_keeps_details_metadata_and_birth(at_desk: AtDesk, scope: Scope) -> None:
    table = at_desk(scope)
    baked(table, RICH)

    (memory,) = table.live().values()
    (archive,) = table.archives()
    assert (memory.text, memory.version) == (RICH, 2)
    assert memory.metadata == {"ticket": "K-17"} | memory.metadata
    assert memory.created_at == archive.memory.created_at
    assert (archive.memory.text, archive.memory.metadata) == (BAKES, {"ticket": "K-17"})
    assert (archive.replaced_by, archive.why) == (memory.id, "as scripted")
    (record,) = table.parts.store.memories(scope)
    assert record.vector == table.parts.embedder.embed([RICH])[0]


def test_a_rewrite_that_loses_a_detail_is_refused_and_both_stay_linked(
    at_desk: AtDesk, scope: Scope
) -> None:
    table = at_desk(scope)
    calls = baked(table, SISTER)

    live = table.live()
    assert set(live) == {BAKES, SISTER}
    assert live[SISTER].links == (live[BAKES].id,)
    assert live[SISTER].flagged
    assert table.archives() == []
    assert calls["batchwise"] == 3


def test_five_updates_in_a_row_keep_the_first_details(at_desk: AtDesk, scope: Scope) -> None:
    table = at_desk(scope)
    places = ["Rome", "Bern", "Oslo", "Turku", "Ghent"]
    base = "Sings the alto part in the Tallis choir, founded in 1987"
    texts = [base, *(f"{base}, and rehearses in {place}" for place in places)]
    facts: dict[str, Any] = {"I sing.": [found(base, attribute="choir")]}
    things = []
    for at, place in enumerate(places, start=1):
        said = f"The choir rehearses in {place} now"
        facts[f"We moved to {place}."] = [found(said, attribute="choir")]
        drops = (f"rehearses in {places[at - 2]}",) if at > 1 else ()
        things.append(Thing((said, texts[at - 1]), "update", texts[at], drops))
    with scripted(table, Judge(facts, things)):
        for month, text in enumerate(facts, start=1):
            table.say(text, f"2026-{month:02}-03T10:00:00Z")
            table.settle()

    (memory,) = table.live().values()
    assert (memory.text, memory.version) == (texts[-1], 6)
    assert [one.memory.text for one in table.archives()] == texts[:-1]
