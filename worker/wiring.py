"""Settings in, parts out; one set for each process, made when first asked for.

Clients are never made at import: a gRPC channel does not survive a fork.
"""

import atexit
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

import structlog
from redis import Redis

from worker.adapters.breaker import Breaker
from worker.adapters.embedded import embedded_redis, running_redis
from worker.adapters.embedders.opening import OpenedEmbedder, open_embedder
from worker.adapters.inbox import Inbox
from worker.adapters.model import Model
from worker.adapters.ondemand import on_demand
from worker.adapters.patience import PatientChat
from worker.adapters.prompts import Prompts
from worker.adapters.redis_server import connect
from worker.adapters.serving import Serving
from worker.adapters.spending import Spending
from worker.adapters.stores.opening import check_made, open_store
from worker.adapters.stores.weaviate_tuning import Tuning
from worker.adapters.templates import open_template
from worker.adapters.tokenizer import token_counter
from worker.core.groups.judgment import Candidacy, Groups
from worker.core.hearing.extract import Extraction
from worker.core.hearing.marks import Marks
from worker.core.judging.detectors import DETECTORS, Judging, judging
from worker.core.judging.novelty import Novelty
from worker.core.judging.pieces import CallSize
from worker.core.judging.reorganize import Reorganize
from worker.core.ports import Embedder, Reranker, Store
from worker.core.recalling.ask import Ask, Budget, Weights
from worker.core.recalling.layout import Layout
from worker.core.step import Step
from worker.errors import Misconfigured, Unavailable
from worker.parts import Parts
from worker.rules.extraction import RuleExtraction
from worker.rules.judgment import RuleJudgment
from worker.rules.reorganizing import RuleReorganize
from worker.settings import Settings, load, revealed, unknown_variables

log = structlog.get_logger()

#: How long a reader that ends may wait for a Redis that takes its notes.
SERVING_TIMEOUT_SECONDS = 0.5

_lock = threading.RLock()
_opened: dict[int, ExitStack] = {}
_parts: dict[int, Parts] = {}
_urls: dict[int, str] = {}
_serving: set[int] = set()


def redis_url(settings: Settings) -> str:
    """The Redis of the settings, or the embedded one: started if it does not run, left when the process ends."""
    if settings.redis_url:
        return settings.redis_url
    with _lock:
        if os.getpid() not in _urls:
            _urls[os.getpid()] = _stack().enter_context(embedded_redis(settings.data_dir))
        return _urls[os.getpid()]


def parts() -> Parts:
    """The parts of this process, from the environment's settings."""
    with _lock:
        if os.getpid() not in _parts:
            _parts[os.getpid()] = open_parts(load())
        return _parts[os.getpid()]


def serving_parts() -> Parts:
    """`parts` for a worker: its limits are the fleet's from now on."""
    with _lock:
        made = parts()
        if os.getpid() not in _serving:
            made.inbox.configure(made.settings.limits)
            _serving.add(os.getpid())
        return made


def open_parts(settings: Settings, *, adopts: bool = False) -> Parts:
    """Reach everything and check it; `close` or the end of the process lets it go.

    Whoever `adopts` gives the store to the settings' embedder, where it was another's. Raises `Misconfigured` or
    `Unavailable`, naming the part and the remedy; then nothing stays open.
    """
    with ExitStack() as opening:
        client = opening.enter_context(connect(redis_url(settings)))
        inbox = _inbox(settings, client)
        for name, meant in unknown_variables().items():
            log.warning("unknown_setting", name=name, meant=meant)
        for warning in inbox.check():
            log.warning("redis_is_risky", reason=warning)
        memories = _open_memories(settings, opening, adopts=adopts)
        model = open_model(settings)
        opening.callback(model.close)
        made = Parts(
            settings=settings,
            inbox=inbox,
            breaker=Breaker(client, settings.lease_seconds),
            spending=Spending(client, settings.redis_partitions),
            store=memories.store,
            embedder=memories.embedder,
            model=model,
            extraction=RuleExtraction() if settings.model == "rules" else Extraction(),
            judging=judging_of(settings, memories.embedder),
            reorganizing=reorganizing_of(settings, memories.embedder),
        )
        _keep(opening)
        return made


def judging_of(settings: Settings, embedder: Embedder) -> Judging:
    """How facts are judged under the settings; the rules look at all facts at once, whatever the detector."""
    novelty = None
    if settings.novelty is not None:
        novelty = Novelty(settings.novelty, settings.novelty_exempt)
    if settings.model == "rules":
        return Judging(
            RuleJudgment(embedder.same, settings.max_group, settings.resolver),
            max_group=settings.max_group,
            resolver=settings.resolver,
            adds_only=DETECTORS[settings.detector].adds_only,
            novelty=novelty,
        )
    count = token_counter(settings.tokenizer)
    size = CallSize(settings.judge_facts, settings.judge_tokens, count)
    return judging(settings.detector, settings.resolver, size, settings.max_group, novelty)


def reorganizing_of(settings: Settings, embedder: Embedder) -> Step[Candidacy, Groups]:
    """How memories are judged among themselves."""
    if settings.model == "rules":
        return RuleReorganize(embedder.same, settings.max_group, settings.resolver)
    return Reorganize(settings.max_group, settings.resolver)


class OpenedReranker(Reranker, Protocol):
    """With what it holds open."""

    def close(self) -> None: ...


@dataclass(frozen=True)
class Memories:
    """What reading needs: no queue and no model."""

    store: Store
    embedder: Embedder
    #: None where none is set.
    reranker: Reranker | None = None


def open_memories(settings: Settings) -> Memories:
    """The store under the settings' embedder, to read: a named file has to be there. Raises as `open_parts`."""
    if settings.store_url:
        check_made(settings.store_url)
    with ExitStack() as opening:
        memories = _open_memories(settings, opening)
        _keep(opening)
        return memories


