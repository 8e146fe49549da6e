"""An evaluation under settings: what it stands on, and what it came to."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from threading import Event

from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from producers.producer import Producer
from schemas.tokens import estimate
from worker import wiring
from worker.adapters.model import Model
from worker.adapters.prompts import Prompts
from worker.core.evaluating import answering, grading
from worker.core.evaluating.forecast import Forecast, Instructions, Way, forecast, judge_calls
from worker.core.evaluating.locomo import Conversation
from worker.core.evaluating.report import Failed, Learnt, Report
from worker.core.evaluating.sums import Spread, rows, spent
from worker.evaluating.asking import Examiner
from worker.evaluating.evaluation import (
    Failure,
    answers,
    ask,
    greet,
    learn,
    unanswered,
    unlearned,
    usage_of,
)
from worker.evaluating.folder import Conditions, Folder
from worker.evaluating.learning import Learning, Tell, scope_of
from worker.interfaces.where import shown, without_secrets
from worker.parts import Parts
from worker.settings import Settings

#: Packages whose version may show in figures.
PACKAGES = ("slowwave", "openai", "numpy", "pydantic", "redis")
LEASE_SECONDS = 10.0
#: Settings that change no figure: where things are kept, how fast and how patiently it goes, what is not used here.
IDLE = (
    *("broker_", "concurrency", "daily_", "data_dir", "grace_", "http_", "lease_", "log_"),
    *("max_pending", "model_concurrency", "model_patience", "model_timeout", "redis_", "seen_"),
    *("sleep_", "store_"),
)


@dataclass(frozen=True)
class Wanted:
    """What is to be evaluated, and how."""

    #: Each with the questions that are asked about it.
    conversations: Sequence[Conversation]
    #: SHA-256 of the data set's file.
    data: str
    answer_model: str
    grade_model: str
    runs: int
    #: Of threads.
    concurrency: int

    @property
    def models(self) -> tuple[str, str]:
        return self.answer_model, self.grade_model


def own(settings: Settings, folder: Path) -> Settings:
    """The same with a Redis and a store of the evaluation's own, and without a budget of a day.

    Nobody else is at work in it: what a killed process held need not be waited for long.
    """
    update = {
        "data_dir": folder / "memory",
        "lease_seconds": min(LEASE_SECONDS, settings.lease_seconds),
        **dict.fromkeys(("redis_url", "broker_url", "store_url")),
        **dict.fromkeys(("daily_calls", "daily_tokens"), 0),
    }
    return settings.model_copy(update=update)


def conditions(settings: Settings, wanted: Wanted) -> Conditions:
    """Raises `Misconfigured` for prompts that cannot be read."""
    return Conditions(
        data=wanted.data,
        answer_model=wanted.answer_model,
        grade_model=wanted.grade_model,
        prompts=_fingerprints(settings),
        settings={
            name: value for name, value in _told(settings).items() if not name.startswith(IDLE)
        },
        version=version("slowwave"),
    )


def _fingerprints(settings: Settings) -> dict[str, str]:
    prompts = Prompts(settings.prompts_dir)
    return {job: prompts.fingerprint(job) for job in sorted(prompts.jobs)}


def _told(settings: Settings) -> dict[str, JsonValue]:
    """Every setting that is no key, as it may be shown."""
    return {
        name: _shown(name, getattr(settings, name), settings)
        for name in Settings.model_fields
        if not name.endswith("_key")
    }


def _shown(name: str, value: object, settings: Settings) -> JsonValue:
    """The members of a set have no order: in each process they come in another."""
    if isinstance(value, str):
        return without_secrets(shown(value) if name.endswith("_url") else value, settings)
    found: JsonValue = to_jsonable_python(value)
    return (
        sorted(found, key=str)
        if isinstance(value, AbstractSet) and isinstance(found, list)
        else found
    )


def expected(settings: Settings, wanted: Wanted, folder: Folder) -> Forecast:
    """Of what is left to do."""
    prompts = Prompts(settings.prompts_dir)
    learns, batch = settings.model != "rules", settings.batch_turns
    way = Way(
        told=Instructions(
            extraction=estimate(prompts.instructions("extraction")),
            judge=estimate(prompts.instructions("batchwise")),
            answer=estimate(prompts.instructions(answering.JOB)),
            grade=estimate(prompts.instructions(grading.JOB)),
        ),
        batch_turns=batch,
        extracting=int(learns),
        judging=judge_calls(settings.detector, batch, settings.top_k) if learns else 0,
        top_k=settings.recall_limit,
    )
    todo = unanswered(folder, wanted.conversations, wanted.runs)
    return forecast(
        unlearned(folder, wanted.conversations), [one.question.category for one in todo], way
    )


def carried_out(
    settings: Settings, wanted: Wanted, folder: Folder, learned: Tell, asked: Tell
) -> Report:
    """What is left is done. Raises what the parts raise; what was done until then is kept."""
    with ExitStack() as opening:
        opening.callback(wiring.close)
        parts = wiring.open_parts(settings)
        parts.inbox.configure(settings.limits)
        producer = opening.enter_context(Producer(wiring.redis_url(settings)))
        learning = Learning(parts, producer, Event())
        to_learn = unlearned(folder, wanted.conversations)
        todo = unanswered(folder, wanted.conversations, wanted.runs)
        models = _models(settings, wanted, opening)
        examiner = Examiner(parts, wiring.ask_of(settings), *models)
        if to_learn or todo:
            greet(examiner, learns=bool(to_learn) and settings.model != "rules")
        learn(folder, learning, to_learn, wanted.concurrency, learned)
        failures = ask(folder, examiner, todo, wanted.concurrency, asked)
        return _report(parts, wanted, folder, failures)


def _models(settings: Settings, wanted: Wanted, opening: ExitStack) -> list[Model]:
    """Of answers and of grades."""
    found = []
    for name in wanted.models:
        update = {
            "model": name,
            "model_concurrency": max(wanted.concurrency, settings.model_concurrency),
        }
        found.append(wiring.open_model(settings.model_copy(update=update)))
        opening.callback(found[-1].close)
    return found


def _report(parts: Parts, wanted: Wanted, folder: Folder, failures: Sequence[Failure]) -> Report:
    given = answers(folder, wanted.conversations, wanted.runs)
    told = _told(parts.settings)
    under = conditions(parts.settings, wanted)
    return Report(
        made_at=datetime.now(UTC),
        runs=wanted.runs,
        rows=rows(given),
        learning=_learnt(parts, wanted, folder),
        asking=spent(one.usage for one in given),
        seconds=round(sum(one.seconds for one in given), 1),
        memories=Spread.of([one.memories for one in given]) if given else None,
        context_tokens=Spread.of([one.context_tokens for one in given]) if given else None,
        failed=[
            Failed(one.todo.run, one.todo.conversation.name, one.todo.question.number, one.reason)
            for one in failures
        ],
        data=wanted.data,
        models={
            "learning": parts.settings.model,
            "answers": wanted.answer_model,
            "grades": wanted.grade_model,
            "embeddings": parts.embedder.fingerprint,
        },
        prompts=under.prompts,
        settings=told,
        changed=[name for name in under.settings if told[name] != _usual(name)],
        versions={"Python": python_version(), **{name: version(name) for name in PACKAGES}},
        answers=given,
    )


def _usual(name: str) -> JsonValue:
    return _told(Settings.model_construct())[name]


def _learnt(parts: Parts, wanted: Wanted, folder: Folder) -> Learnt:
    chosen = {one.name for one in wanted.conversations}
    learned = [one for one in folder.learned.entries if one.conversation in chosen]
    scopes = [scope_of(one) for one in wanted.conversations]
    return Learnt(
        conversations=len(learned),
        turns=sum(one.turns for one in learned),
        parked=sum(one.parked for one in learned),
        memories=sum(sum(1 for _ in parts.store.memories(scope)) for scope in scopes),
        seconds=round(sum(one.seconds for one in learned), 1),
        usage=usage_of(parts.store, wanted.conversations),
    )
