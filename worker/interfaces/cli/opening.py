"""The parts of this process, for as long as one command runs."""

from collections.abc import Iterator
from contextlib import contextmanager

from redis.connection import parse_url

from worker import wiring
from worker.adapters.inbox import Inbox
from worker.errors import Misconfigured
from worker.interfaces.cli.output import note
from worker.pipeline import Parts
from worker.settings import Settings, load


@contextmanager
def opened() -> Iterator[Parts]:
    say_where(configured())
    try:
        yield wiring.parts()
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
    check_url("SLOWWAVE_REDIS_URL", settings.redis_url)
    check_url("SLOWWAVE_BROKER_URL", settings.broker_url)
    return settings


def check_url(setting: str, url: str | None) -> None:
    """The URL is not repeated: it may hold a password."""
    try:
        parse_url(url or "redis://")  # type: ignore[no-untyped-call] # redis has none here
    except ValueError as error:
        raise Misconfigured(
            f"{setting} is no address of a Redis ({error}): write redis://HOST:PORT/0"
        ) from error


def say_where(settings: Settings) -> None:
    """Nobody shall look for turns at a server of their own that are in the embedded one."""
    if not settings.redis_url:
        note(f"SLOWWAVE_REDIS_URL is not set: using the embedded Redis under {settings.data_dir}")
