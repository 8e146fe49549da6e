"""What extraction is shown of the memory where no judge compares."""

from tests.build import NOW, at, record, turn, uid, vector
from worker.core.hearing.known import LONGEST, SENTENCES, TOKENS, known, known_queries, sayings
from worker.core.ports import Nominated, Nominations


def test_people_are_looked_up_sentence_by_sentence() -> None:
    turns = [turn("t1", "Moved to Ghent. Sold the Saab!"), turn("t2", "Noted!", role="assistant")]

    assert sayings(turns) == ["Moved to Ghent", "Sold the Saab!"]


def test_a_long_batch_is_looked_up_within_bounds() -> None:
    said = sayings([turn(text="\n".join(["x" * 900] * 100))])

    assert (len(said), max(map(len, said))) == (SENTENCES, LONGEST)


def test_a_saying_is_looked_up_by_meaning_words_and_codes_about_anybody() -> None:
    (query,) = known_queries(["Fixed ERR_4412"], [vector("v")])

    assert query.identifiers == ("err_4412",)
    assert "err_4412" in query.terms
    assert (query.subject, query.slot) == (None, None)


def test_the_nearest_are_shown_first_as_they_stand_now() -> None:
    tea = record("Drinks tea")
    lapsed = record("On holiday", until=at(-1))
    again = record("Drinks Americano", until=at(-1), after="Drinks pour-over")
    near = Nominated(by_vector=(uid("Drinks tea"), uid("On holiday")))
    both = Nominated(by_vector=(uid("Drinks Americano"),), by_words=(uid("Drinks tea"),))
    records = {one.memory.id: one for one in (tea, lapsed, again)}

    assert known(Nominations((near, both), records), NOW) == ("Drinks tea", "Drinks pour-over")


def test_no_more_is_shown_than_there_is_room_for() -> None:
    records = [record(f"memory {n}") for n in range(10)]
    ids = tuple(one.memory.id for one in records)
    pool = Nominations((Nominated(by_vector=ids),), {one.memory.id: one for one in records})

    assert len(known(pool, NOW, lambda text: TOKENS // 3)) == 3
