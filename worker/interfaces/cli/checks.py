"""One look at each part; none spoils the next, and none prints a secret."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Literal

from redis.exceptions import RedisError

from schemas.base import Frozen
from schemas.redis_address import redis_address
from worker import wiring
from worker.adapters.figures import Status
from worker.adapters.inbox import Inbox
from worker.adapters.model import Tally
from worker.adapters.redis_server import connect
from worker.adapters.stores.opening import open_store
from worker.adapters.tokenizer import token_counter
from worker.app import broker_of
from worker.core.groups.setting import RESOLVERS
from worker.core.hearing.extract import Extraction
from worker.core.hearing.heard import Heard
from worker.core.judging.detectors import DETECTORS
from worker.core.step import BadReply
from worker.errors import Misconfigured, SlowwaveError
from worker.interfaces.where import model_of, redis_of, shown, without_secrets
from worker.settings import Settings, revealed, unknown_variables
from worker.vouching import hello

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
        *(_variables, _queue, _broker, _embedder, _store, _model, _tokenizer, _judgment, _block),
    )
    for look in looks:
        for finding in look(settings):
            hidden = {
                name: without_secrets(getattr(finding, name), settings)
                for name in ("detail", "remedy")
            }
            yield finding.model_copy(update=hidden)


def _variables(_: Settings) -> Iterator[Finding]:
    """Only those that nothing reads. Of a name that is near to a setting's it is sure that it is misspelt."""
    for name, meant in unknown_variables().items():
        yield Finding(
            name="settings",
            state="wrong" if meant else "warning",
            detail=f"{name} is set and is no setting: it changes nothing",
            remedy=f"call it {meant}, or unset it" if meant else "unset it",
        )


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
    yield Finding(name="redis", state="ok", detail=f"{redis_of(settings)} answers")
    for warning in warnings:
        said, _, todo = warning.partition(": ")
        yield Finding(name="redis", state="warning", detail=said, remedy=todo)
    yield _attended(status)
    yield from _at_rest(status)


def _attended(status: Status) -> Finding:
    detail = f"{status.pending_turns} turns wait, {status.parked} are parked"
    if status.oldest_ready_seconds > UNATTENDED_SECONDS:
        detail += f", the oldest scope has been due for {status.oldest_ready_seconds:.0f} s"
        remedy = "run more workers (`slowwave worker`), or `slowwave drain`"
        return Finding(name="queue", state="warning", detail=detail, remedy=remedy)
    return Finding(name="queue", state="ok", detail=detail)


def _at_rest(status: Status) -> Iterator[Finding]:
    """Only where something is."""
    for part, seconds in status.resting.items():
        detail = f"it failed several scopes in a row: nothing is claimed, it is tried again in {seconds:.0f} s"
        remedy = "see the last error of `slowwave status`; once it serves, all go on by themselves"
        yield Finding(name=part, state="warning", detail=detail, remedy=remedy)


def _broker(settings: Settings) -> Iterator[Finding]:
    """Where the doorbells go: a Redis of its own, or the queue's."""
    try:
        broker_of(settings)
        if settings.broker_url:
            with connect(settings.broker_url, "SLOWWAVE_BROKER_URL") as client:
                client.ping()
    except Misconfigured as error:
        remedy = "change what it names"
        yield Finding(name="broker", state="wrong", detail=str(error), remedy=remedy)
    except (RedisError, SlowwaveError) as error:
        where = shown(settings.broker_url or "embedded Redis")
        remedy = "see that the server runs and that SLOWWAVE_BROKER_URL names it"
        detail = f"{where} does not answer ({type(error).__name__}: {error})"
        yield Finding(name="broker", state="wrong", detail=detail, remedy=remedy)
    else:
        yield from _shared(settings)


def _shared(settings: Settings) -> Iterator[Finding]:
    """Whoever empties a broker shall not empty the inbox with it. The embedded server is nobody else's."""
    rings, keeps = settings.broker_url, settings.redis_url
    if keeps and (not rings or _database(rings) == _database(keeps)):
        detail = "Celery's doorbells are in the same database as the turns"
        remedy = "let SLOWWAVE_BROKER_URL name another, such as redis://HOST:PORT/1, so that nobody"
        remedy += " who empties a broker empties the inbox with it"
        yield Finding(name="broker", state="warning", detail=detail, remedy=remedy)
    elif rings:
        yield Finding(name="broker", state="ok", detail=f"{shown(rings)} answers")


