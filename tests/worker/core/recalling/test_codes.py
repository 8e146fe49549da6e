"""Codes are exact."""

import pytest

from tests.worker.core.recalling.values import after, entry, fits, reasons
from worker.core.recalling.codes import exact
from worker.core.recalling.questions import asked

FULL = entry("ERR_MEM_4412 means the memory is full", fits(0.9))
TORN = entry("ERR_MEM_4413 means the memory is torn", fits(0.95))


def left(query: str, *entries: str) -> list[str]:
    return after(exact(asked([query]).questions), *(entry(text, fits(0.9)) for text in entries))


@pytest.mark.parametrize(
    ("query", "known", "other"),
    [
        ("What is ERR_MEM_4412?", "ERR_MEM_4412 means full", "ERR_MEM_4413 means torn"),
        ("QX-181?", "Code QX-181 is the lid", "Code QX-118 is the lamp"),
        ("order 88213-A", "Order 88213-A is paid", "Order 88213-B is paid"),
        ("错误 err_4412 是什么", "err_4412 表示满", "err_4413 表示坏"),
    ],
)
def test_another_code_of_the_same_make_is_no_answer_where_the_asked_one_is_known(
    query: str, known: str, other: str
) -> None:
    assert left(query, other, known) == [known]


@pytest.mark.parametrize(
    ("query", "entries"),
    [
        ("ERR_MEM_4412?", ["ERR_MEM_4413 means torn"]),
        ("ERR_MEM_4412?", ["ERR_MEM_4412 became ERR_MEM_4413", "Errors are kept"]),
        ("ERR_MEM_4412?", ["ERR_MEM_4412 means full", "ERR_DISK_4413 is another matter"]),
        ("the 8am train", ["Takes the 8am train", "Takes the 9am train since June"]),
        ("in 2023?", ["Was in Rome in 2023", "Was in Oslo in 2024"]),
        ("v1.2?", ["Has v1.2", "Has v1.3"]),
        ("the memory error?", ["ERR_MEM_4412 means full", "ERR_MEM_4413 means torn"]),
    ],
)
def test_what_is_no_mistaken_code_stays(query: str, entries: list[str]) -> None:
    assert left(query, *entries) == entries


def test_a_question_beside_it_without_a_code_may_mean_any() -> None:
    questions = asked(["ERR_MEM_4412", "Which errors are there?"]).questions

    assert len(after(exact(questions), FULL, TORN)) == 2


def test_both_codes_are_named_in_the_reason() -> None:
    found = reasons(exact(asked(["ERR_MEM_4412"]).questions), FULL, TORN)

    assert found == {TORN.memory.text: "it has err_mem_4413, and err_mem_4412 was asked for"}
