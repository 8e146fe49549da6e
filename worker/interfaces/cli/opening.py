"""The parts of this process, for as long as one command runs."""

from collections.abc import Iterator
from contextlib import contextmanager

from worker import wiring
from worker.adapters.inbox import Inbox
from worker.adapters.redis_server import check_url
from worker.adapters.serving import Serving
from worker.interfaces.cli.output import note
from worker.parts import Parts
from worker.settings import Settings, load


@contextmanager
def opened() -> Iterator[Parts]:
    """Everything, for a command that works once: limits that workers have stored stay theirs."""
    say_where(configured())
    try:
        parts = wiring.parts()
        parts.inbox.configure(parts.settings.limits, replace=False)
        yield parts
    finally:
        wiring.close()


@contextmanager
def adopting() -> Iterator[Parts]:
    """Everything, and the store is the settings' embedder's from now on."""
    say_where(configured())
    try:
        parts = wiring.open_parts(load(), adopts=True)
        parts.inbox.configure(parts.settings.limits, replace=False)
        yield parts
    finally:
        wiring.close()


@contextmanager
def reading() -> Iterator[wiring.Memories]:
    """The store alone: reading needs neither queue nor model."""
    try:
        yield wiring.open_memories(load())
    finally:
        wiring.close()


@contextmanager
def serving() -> Iterator[Serving]:
    """What is told of an answer that was given; it is brought to Redis at the end, if one is there."""
    made = wiring.serving_of(load())
    try:
        yield made
    finally:
        made.close()


@contextmanager
def watching() -> Iterator[Inbox]:
    """The queue alone."""
    settings = configured()
    say_where(settings)
    try:
        yield wiring.open_inbox(settings)
    finally:
        wiring.close()


def configured() -> Settings:
    """The settings. Raises `Misconfigured` also for what is no address of a Redis."""
    settings = load()
    for setting, url in (
        ("SLOWWAVE_REDIS_URL", settings.redis_url),
        ("SLOWWAVE_BROKER_URL", settings.broker_url),
    ):
        if url is not None:
            check_url(setting, url)
    return settings


def say_where(settings: Settings) -> None:
    """Nobody shall look for turns at a server of their own that are in the embedded one."""
    if not settings.redis_url:
        note(f"SLOWWAVE_REDIS_URL is not set: using the embedded Redis under {settings.data_dir}")