def _database(url: str) -> object:
    """Equal for two addresses of one database; of what is no address, `redis` has told already."""
    try:
        return redis_address(url).database
    except ValueError:
        return url


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
        key, tuning = revealed(settings.store_key), wiring.tuning_of(settings)
        with closing(open_store(settings.store, key, tuning=tuning)) as store:
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
        yield from _told_to_nobody(settings)
        return
    # Whoever looks wants to know how it is now.
    hasty = settings.model_copy(update={"model_patience_seconds": 0})
    tally = Tally()
    try:
        with closing(wiring.open_model(hasty)) as model:
            model.run(Extraction(), Heard(turns=(hello(),)), tally)
            replaced = model.prompts.replaced
    except BadReply as error:
        detail = f"{model_of(settings)} answers, but not as it was asked to ({error})"
        remedy = "take a model that follows a JSON schema"
        yield Finding(name="model", state="warning", detail=detail, remedy=remedy)
    except SlowwaveError as error:
        remedy = "see SLOWWAVE_MODEL, SLOWWAVE_MODEL_URL and SLOWWAVE_MODEL_KEY"
        yield Finding(name="model", state="wrong", detail=str(error), remedy=remedy)
    else:
        detail = f"{model_of(settings)} answers as it was asked to"
        if replaced:
            detail += f"; {', '.join(replaced)} by the instructions in {settings.prompts_dir}"
        yield Finding(name="model", state="ok", detail=detail)
        yield from _budget(settings, counts_tokens=tally.usage().total_tokens > 0)


def _told_to_nobody(settings: Settings) -> Iterator[Finding]:
    """What is said to a model where there is none."""
    told = ("prompts_dir", "app_instructions")
    if given := [f"SLOWWAVE_{name.upper()}" for name in told if getattr(settings, name)]:
        detail = f"the rules read no instructions: {' and '.join(given)} change nothing"
        remedy = "name a model in SLOWWAVE_MODEL, or unset them"
        yield Finding(name="instructions", state="warning", detail=detail, remedy=remedy)


def _budget(settings: Settings, *, counts_tokens: bool) -> Iterator[Finding]:
    """Only where there is one."""
    limits = {"calls": settings.daily_calls, "tokens": settings.daily_tokens}
    if settings.daily_tokens and not counts_tokens:
        detail = (
            f"{model_of(settings)} does not say how many tokens it used: their limit never holds"
        )
        remedy = "set SLOWWAVE_DAILY_CALLS"
        yield Finding(name="budget", state="warning", detail=detail, remedy=remedy)
    elif any(limits.values()):
        listed = " and ".join(f"{most:,} {what}" for what, most in limits.items() if most)
        detail = f"a scope may ask for {listed} a day (UTC), then its turns wait"
        yield Finding(name="budget", state="ok", detail=detail)


def _tokenizer(settings: Settings) -> Iterator[Finding]:
    """Only where it could be missing."""
    if settings.tokenizer == "estimate":
        return
    try:
        token_counter(settings.tokenizer)
    except Misconfigured as error:
        remedy = "install slowwave[tokens], or unset SLOWWAVE_TOKENIZER"
        yield Finding(name="tokenizer", state="wrong", detail=str(error), remedy=remedy)
    else:
        detail = f"tokens are counted as {settings.tokenizer} has them"
        yield Finding(name="tokenizer", state="ok", detail=detail)


def _judgment(settings: Settings) -> Iterator[Finding]:
    threshold = "the embedder's floor" if settings.threshold is None else settings.threshold
    detail = f"{settings.detector} + {settings.resolver}, candidates from {threshold}"
    yield Finding(name="judgment", state="ok", detail=detail)
    rules = settings.model == "rules"
    for name, detector in DETECTORS.items():
        price = "no calls, by rules" if rules else f"calls a batch: {detector.price}"
        yield _choice("detector", name, price, chosen=name == settings.detector)
    for resolver, written in RESOLVERS.items():
        yield _choice("resolver", resolver, written, chosen=resolver == settings.resolver)


def _block(settings: Settings) -> Iterator[Finding]:
    """What recall writes for a prompt, where its words are an operator's."""
    try:
        wiring.layout_of(settings)
    except Misconfigured as error:
        remedy = "change what it names, or begin with a copy of worker/prompts/block.toml"
        yield Finding(name="block", state="wrong", detail=str(error), remedy=remedy)
        return
    if settings.recall_template:
        detail = f"in the words of {settings.recall_template}"
        yield Finding(name="block", state="ok", detail=detail)


def _choice(setting: str, name: str, detail: str, *, chosen: bool) -> Finding:
    """One that is in use, or could be."""
    remedy = "in use" if chosen else f"SLOWWAVE_{setting.upper()}={name}"
    return Finding(name=setting, state="ok", detail=f"{name}: {detail}", remedy=remedy)
