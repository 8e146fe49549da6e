"""A run for people and machines: what came in, what it cost, what it changed. What was forgotten is not told."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

from pydantic import JsonValue

from schemas.plan import Changed, Run
from schemas.scope import Scope
from worker.core.planning.runs import applied
from worker.core.ports import Reader
from worker.interfaces.cli.output import short, when
from worker.interfaces.cli.versions import Texts, reasoned, texts_in
from worker.recall import veil_of

COLUMNS = ("what", "id", "before", "after", "why")


@dataclass(frozen=True)
class Told:
    """A run as far as it may be shown, and the words before and after each of its changes."""

    run: Run
    texts: Texts

    def before(self, change: Changed) -> str | None:
        """Null where there was nothing, or where it may not be shown."""
        if change.kind == "add":
            return None
        back = 1 if change.kind == "revise" else 0
        return self.texts.get((change.memory_id, change.version - back))

    def after(self, change: Changed) -> str | None:
        """Null where nothing stands, or where it may not be shown."""
        if change.kind in {"retire", "file"}:
            return None
        return self.texts.get((change.memory_id, change.version))


def told(store: Reader, scope: Scope, run: Run) -> Told:
    """With the words that the store still has; those of a plan that was not carried out are in none of its records."""
    veil, run = veil_of(store, scope), with_plan(run)
    ids = {change.memory_id for change in run.changes}
    snapshots = (record.archive for id in ids for record in store.archives(scope, id))
    live = (record.memory for record in store.memories(scope, ids))
    return Told(veil.run(run), texts_in(veil.archives(snapshots), live))


def with_plan(run: Run) -> Run:
    """One that is open or parked with the changes that it had planned."""
    return run.model_copy(update={"changes": applied(run.plan).changes}) if run.plan else run


def summary(run: Run) -> dict[str, JsonValue]:
    """A line of `runs`."""
    usage = run.usage
    return {
        "id": str(run.id),
        "started_at": run.started_at.isoformat(),
        "kind": run.kind,
        "state": run.state,
        "undoes": _text(run.undoes),
        "turn_ids": _texts(run.turn_ids),
        "facts": run.facts,
        "changed": _plain(Counter[str](change.kind for change in run.changes)),
        "calls": _plain(usage.calls),
        "tokens": {
            "prompt": usage.prompt_tokens,
            "completion": usage.completion_tokens,
            "cached": usage.cached_tokens,
        },
    }


def document(told: Told) -> dict[str, JsonValue]:
    """All of it."""
    run = told.run
    return summary(run) | {
        "model": run.model,
        "prompts": _plain(run.prompts),
        "tokens_by_job": {
            job: {"prompt": one.prompt, "completion": one.completion, "cached": one.cached}
            for job, one in run.usage.tokens.items()
        },
        "dropped": _plain(run.dropped),
        "changes": [_change(told, change) for change in run.changes],
        "held": [{"turn_id": str(one.turn_id), "reason": one.reason} for one in run.held],
    }


def _change(told: Told, change: Changed) -> dict[str, JsonValue]:
    return {
        "kind": change.kind,
        "memory_id": str(change.memory_id),
        "version": change.version,
        "relation": change.relation,
        "reason": change.reason,
        "why": change.why,
        "replaced_by": _text(change.replaced_by),
        "turn_ids": _texts(change.turn_ids),
        "said": list(change.said),
        "before": told.before(change),
        "after": told.after(change),
    }


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


def _plain(values: Mapping[str, str] | Mapping[str, int]) -> dict[str, JsonValue]:
    return dict(values)


def _text(id: UUID | None) -> str | None:
    return str(id) if id else None


def _texts(ids: tuple[UUID, ...]) -> list[JsonValue]:
    return [str(id) for id in ids]
