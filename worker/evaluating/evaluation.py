"""All conversations are learned, then all questions asked; what is done already is left as it is."""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass
from threading import Event
from typing import TypeVar

from schemas.plan import Usage
from worker.adapters.model import Tally
from worker.core.evaluating.locomo import Conversation, Question
from worker.core.evaluating.sums import Result, spent
from worker.core.hearing.heard import Heard
from worker.core.ports import Reader
from worker.core.step import BadReply
from worker.errors import Misconfigured, Retryable, SlowwaveError
from worker.evaluating.asking import Examiner
from worker.evaluating.folder import Folder
from worker.evaluating.learning import Learning, Tell, scope_of
from worker.vouching import hello

#: Questions in a row that fail before no more are asked: a part is gone, and each would wait for it in vain.
FAILURES = 5

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Todo:
    """One question in one run."""

    conversation: Conversation
    question: Question
    run: int


@dataclass(frozen=True)
class Failure:
    """A question that has no answer: it is asked again when the command is given again."""

    todo: Todo
    reason: str


def unlearned(folder: Folder, conversations: Sequence[Conversation]) -> list[Conversation]:
    return [one for one in conversations if not folder.has_learned(one.name)]


def unanswered(folder: Folder, conversations: Sequence[Conversation], runs: int) -> list[Todo]:
    """Run by run, so that one that was stopped has whole runs."""
    done = {(one.run, one.conversation, one.question) for one in folder.answered.entries}
    return [
        Todo(conversation, question, run)
        for run in range(1, runs + 1)
        for conversation in conversations
        for question in conversation.questions
        if (run, conversation.name, question.number) not in done
    ]


def answers(folder: Folder, conversations: Sequence[Conversation], runs: int) -> list[Result]:
    """Of what is asked about now: a folder may have more."""
    chosen = {(one.name, question.number) for one in conversations for question in one.questions}
    return [
        one
        for one in folder.answered.entries
        if one.run <= runs and (one.conversation, one.question) in chosen
    ]


def greet(examiner: Examiner, *, learns: bool) -> None:
    """A harmless question to each model, before hours of waiting for one that is not there.

    Raises what the model raises, and `Misconfigured` where it answers otherwise than it was asked to.
    """
    try:
        if learns:
            examiner.parts.model.run(examiner.parts.extraction, Heard(turns=(hello(),)), Tally())
        examiner.greet()
    except BadReply as error:
        raise Misconfigured(
            f"the model answers, but not as it was asked to ({error}): take one that follows a JSON schema"
        ) from error


def learn(
    folder: Folder,
    learning: Learning,
    todo: Sequence[Conversation],
    threads: int,
    tell: Tell,
) -> None:
    """Raises what the parts raise; what was learned until then stays learned."""

    def one(conversation: Conversation) -> None:
        folder.learned.append(learning.learn(conversation, tell))

    with closing(_at_once(todo, one, threads, learning.stopping)) as done:
        for _, future in done:
            future.result()


def ask(
    folder: Folder, examiner: Examiner, todo: Sequence[Todo], threads: int, tell: Tell
) -> list[Failure]:
    """The questions that have no answer now. Raises `OSError` where answers cannot be kept."""
    stopping, failures, in_a_row = Event(), list[Failure](), 0

    def one(it: Todo) -> None:
        if stopping.is_set():
            raise Retryable(f"not asked, since {FAILURES} questions in a row had failed")
        folder.answered.append(examiner.examine(it.conversation, it.question, it.run))

    with closing(_at_once(todo, one, threads, stopping)) as done:
        for it, future in done:
            try:
                future.result()
                in_a_row = 0
            except SlowwaveError as error:
                failures.append(Failure(it, str(error)))
                in_a_row += 1
                if in_a_row >= FAILURES:
                    stopping.set()
            tell(1)
    return failures


def _at_once(
    items: Sequence[T], work: Callable[[T], R], threads: int, stopping: Event
) -> Generator[tuple[T, Future[R]], None, None]:
    """Each when it is done. Where whoever takes them breaks off, what has begun is told to stop and waited for."""
    with ThreadPoolExecutor(threads, thread_name_prefix="slowwave-evaluate") as pool:
        futures = {pool.submit(work, item): item for item in items}
        try:
            for future in as_completed(futures):
                yield futures[future], future
        finally:
            if any(not future.done() for future in futures):
                stopping.set()
                pool.shutdown(cancel_futures=True)


def usage_of(store: Reader, conversations: Sequence[Conversation]) -> Usage:
    """What learning has asked of models, of batches that came to something."""
    return spent(run.usage for one in conversations for run in store.runs(scope_of(one)))
