"""Fixtures for real services: skipped with the reason on a laptop, a failure with CI=true."""

pytest_plugins = ["tests.redis_service", "tests.weaviate_service"]
