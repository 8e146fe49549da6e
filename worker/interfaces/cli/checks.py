"""One look at each part; none spoils the next, and none prints a secret."""

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import Literal
from uuid import uuid4

from redis.exceptions import RedisError

from schemas.base import Frozen
from schemas.scope import Scope
from schemas.turn import Turn
from worker import wiring
from worker.adapters.inbox import Inbox, Status
from worker.adapters.model import Tally
from worker.adapters.redis_server import connect
from worker.adapters.stores.opening import open_store
from worker.core.extract import Extraction
from worker.core.heard import Heard
from worker.core.step import BadReply
from worker.errors import Misconfigured, SlowwaveError
from worker.interfaces.cli.where import model_of, redis_of, shown, without_secrets
from worker.settings import Settings, revealed

State = Literal["ok", "warning", "wrong"]

#: Seconds that a scope may be due before no worker seems to run.
UNATTENDED_SECONDS = 60


class Finding(Frozen):
    """What was found about one part."""

    name: str
    state: State
    detail: str
    #: What to do; empty where nothing is.
    remedy: str = ""


def findings(settings: Settings) -> Iterator[Finding]:
    """Every part in turn, its secrets left out."""
    looks: tuple[Callable[[Settings], Iterator[Finding]], ...] = (
        *(_queue, _broker, _embedder, _store, _model, _judgment),
    )
    for look in looks:
        for finding in look(settings):
            hidden = {
                name: without_secrets(getattr(finding, name), settings)
                for name in ("detail", "remedy")
            }
            yield finding.model_copy(update=hidden)


def _queue(settings: Settings) -> Iterator[Finding]:
    try:
        with connect(wiring.redis_url(settings)) as client:
            inbox = Inbox(client, settings.redis_partitions)
            warnings, status = inbox.check(), inbox.status()
    except Misconfigured as error:
        remedy = "change what it names"
        yield Finding(name="redis", state="wrong", detail=str(error), remedy=remedy)
        return
    except SlowwaveError as error:
        remedy = "see that the server runs and that SLOWWAVE_REDIS_URL names it"
        yield Finding(name="redis", state="wrong", detail=str(error), remedy=remedy)
        return
    yield Finding(
        name="redis", state="ok", detail=f"{redis_of(settings)} answers and evicts nothing"
    )
    for warning in warnings:
        said, _, todo = warning.partition(": ")
        yield Finding(name="redis", state="warning", detail=said, remedy=todo)
    yield _attended(status)


def _attended(status: Status) -> Finding:
    detail = f"{status.pending_turns} turns wait, {status.parked} are parked"
    if status.oldest_ready_seconds > UNATTENDED_SECONDS:
        detail += f", the oldest scope has been due for {status.oldest_ready_seconds:.0f} s"
        remedy = "run more workers (`slowwave worker`), or `slowwave drain`"
        return Finding(name="queue", state="warning", detail=detail, remedy=remedy)
    return Finding(name="queue", state="ok", detail=detail)


def _broker(settings: Settings) -> Iterator[Finding]:
    """Only where it is another server than the queue's."""
    if not settings.broker_url or settings.broker_url == settings.redis_url:
        return
    where = shown(settings.broker_url)
    try:
        with connect(settings.broker_url, "SLOWWAVE_BROKER_URL") as client:
            client.ping()
    except (RedisError, SlowwaveError) as error:
        remedy = "see that the server runs and that SLOWWAVE_BROKER_URL names it"
        detail = f"{where} does not answer ({type(error).__name__}: {error})"
        yield Finding(name="broker", state="wrong", detail=detail, remedy=remedy)
    else:
        yield Finding(name="broker", state="ok", detail=f"{where} answers")


def _embedder(settings: Settings) -> Iterator[Finding]:
    try:
        with closing(wiring.open_the_embedder(settings)) as embedder:
            embedder.embed(["Does it answer?"])
            detail = f"{embedder.fingerprint}, {embedder.dimensions} dimensions"
    except SlowwaveError as error:
        remedy = "see SLOWWAVE_EMBEDDER, SLOWWAVE_EMBEDDER_URL and SLOWWAVE_EMBEDDER_KEY"
        yield Finding(name="embedder", state="wrong", detail=str(error), remedy=remedy)
    else:
        yield Finding(name="embedder", state="ok", detail=detail)


def _store(settings: Settings) -> Iterator[Finding]:
    """With the embedder's size, which it needs to say whether the two fit."""
    try:
        with closing(wiring.open_the_embedder(settings)) as embedder:
            fingerprint, dimensions = embedder.fingerprint, embedder.dimensions
        with closing(open_store(settings.store, revealed(settings.store_key))) as store:
            store.open(fingerprint, dimensions)
    except SlowwaveError as error:
        remedy = "see that it runs, SLOWWAVE_STORE_URL, SLOWWAVE_STORE_KEY, and the embedder above"
        yield Finding(name="store", state="wrong", detail=str(error), remedy=remedy)
    else:
        detail = f"{shown(settings.store)} answers, its layout and embedder fit"
        yield Finding(name="store", state="ok", detail=detail)


def _model(settings: Settings) -> Iterator[Finding]:
    if settings.model == "rules":
        detail = "no model: English rules, which add when in doubt"
        yield Finding(
            name="model", state="ok", detail=detail, remedy="SLOWWAVE_MODEL names a model"
        )
        return
    try:
        with closing(wiring.open_model(settings)) as model:
            model.run(Extraction(), Heard(turns=(_hello(),)), Tally())
    except BadReply as error:
        detail = f"{model_of(settings)} answers, but not as it was asked to ({error})"
        remedy = "take a model that follows a JSON schema"
        yield Finding(name="model", state="warning", detail=detail, remedy=remedy)
    except SlowwaveError as error:
        remedy = "see SLOWWAVE_MODEL, SLOWWAVE_MODEL_URL and SLOWWAVE_MODEL_KEY"
        yield Finding(name="model", state="wrong", detail=str(error), remedy=remedy)
    else:
        detail = f"{model_of(settings)} answers as it was asked to"
        yield Finding(name="model", state="ok", detail=detail)


def _judgment(settings: Settings) -> Iterator[Finding]:
    threshold = "the embedder's floor" if settings.threshold is None else settings.threshold
    detail = f"{settings.detector} + {settings.resolver}, candidates from {threshold}"
    yield Finding(name="judgment", state="ok", detail=detail)


def _hello() -> Turn:
    """A turn to ask the model about; it is stored nowhere."""
    now = datetime.now(UTC)
    return Turn(
        id=uuid4(),
        scope=Scope(app="check", user="check"),
        conversation="check",
        role="user",
        text="Hello!",
        said_at=now,
        received_at=now,
    )
