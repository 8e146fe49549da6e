"""A run for people: what came in, what it cost, what it changed."""

from collections import Counter
from collections.abc import Iterator

from schemas.plan import Changed, Run
from worker.interfaces.cli.output import short, when
from worker.interfaces.cli.versions import reasoned
from worker.interfaces.runs_told import Told

COLUMNS = ("what", "id", "before", "after", "why")


def in_words(run: Run) -> Iterator[str]:
    """Everything but its changes, a line each."""
    undoes = f", undoes run {short(run.undoes)}" if run.undoes else ""
    yield f"run {run.id}: {run.kind}, {run.state}, {when(run.started_at)}{undoes}"
    if run.turn_ids:
        yield f"came in: {len(run.turn_ids)} turns: {' '.join(map(short, run.turn_ids))}"
    if run.facts or run.model:
        yield f"found: {run.facts} facts" + (f", by {run.model}" if run.model else "")
    for job, calls in run.usage.calls.items():
        yield f"asked: {_asked(run, job, calls)}"
    for why, count in run.dropped.items():
        yield f"left out: {count}, {why}"
    for held in run.held:
        yield f"put aside: turn {short(held.turn_id)}: {held.reason}"


def _asked(run: Run, job: str, calls: int) -> str:
    prompt, tokens = run.prompts.get(job), run.usage.tokens.get(job)
    spent = f", {tokens.prompt} + {tokens.completion} tokens" if tokens else ""
    return f"{job}, {calls} calls{spent}" + (f", prompt {short(prompt)}" if prompt else "")


def rows(told: Told) -> list[tuple[object, ...]]:
    """Its changes, for `COLUMNS`."""
    return [
        (
            change.kind,
            f"{short(change.memory_id)} v{change.version}",
            told.before(change) or "–",
            told.after(change) or "–",
            reasoned(_verdict(change), change.why),
        )
        for change in told.run.changes
    ]


def _verdict(change: Changed) -> str:
    return f"{change.relation}, {change.reason}" if change.reason else change.relation


def counted(run: Run) -> str:
    """Its changes by kind, in words."""
    kinds = Counter(change.kind for change in run.changes)
    return ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "–"
