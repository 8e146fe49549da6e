"""What an evaluation came to, for people: one page of Markdown. Its JSON has the same figures and every answer."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from schemas.base import AwareDatetime
from schemas.plan import Tokens, Usage
from worker.core.evaluating.locomo import ADVERSARIAL
from worker.core.evaluating.sums import OVERALL, Result, Row, Spread


@dataclass(frozen=True)
class Failed:
    """A question without an answer, and why."""

    run: int
    conversation: str
    question: int
    reason: str


@dataclass(frozen=True)
class Learnt:
    """What learning came to."""

    conversations: int
    turns: int
    #: Turns that were given up on.
    parked: int
    memories: int
    seconds: float
    usage: Usage


@dataclass(frozen=True)
class Report:
    """Figures, and all that they depend on."""

    made_at: AwareDatetime
    runs: int
    rows: Sequence[Row]
    learning: Learnt
    #: What answering and grading have asked.
    asking: Usage
    #: Of answering and grading, added up over threads.
    seconds: float
    #: Of a question.
    memories: Spread | None
    context_tokens: Spread | None
    failed: Sequence[Failed]
    #: SHA-256 of the data set's file.
    data: str
    models: Mapping[str, str]
    #: SHA-256 by job.
    prompts: Mapping[str, str]
    settings: Mapping[str, JsonValue]
    #: Names of those that are not as they are by default.
    changed: Sequence[str]
    versions: Mapping[str, str]
    answers: Sequence[Result]

    @property
    def is_whole(self) -> bool:
        return not self.failed and not self.learning.parked


def markdown(report: Report) -> str:
    return "\n".join(
        [
            "# LoCoMo",
            "",
            *_figures(report),
            *_costs(report),
            *_failures(report),
            *_conditions(report),
            "",
        ]
    )


def _figures(report: Report) -> Iterator[str]:
    yield (
        f"Accuracy as the grading model sees it, and F1 over words, which asks no model. Each conversation was learned"
        f" once; answering and grading were done {_times(report.runs)}."
        f" `{OVERALL}` leaves out `{ADVERSARIAL}`, as the field does: there it is right to say that nothing is known."
    )
    yield ""
    yield from _table(
        ("category", "questions", "accuracy", "sd", "least–most", "F1"),
        [
            (
                row.category,
                row.questions,
                _percent(row.accuracy.mean),
                "–" if row.accuracy.deviation is None else _percent(row.accuracy.deviation),
                f"{_percent(row.accuracy.least)}–{_percent(row.accuracy.most)}",
                _percent(row.f1.mean) if row.f1 else "–",
            )
            for row in report.rows
        ],
    )


def _costs(report: Report) -> Iterator[str]:
    learning = report.learning
    yield "## What it cost"
    yield ""
    jobs = [(f"learning: {name}", learning.usage, name) for name in learning.usage.calls]
    jobs += [(f"asking: {name}", report.asking, name) for name in report.asking.calls]
    yield from _table(
        ("stage", "calls", "tokens in", "of these cached", "tokens out"),
        [
            (told, usage.calls[name], of.prompt, of.cached, of.completion)
            for told, usage, name in jobs
            for of in (usage.tokens.get(name, Tokens()),)
        ],
    )
    yield (
        f"Conversations: {learning.conversations}; their {learning.turns} turns became {learning.memories} memories in"
        f" {learning.seconds:.0f} s; answering and grading took {report.seconds:.0f} s. Seconds of threads at work"
        " beside each other are added up."
    )
    if report.memories and report.context_tokens:
        yield (
            f"A question was answered from {report.memories.mean:.1f} memories with about"
            f" {report.context_tokens.mean:.0f} tokens ({report.context_tokens.least:.0f} to"
            f" {report.context_tokens.most:.0f})."
        )
    yield ""


def _failures(report: Report) -> Iterator[str]:
    if report.is_whole:
        return
    yield "## What is missing"
    yield ""
    if report.learning.parked:
        yield f"* {report.learning.parked} turns were put aside and are not learned."
    for one in report.failed:
        yield f"* run {one.run}, {one.conversation}, question {one.question}: {_cell(one.reason)}"
    if report.failed:
        yield ""
        yield "These questions are in no figure. The same command asks them again."
    yield ""


def _conditions(report: Report) -> Iterator[str]:
    yield "## Conditions"
    yield ""
    told = {name: _json(report.settings[name]) for name in report.changed}
    yield from _table(
        ("what", "value"),
        [
            ("made", f"{report.made_at:%Y-%m-%d %H:%M} UTC"),
            ("data (SHA-256)", report.data),
            *((f"model of {name}", model) for name, model in report.models.items()),
            *((f"prompt of {job} (SHA-256)", mark) for job, mark in report.prompts.items()),
            *((f"setting {name}", value) for name, value in told.items()),
            *((f"version of {name}", version) for name, version in report.versions.items()),
        ],
    )
    yield "All other settings are as they are by default; the JSON report has every one."


def _times(runs: int) -> str:
    return "once" if runs == 1 else f"{runs} times"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _json(value: JsonValue) -> str:
    return value if isinstance(value, str) else str(value)


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * len(head)
    for row in rows:
        yield "| " + " | ".join(map(_cell, row)) + " |"
    yield ""


def _cell(value: object) -> str:
    return " ".join(str(value).split()).replace("|", "\\|")
