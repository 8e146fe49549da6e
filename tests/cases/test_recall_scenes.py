"""What a chat agent is told when it asks: on both stores, with given similarities."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from schemas.memory import Memory, MemoryRecord
from schemas.scope import Scope
from tests.build import memory, uid
from tests.hold import HELD
from tests.similarity import GivenSimilarities
from worker.core.ports import Store
from worker.core.recalling.answer import Answer
from worker.core.recalling.ask import Ask
from worker.recall import recall

NOW = datetime(2026, 7, 1, tzinfo=UTC)
Near = Mapping[str, tuple[str, float]]
Tell = Callable[[Near, Sequence[Memory], Ask], Answer]


@pytest.fixture
def tell(store: Store, scope: Scope) -> Tell:
    """Put these memories into the store and ask."""

    def told(near: Near, known: Sequence[Memory], ask: Ask) -> Answer:
        embedder = GivenSimilarities(near)
        known = [one.model_copy(update={"scope": scope}) for one in known]
        vectors = embedder.embed([one.text for one in known])
        writer = store.writer(scope, HELD)
        writer.prepare()
        writer.put_memories(
            [MemoryRecord(memory=m, vector=v) for m, v in zip(known, vectors, strict=True)]
        )
        return recall(store, embedder, scope, ask, NOW)

    return told


def texts(found: Answer) -> list[str]:
    return [one.memory.text for one in found.items]


OLD = "The new service is written in TypeScript"
LANGUAGE = "Which language is the new service written in?"
IN_JANUARY_2025, IN_JUNE_2026 = datetime(2025, 1, 9, tzinfo=UTC), datetime(2026, 6, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("new", "fields"),
    [
        ("The new service was moved to Go", {"links": (uid(OLD),)}),
        ("The new service is written in Go", {"volatile": True}),
    ],
    ids=["beside each other", "that fade"],
)
def test_of_two_values_the_newer_does_not_lose_to_one_that_is_worded_like_the_question(
    tell: Tell, new: str, fields: dict[str, Any]
) -> None:
    near = {LANGUAGE: (OLD, 0.9), new: (OLD, 0.95)}
    others = [memory(f"Something else {n}") for n in range(12)]
    known = [
        memory(OLD, said_at=IN_JANUARY_2025, volatile="volatile" in fields),
        memory(new, said_at=IN_JUNE_2026, **fields),
        *others,
    ]

    assert texts(tell(near, known, Ask((LANGUAGE,), limit=2))) == [new, OLD]


FULL, TORN = "ERR_MEM_4412 means the memory is full", "ERR_MEM_4413 means the memory is torn"


@pytest.mark.parametrize("fusion", ["weighted", "rrf"])
def test_one_code_is_not_answered_with_the_next(tell: Tell, fusion: Any) -> None:
    query = "What does ERR_MEM_4412 mean?"
    near = {FULL: (TORN, 0.9), query: (TORN, 0.95)}

    found = tell(near, [memory(FULL), memory(TORN)], Ask((query,), fusion=fusion))
    assert texts(found) == [FULL]
    assert [(one.memory.text, one.stage) for one in found.left_out] == [(TORN, "code")]


def test_a_code_that_nobody_knows_is_answered_with_what_there_is(tell: Tell) -> None:
    query = "What does ERR_MEM_4412 mean?"

    assert texts(tell({query: (TORN, 0.95)}, [memory(TORN)], Ask((query,)))) == [TORN]


DARK, DARK_TOO = "Prefers dark mode", "Prefers dark mode."


def test_a_question_is_answered_once_and_not_with_what_is_about_other_things(tell: Tell) -> None:
    query = "Which theme shall the editor have?"
    near = {DARK_TOO: (DARK, 0.9995), query: (DARK, 0.8)}
    known = [memory(DARK), memory(DARK_TOO), memory("Lives in Lisbon"), memory("Is off on Fridays")]

    found = tell(near, known, Ask((query,), floor=0.5))
    assert len(found.items) == 1
    assert {*texts(found)} < {DARK, DARK_TOO}
    assert sorted(one.stage for one in found.left_out) == ["copy", "floor", "floor"]


def test_chunks_of_one_document_do_not_fill_the_page_and_the_page_is_filled(tell: Tell) -> None:
    query = "How is leave applied for?"
    chunks = [
        memory(f"Chapter {word} of the handbook tells of leave", metadata={"document": "handbook"})
        for word in ("one", "two", "three", "four", "five", "six")
    ]
    mail = memory("Ann was told by mail to ask Ben", metadata={"document": "mail"})
    note = memory("Ben is away in May")
    near = {
        **{one.text: (query, 0.9 - n / 100) for n, one in enumerate(chunks)},
        mail.text: (query, 0.6),
        note.text: (query, 0.55),
    }
    known = [*chunks, mail, note]

    plain = tell(near, known, Ask((query,), limit=4, mmr=None))
    assert set(texts(plain)) <= {one.text for one in chunks}
    by_document = tell(near, known, Ask((query,), limit=4, mmr=None, group_by="document"))
    assert {mail.text, note.text} < set(texts(by_document))
    assert len(by_document.items) == 4


def test_a_correction_is_not_swallowed_as_a_copy_of_what_it_corrects(tell: Tell) -> None:
    old, new = "The gate code is 1234", "The gate code is 1299"
    query = "What is the code of the gate?"
    near = {new: (old, 0.9999), query: (old, 0.9)}

    found = tell(near, [memory(old), memory(new, links=(uid(old),))], Ask((query,)))
    assert set(texts(found)) == {old, new}


def test_what_was_said_in_ten_turns_is_one_answer_to_three_questions(tell: Tell) -> None:
    known = memory("Plays the viola", turn_ids=tuple(uid(f"t{n}") for n in range(10)))
    queries = ("What does she play?", "Does she play the viola?", "Is she musical?")

    found = tell(dict.fromkeys(queries, (known.text, 0.8)), [known], Ask(queries))
    assert texts(found) == ["Plays the viola"]
