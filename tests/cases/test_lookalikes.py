"""Alike in wording, different in fact."""

from schemas.scope import Scope
from tests.cases.talk import AtDesk, Talk, found
from tests.desk import scripted
from worker.core.recalling.ask import Ask
from worker.recall import recall

STAGING, PRODUCTION = "Staging listens on port 7443", "Production listens on port 7444"
LAMP, LID = "Code QX-118 means a worn lamp", "Code QX-181 means the lid is open"
MOVED, NOW_7445 = "Production moved to port 7445", "Production listens on port 7445"
PORTS, CODES, MOVE = (
    "Staging listens on port 7443, production on 7444.",
    "Code QX-118 means a worn lamp, QX-181 means the lid is open.",
    "Production moved to 7445.",
)


LOOKALIKES = Talk(
    facts={
        PORTS: [found(STAGING), found(PRODUCTION)],
        CODES: [found(LAMP), found(LID)],
        MOVE: [found(MOVED)],
    },
    relations={(MOVED, PRODUCTION): "update"},
    texts={MOVED: "Production moved to port 7445; before, production listens on port 7444"},
)


def test_numbers_and_codes_that_differ_stay_apart_however_alike_the_sentences(
    at_desk: AtDesk, scope: Scope
) -> None:
    near = {PRODUCTION: (STAGING, 0.97), LID: (LAMP, 0.98), MOVED: (PRODUCTION, 0.97)}
    table = at_desk(scope, near)
    with scripted(table, LOOKALIKES):
        table.say(PORTS, "2026-03-01T09:00:00Z")
        table.settle()
        table.say(CODES, "2026-03-01T09:05:00Z")
        table.settle()
        staging = table.live()[STAGING]
        assert set(table.live()) == {STAGING, PRODUCTION, LAMP, LID}

        table.say(MOVE, "2026-03-20T09:00:00Z")
        table.settle()

    assert table.live()[STAGING] == staging
    assert set(table.live()) == {STAGING, LOOKALIKES.texts[MOVED], LAMP, LID}
    assert [archive.memory.text for archive in table.archives()] == [PRODUCTION]
    told = recall(table.parts.store, table.parts.embedder, scope, Ask(("QX-181",)), table.now)
    assert told.items[0].memory.text == LID
