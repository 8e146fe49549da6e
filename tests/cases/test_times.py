"""Said, stored, happened: three times."""

from datetime import UTC, datetime

from schemas.scope import Scope
from tests.cases.talk import AtDesk, Talk, found
from tests.desk import scripted

BAKERY = "I took over the bakery last month and I sail to Malmö in ten days."
TAKEN, SAILS = "Took over the bakery in January 2024", "Sails to Malmö on 2024-03-01"
GINGER = "I like pickled ginger and I have a sweet tooth."
LIKES = "Likes pickled ginger"
EEL = "I like smoked eel and I have a boat."
LIKES_EEL = "Likes smoked eel"
TIMES = Talk(
    {
        BAKERY: [found(TAKEN, happened_at="2024-01"), found(SAILS, happened_at="2024-03-01")],
        GINGER: [found(LIKES, happened_at="2023-10-04")],
        EEL: [found(LIKES_EEL, happened_at="2023-10-04")],
    }
)


def test_relative_dates_count_from_the_day_they_were_said(at_desk: AtDesk, scope: Scope) -> None:
    table = at_desk(scope)
    with scripted(table, TIMES) as server:
        table.say(BAKERY, "2024-02-20T10:00:00Z")
        table.settle()

    assert server.documents[0]["turns"][0]["said_at"].startswith("2024-02-20")
    live = table.live()
    assert {text: memory.happened_at for text, memory in live.items()} == {
        TAKEN: "2024-01",
        SAILS: "2024-03-01",
    }
    for memory in live.values():
        assert memory.said_at == datetime(2024, 2, 20, 10, tzinfo=UTC)
        assert memory.created_at == table.now


def test_a_date_that_nobody_gave_is_not_stored(at_desk: AtDesk, scope: Scope) -> None:
    table = at_desk(scope)
    with scripted(table, TIMES):
        line = {"app": scope.app, "user": scope.user, "role": "user", "text": GINGER}
        table.producer.publish(line)
        (waiting,) = table.parts.inbox.pending(scope.key)
        table.settle()
        table.say(EEL, "2024-02-20T10:00:00Z")
        table.settle()

    assert waiting.approximate_time
    live = table.live()
    assert live[LIKES].said_at == waiting.received_at
    assert (live[LIKES].happened_at, live[LIKES_EEL].happened_at) == (None, None)
