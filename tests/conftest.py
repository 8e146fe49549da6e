"""Fixtures for real services: skipped with the reason on a laptop, a failure with CI=true.

And how many processes share the tests, and where their files are.
"""

import os
from collections.abc import Iterator

import pytest
import structlog

pytest_plugins = ["tests.redis_service", "tests.redis_fleet", "tests.tls", "tests.weaviate_service"]

#: A file system in memory: what stores and servers wait for most is a disk, and a test's files outlive no power cut.
MEMORY = "/dev/shm"  # noqa: S108 - pytest makes a private folder there
#: Bytes that a run of all tests must find free in it.
NEEDED = 4 * 2**30


def pytest_configure() -> None:
    if fits(MEMORY):
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", MEMORY)


def fits(folder: str) -> bool:
    """Whether there is room, and leave to run what is put there."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return False
    return found.f_bavail * found.f_frsize >= NEEDED and not found.f_flag & os.ST_NOEXEC


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: a third of its time a test waits for a server."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    """A test that sets logging up, as every command does, leaves it as it found it."""
    yield
    structlog.reset_defaults()
