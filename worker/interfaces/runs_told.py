"""A run as it may be told: what came in, what it cost, what it changed. What was forgotten is not told."""

from collections import Counter
from dataclasses import dataclass
from uuid import UUID

from schemas.base import AwareDatetime, Frozen
from schemas.memory import Reason
from schemas.plan import Changed, Relation, Run, RunKind, RunState, Tokens
from schemas.scope import Scope
from worker.core.planning.runs import applied
from worker.core.ports import Reader
from worker.interfaces.versions import Texts, texts_in
from worker.recall import veil_of


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


class Spent(Frozen):
    """Tokens, as the endpoint counts them; those of `cached` are among `prompt`."""

    prompt: int
    completion: int
    cached: int

    @classmethod
    def of(cls, tokens: Tokens) -> "Spent":
        return cls(prompt=tokens.prompt, completion=tokens.completion, cached=tokens.cached)


class RunLine(Frozen):
    """A run in a list."""

    id: UUID
    started_at: AwareDatetime
    kind: RunKind
    state: RunState
    #: The run that it takes back.
    undoes: UUID | None
    turn_ids: tuple[UUID, ...]
    #: Facts that were found.
    facts: int
    #: Kind of a change → how many.
    changed: dict[str, int]
    #: Job → calls of a model.
    calls: dict[str, int]
    tokens: Spent


class ChangeTold(Frozen):
    """What a run did to one memory, with the words before and after."""

    kind: str
    memory_id: UUID
    #: After the change; of what is archived the archived one.
    version: int
    relation: Relation
    reason: Reason | None
    why: str
    replaced_by: UUID | None
    turn_ids: tuple[UUID, ...]
    #: Other words of what was called the same.
    said: tuple[str, ...]
    before: str | None
    after: str | None


class HeldTold(Frozen):
    """A turn that was put aside."""

    turn_id: UUID
    reason: str


class RunTold(RunLine):
    """All of a run that may be told."""

    model: str
    #: Job → SHA-256 of the prompt.
    prompts: dict[str, str]
    tokens_by_job: dict[str, Spent]
    #: Why facts were left out → how many.
    dropped: dict[str, int]
    changes: tuple[ChangeTold, ...]
    held: tuple[HeldTold, ...]


def line_of(run: Run) -> RunLine:
    usage = run.usage
    return RunLine(
        id=run.id,
        started_at=run.started_at,
        kind=run.kind,
        state=run.state,
        undoes=run.undoes,
        turn_ids=run.turn_ids,
        facts=run.facts,
        changed=Counter(change.kind for change in run.changes),
        calls=usage.calls,
        tokens=Spent(
            prompt=usage.prompt_tokens,
            completion=usage.completion_tokens,
            cached=usage.cached_tokens,
        ),
    )


def document_of(told: Told) -> RunTold:
    run = told.run
    return RunTold(
        **dict(line_of(run)),
        model=run.model,
        prompts=run.prompts,
        tokens_by_job={job: Spent.of(one) for job, one in run.usage.tokens.items()},
        dropped=run.dropped,
        changes=tuple(_change(told, change) for change in run.changes),
        held=tuple(HeldTold(turn_id=one.turn_id, reason=one.reason) for one in run.held),
    )


def _change(told: Told, change: Changed) -> ChangeTold:
    return ChangeTold(
        kind=change.kind,
        memory_id=change.memory_id,
        version=change.version,
        relation=change.relation,
        reason=change.reason,
        why=change.why,
        replaced_by=change.replaced_by,
        turn_ids=change.turn_ids,
        said=change.said,
        before=told.before(change),
        after=told.after(change),
    )
