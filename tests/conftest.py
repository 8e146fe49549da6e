"""Fixtures for real services: skipped with the reason on a laptop, a failure with CI=true."""

from collections.abc import Iterator

import pytest
import structlog

pytest_plugins = ["tests.redis_service", "tests.redis_fleet", "tests.tls", "tests.weaviate_service"]


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    """A test that sets logging up, as every command does, leaves it as it found it."""
    yield
    structlog.reset_defaults()
