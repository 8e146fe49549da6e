"""structlog to stderr: colours at a terminal, one JSON object a line elsewhere."""

import logging
import sys

import structlog


def configure(level: str = "info") -> None:
    """Set up logging once per process. Text of turns and names of scopes are never logged."""
    terminal = sys.stderr.isatty()
    render = structlog.dev.ConsoleRenderer() if terminal else structlog.processors.JSONRenderer()
    errors = [] if terminal else [structlog.processors.format_exc_info]
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *errors,
            render,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[level.upper()]
        ),
        logger_factory=_to_stderr,
        cache_logger_on_first_use=False,
    )


def _to_stderr(*_: object) -> structlog.PrintLogger:
    """Whatever stderr is when something is logged: it may have been replaced since logging was set up."""
    return structlog.PrintLogger(sys.stderr)
