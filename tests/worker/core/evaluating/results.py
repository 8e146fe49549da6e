"""Results of made-up questions."""

from typing import Any

from schemas.plan import Tokens, Usage
from worker.core.evaluating.sums import Result

USAGE = Usage.by_job({"answer": 1, "grade": 1}, {"answer": Tokens(prompt=10, completion=2)})


def result(run: int, question: int, category: str = "temporal", **changes: Any) -> Result:
    fields = {
        "run": run,
        "conversation": "conv-1",
        "question": question,
        "category": category,
        "answer": "Oslo",
        "correct": True,
        "f1": None if category == "adversarial" else 0.5,
        "memories": 3,
        "context_tokens": 30,
        "usage": USAGE,
        "seconds": 0.25,
    }
    return Result(**{**fields, **changes})
