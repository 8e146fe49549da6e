"""Learning, asking and grading on a real Redis and store; broken off anywhere, it comes to the same."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from redis import Redis

from producers.producer import Producer
from tests.endpoint import Endpoint, Refusal, endpoint
from tests.fragile import Killed
from tests.locomo import sample
from worker import wiring
from worker.core.evaluating.locomo import conversations
from worker.core.evaluating.sums import Result
from worker.errors import Unavailable
from worker.evaluating.asking import Examiner
from worker.evaluating.evaluation import (
    FAILURES,
    Failure,
    answers,
    ask,
    learn,
    unanswered,
    unlearned,
    usage_of,
)
from worker.evaluating.folder import Folder
from worker.evaluating.journal import Journal
from worker.evaluating.learning import Learned, Learning, end_of, scope_of
from worker.parts import Parts
from worker.settings import Settings

TALKS = conversations([sample("conv-1"), sample("conv-2")])
RUNS = 2

Script = Callable[[str, dict[str, Any]], Any]


def reads(job: str, document: dict[str, Any]) -> Any:
    """Answers with the first memory, and finds right what has a word of what was expected."""
    if job == "answer":
        told = [one["text"] for one in document["memories"]]
        knows = bool(told) and "ski" not in document["question"]
        return {"why": "so", "known": knows, "answer": told[0] if knows else ""}
    return {"why": "so", "correct": document["expected"] in document["answer"]}


@dataclass
class House:
    """An evaluation in a folder."""

    parts: Parts
    producer: Producer
    path: Path
    model: Endpoint
    script: Script = reads
    settled: list[int] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)

    def evaluate(self, threads: int = 1) -> list[Failure]:
        """As a process that is started anew does."""
        folder = self.folder()
        learning = Learning(self.parts, self.producer, Event())
        learn(folder, learning, unlearned(folder, TALKS), threads, self.settled.append)
        model = wiring.open_model(
            self.parts.settings.model_copy(update={"model": "m", "model_url": self.model.url})
        )
        examiner = Examiner(self.parts, wiring.ask_of(self.parts.settings), model, model)
        try:
            return ask(
                folder, examiner, unanswered(folder, TALKS, RUNS), threads, self.asked.append
            )
        finally:
            model.close()

    def reply(self, job: str, document: dict[str, Any]) -> Any:
        return self.script(job, document)

    def folder(self) -> Folder:
        self.path.mkdir(exist_ok=True)
        return Folder(self.path)

    @property
    def answers(self) -> set[tuple[object, ...]]:
        return {
            (one.run, one.conversation, one.question, one.answer, one.correct, one.f1)
            for one in answers(self.folder(), TALKS, RUNS)
        }

    @property
    def memories(self) -> list[list[tuple[str, object]]]:
        return [
            sorted(
                (one.memory.text, one.memory.said_at)
                for one in self.parts.store.memories(scope_of(talk))
            )
            for talk in TALKS
        ]


@pytest.fixture
def house(redis_client: Redis, redis_url: str, tmp_path: Path) -> Iterator[House]:
    settings = Settings(
        redis_url=redis_url,
        store_url=f"sqlite:///{tmp_path / 'memory.db'}",
        embedder="hash",
        model="rules",
        model_key="none",
        model_patience_seconds=0,
        lease_seconds=3,
        _env_file=None,
    )
    parts = wiring.open_parts(settings)
    parts.inbox.configure(settings.limits)
    with Producer(redis_url) as producer:
        made = House(parts, producer, tmp_path / "evaluation", Endpoint(reads))
        with endpoint(made.reply) as made.model:
            yield made
    wiring.close()


def test_every_question_has_an_answer_for_each_run(house: House) -> None:
    assert house.evaluate(threads=3) == []

    found = answers(house.folder(), TALKS, RUNS)
    assert len(found) == len({(one.run, one.conversation, one.question) for one in found}) == 20
    assert sum(house.asked) == 20
    assert sum(house.settled) == sum(len(talk.turns) for talk in TALKS)
    right = Counter(one.category for one in found if one.correct)
    assert right["single-hop"] == right["adversarial"] == 4
    assert {one.f1 for one in found if one.category == "adversarial"} == {None}
    assert all(one.memories and one.context_tokens for one in found)
    assert house.model.calls == {"answer": 20, "grade": 16}


def test_what_was_said_was_learned_at_the_time_of_the_conversation(house: House) -> None:
    house.evaluate()

    for talk in TALKS:
        for record in house.parts.store.memories(scope_of(talk)):
            assert record.memory.created_at <= end_of(talk)
    assert [one.parked for one in house.folder().learned.entries] == [0, 0]


def test_again_asks_nothing_and_learns_nothing(house: House) -> None:
    house.evaluate()
    before, calls = house.memories, len(house.model.requests)

    assert house.evaluate() == []

    assert house.memories == before
    assert len(house.model.requests) == calls


def test_one_more_run_asks_again_and_learns_nothing(house: House) -> None:
    house.evaluate()
    folder = house.folder()

    assert unlearned(folder, TALKS) == []
    assert {one.run for one in unanswered(folder, TALKS, RUNS + 1)} == {RUNS + 1}
    assert len(answers(folder, TALKS[:1], 1)) == len(TALKS[0].questions)


def dies(after: int, torn: bool) -> Callable[[Any, Any], None]:
    """The journal's line is the last thing that a process writes; it may break off."""
    left = iter(range(after, -1, -1))

    def append(journal: Any, entry: Result | Learned) -> None:
        line = entry.model_dump_json().encode() + b"\n"
        is_last = next(left, 0) == 0
        with journal._path.open("ab") as file:
            file.write(line[: len(line) // 2] if is_last and torn else line)
        if is_last:
            raise Killed
        journal.entries.append(entry)

    return append


@pytest.mark.parametrize("torn", [False, True], ids=["after the line", "within the line"])
def test_a_process_that_dies_at_any_line_comes_to_the_same_when_it_is_started_again(
    house: House, monkeypatch: pytest.MonkeyPatch, torn: bool
) -> None:
    house.evaluate()
    memories, given, folder = house.memories, house.answers, house.path

    for after in (0, 1, 2, 9, 21):
        house.path = folder.with_name(f"died-{after}")
        monkeypatch.setattr(Journal, "append", dies(after, torn))
        with pytest.raises(Killed):
            house.evaluate()
        monkeypatch.undo()
        assert house.evaluate() == []
        assert house.answers == given
        assert house.memories == memories


def test_a_question_that_fails_is_told_and_asked_again_the_next_time(house: House) -> None:
    house.script = lambda job, document: (
        "no JSON" if "Bo hike" in document["question"] else reads(job, document)
    )
    failures = house.evaluate()
    assert [one.todo.question.text for one in failures] == ["Would Bo hike?"] * 4
    assert all("answer" in one.reason for one in failures)
    assert len(house.answers) == 16

    house.script = reads
    assert house.evaluate() == []
    assert len(house.answers) == 20


def test_where_the_model_is_gone_no_more_questions_wait_for_it(house: House) -> None:
    house.script = lambda job, document: Refusal(503)

    failures = house.evaluate()

    assert len(failures) == 20
    assert len(house.asked) == 20
    asked = [one for one in failures if "in a row" not in one.reason]
    # One may have begun meanwhile.
    assert FAILURES <= len(asked) <= FAILURES + 1


def test_what_is_stopped_is_not_learned(house: House) -> None:
    learning = Learning(house.parts, house.producer, Event())
    learning.stopping.set()

    with pytest.raises(Unavailable, match="stopped before the end"):
        learn(house.folder(), learning, TALKS, 2, house.settled.append)

    assert house.folder().learned.entries == []


def test_learning_without_a_model_costs_no_calls(house: House) -> None:
    house.evaluate()

    assert usage_of(house.parts.store, TALKS).calls == {}