@contextmanager
def lent_memories(settings: Settings) -> Iterator[Memories]:
    """The same, let go at the end."""
    if settings.store_url:
        check_made(settings.store_url)
    with ExitStack() as opening:
        yield _open_memories(settings, opening)


def _open_memories(settings: Settings, opening: ExitStack, *, adopts: bool = False) -> Memories:
    embedder = open_the_embedder(settings)
    opening.callback(embedder.close)
    key, seconds = revealed(settings.store_key), settings.lease_seconds / 3
    store = open_store(settings.store, key, seconds, tuning_of(settings))
    opening.callback(store.close)
    (store.adopt if adopts else store.open)(embedder.fingerprint, embedder.dimensions)
    reranker = open_reranker(settings)
    if reranker is not None:
        opening.callback(reranker.close)
    return Memories(store, embedder, reranker)


def tuning_of(settings: Settings) -> Tuning:
    return Tuning(
        settings.store_consistency,
        settings.store_replicas,
        settings.store_rest_seconds,
        settings.store_active_scopes,
    )


def open_inbox(settings: Settings) -> Inbox:
    """The queue alone; nothing is asked of it yet."""
    with ExitStack() as opening:
        inbox = _inbox(settings, opening.enter_context(connect(redis_url(settings))))
        _keep(opening)
        return inbox


def serving_of(settings: Settings) -> Serving:
    """What a reader notes its answers in; the caller closes it. Without a Redis nothing is noted."""
    connected = connecting(settings)
    return Serving(connected, settings.redis_partitions, settings.recall_seen_seconds)


def connecting(settings: Settings) -> Callable[[], Redis]:
    """Makes a client of the Redis that is there, for a reader: none is started. It raises `Unavailable` without one."""

    def connected() -> Redis:
        url = settings.redis_url or running_redis(settings.data_dir)
        if url is None:
            raise Unavailable("no Redis is set, and no embedded one runs")
        return connect(url, timeout_seconds=SERVING_TIMEOUT_SECONDS)

    return connected


def _inbox(settings: Settings, client: Redis) -> Inbox:
    return Inbox(client, settings.redis_partitions, settings.lease_seconds, settings.context_turns)


def ask_of(settings: Settings) -> Ask:
    """An ask without queries, answered as the settings say. Raises `Misconfigured` for weights that leave none."""
    try:
        weights = replace(Weights(), **settings.recall_weights)
    except ValueError as error:
        raise Misconfigured(f"SLOWWAVE_RECALL_WEIGHTS: {error}") from error
    return Ask(
        limit=settings.recall_limit,
        pool=settings.recall_pool,
        floor=settings.recall_floor,
        weights=weights,
        fusion=settings.recall_fusion,
        half_life_days=settings.recall_half_life_days,
        mmr=settings.recall_mmr,
        near_copy=settings.recall_near_copy,
        budget=Budget(
            tokens=settings.recall_max_tokens or None, count=token_counter(settings.tokenizer)
        ),
    )


def layout_of(settings: Settings) -> Layout:
    """How an answer becomes a block under the settings. Raises `Misconfigured` for a template that is none."""
    return Layout(
        template=open_template(settings.recall_template),
        marks=Marks(settings.recall_begin, settings.recall_end),
        order=settings.recall_block_order,
        budget=ask_of(settings).budget,
    )


def open_the_embedder(settings: Settings) -> OpenedEmbedder:
    """The caller closes it."""
    return open_embedder(
        settings.embedder,
        settings.embedder_url,
        revealed(settings.embedder_key),
        settings.embedder_dimensions,
    )


def open_reranker(settings: Settings) -> OpenedReranker | None:
    """The settings' reranker, where one is set; the caller closes it. Raises `Misconfigured` for half of one."""
    if settings.recall_reranker is None and settings.recall_reranker_url is None:
        return None
    if not (settings.recall_reranker and settings.recall_reranker_url):
        raise Misconfigured(
            "a reranker takes both SLOWWAVE_RECALL_RERANKER and SLOWWAVE_RECALL_RERANKER_URL: set both or none"
        )
    made: OpenedReranker = on_demand("worker.adapters.reranker", "EndpointReranker")(
        settings.recall_reranker,
        settings.recall_reranker_url,
        revealed(settings.recall_reranker_key),
    )
    return made


def open_model(settings: Settings) -> Model:
    """The settings' model, or one that only takes steps without questions. The caller closes it."""
    if settings.model == "rules":
        return Model(concurrency=1)
    prompts = Prompts(settings.prompts_dir)
    prompts.refuse_unknown("SLOWWAVE_MODEL_EXTRA_BODY", settings.model_extra_body.keys() - {"*"})
    chat = on_demand("worker.adapters.chat", "EndpointChat")(
        settings.model,
        settings.model_url,
        revealed(settings.model_key),
        settings.model_timeout_seconds,
        settings.model_extra_body,
    )
    patient = PatientChat(chat, settings.model_patience_seconds)
    return Model(patient, settings.model_concurrency, prompts)


def close() -> None:
    """Let go of everything that this process has opened."""
    with _lock:
        _parts.pop(os.getpid(), None)
        _urls.pop(os.getpid(), None)
        _serving.discard(os.getpid())
        stack = _opened.pop(os.getpid(), None)
    if stack is not None:
        stack.close()


def _keep(opening: ExitStack) -> None:
    """Closed with everything else of this process from now on."""
    with _lock:
        _stack().push(opening.pop_all())


def _stack() -> ExitStack:
    return _opened.setdefault(os.getpid(), ExitStack())


atexit.register(close)
