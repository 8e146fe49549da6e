"""Questions are answered from what recall tells, and the answers graded."""

import time
from dataclasses import dataclass, replace

from worker.adapters.model import Model, Tally
from worker.core.evaluating.answering import Answered, Answering, Asked
from worker.core.evaluating.f1 import f1
from worker.core.evaluating.grading import Graded, Grading
from worker.core.evaluating.locomo import ADVERSARIAL, Conversation, Question
from worker.core.evaluating.sums import Result
from worker.core.recalling.answer import Answer
from worker.core.recalling.ask import Ask
from worker.evaluating.learning import end_of, scope_of
from worker.parts import Parts
from worker.recall import recall
from worker.vouching import HELLO


@dataclass(frozen=True)
class Examiner:
    """Safe from any thread."""

    parts: Parts
    ask: Ask
    answers: Model
    grades: Model

    def examine(self, conversation: Conversation, question: Question, run: int) -> Result:
        """Two calls; one where it declines, and where that is right. Raises what the parts raise, and `BadReply`."""
        began, tally = time.monotonic(), Tally()
        told = self._recalled(conversation, question)
        memories = tuple(item.memory for item in told.items)
        answered = self.answers.run(Answering(), Asked(question.text, memories), tally)
        return Result(
            run=run,
            conversation=conversation.name,
            question=question.number,
            category=question.category,
            answer=answered.text,
            correct=self._is_right(question, answered, tally),
            f1=None if question.category == ADVERSARIAL else f1(answered.text, question.expected),
            memories=len(memories),
            context_tokens=sum(self.ask.budget.count(one.text) for one in memories),
            usage=tally.usage(),
            seconds=round(time.monotonic() - began, 3),
        )

    def greet(self) -> None:
        """Asks both what says nothing of anybody. Raises what they raise, and `BadReply`."""
        self.answers.run(Answering(), Asked(HELLO, ()), Tally())
        self.grades.run(Grading(), Graded(HELLO, HELLO, HELLO), Tally())

    def _recalled(self, conversation: Conversation, question: Question) -> Answer:
        """As it stood when the conversation had ended."""
        ask = replace(self.ask, queries=(question.text,))
        scope, now = scope_of(conversation), end_of(conversation)
        return recall(self.parts.store, self.parts.embedder, scope, ask, now)

    def _is_right(self, question: Question, answered: Answered, tally: Tally) -> bool:
        if question.category == ADVERSARIAL:
            return not answered.is_known
        if not answered.is_known:
            return False
        graded = Graded(question.text, question.expected, answered.text)
        return self.grades.run(Grading(), graded, tally)
