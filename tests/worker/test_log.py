"""Logs go to stderr, as it is at that moment."""

import io
import json
import sys

import pytest
import structlog

from worker import log


def test_a_stream_that_was_replaced_and_closed_is_not_written_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", first)
    log.configure()
    first.close()
    monkeypatch.setattr(sys, "stderr", second)

    structlog.get_logger().info("batch_settled", turns=3)

    assert json.loads(second.getvalue())["event"] == "batch_settled"


def test_what_is_below_the_level_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    log.configure("warning")

    structlog.get_logger().info("batch_settled")

    assert stream.getvalue() == ""
