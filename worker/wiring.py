"""Settings in, parts out; one set for each process, made when first asked for.

Clients are never made at import: a gRPC channel does not survive a fork.
"""

import atexit
import os
import threading
from contextlib import ExitStack

from pydantic import SecretStr

from worker.adapters.embedded import embedded_redis
from worker.adapters.embedders.opening import open_embedder
from worker.adapters.inbox import Inbox, connect
from worker.adapters.model import Model
from worker.adapters.stores.opening import open_store
from worker.core.extract import Extraction
from worker.core.judge import Batchwise
from worker.pipeline import Parts
from worker.rules.extraction import RuleExtraction
from worker.rules.judgment import RuleJudgment
from worker.settings import Settings, load

_lock = threading.RLock()
_opened: dict[int, ExitStack] = {}
_parts: dict[int, Parts] = {}
_urls: dict[int, str] = {}


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


def open_parts(settings: Settings) -> Parts:
    """Reach everything and check it; `close` or the end of the process lets it go.

    Raises `Misconfigured` or `Unavailable`, naming the part and the remedy.
    """
    with _lock, ExitStack() as opening:
        client = opening.enter_context(connect(redis_url(settings)))
        inbox = Inbox(
            client, settings.redis_partitions, settings.lease_seconds, settings.context_turns
        )
        inbox.check()
        inbox.configure(settings.limits)
        embedder = open_embedder(
            settings.embedder,
            settings.embedder_url,
            _plain(settings.embedder_key),
            settings.embedder_dimensions,
        )
        opening.callback(embedder.close)
        store = open_store(settings.store, _plain(settings.store_key))
        opening.callback(store.close)
        store.open(embedder.fingerprint, embedder.dimensions)
        model = Model(
            settings.model,
            settings.model_url,
            _plain(settings.model_key),
            timeout_seconds=settings.model_timeout_seconds,
            concurrency=settings.model_concurrency,
        )
        opening.callback(model.close)
        rules = settings.model == "rules"
        made = Parts(
            settings=settings,
            inbox=inbox,
            store=store,
            embedder=embedder,
            model=model,
            extraction=RuleExtraction() if rules else Extraction(),
            judge=RuleJudgment(embedder.same, settings.max_group)
            if rules
            else Batchwise(max_group=settings.max_group),
        )
        _stack().push(opening.pop_all())
        return made


def close() -> None:
    """Let go of everything that this process has opened."""
    with _lock:
        _parts.pop(os.getpid(), None)
        _urls.pop(os.getpid(), None)
        stack = _opened.pop(os.getpid(), None)
    if stack is not None:
        stack.close()


def _stack() -> ExitStack:
    return _opened.setdefault(os.getpid(), ExitStack())


def _plain(key: SecretStr | None) -> str | None:
    return key.get_secret_value() if key else None


atexit.register(close)
