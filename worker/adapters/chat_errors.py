"""An endpoint's errors in our words: what to do about each."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import openai

from worker.errors import (
    Misconfigured,
    SlowwaveError,
    Unavailable,
    Unprocessable,
)

TOO_LONG = (
    "context_length",
    "context length",
    "context size",
    "maximum context",
    "too long",
    "too many tokens",
    "context window",
    "exceeds the available context",
)


#: Statuses under which a feature may be refused.
FEATURE_REFUSED = frozenset({400, 415, 422, 500, 501})


def refused_feature(error: openai.APIStatusError, sent: Mapping[str, Any]) -> str | None:
    """The optional part of the request that the endpoint does not take, if that is what it complains about.

    Some servers call it a fault of theirs (500), some an unprocessable entity (422).
    """
    text = str(error).lower()
    if error.status_code not in FEATURE_REFUSED or any(words in text for words in TOO_LONG):
        return None
    form = sent.get("response_format", {}).get("type")
    if form and any(word in text for word in ("response_format", "json_schema", "schema", form)):
        return str(form)
    if "temperature" in sent and "temperature" in text:
        return "temperature"
    return None


def translated(error: openai.OpenAIError, model: str, url: str | None) -> SlowwaveError:
    """Says what happened, at which endpoint, and what to do."""
    where = f"model {model} at {url or 'the OpenAI API'}"
    if isinstance(error, openai.APITimeoutError):
        return Unavailable(
            f"{where} did not answer in time: see that it runs, or raise SLOWWAVE_MODEL_TIMEOUT_SECONDS"
        )
    if isinstance(error, openai.APIConnectionError):
        return Unavailable(
            f"{where} cannot be reached ({error.__cause__ or error}): see SLOWWAVE_MODEL_URL"
        )
    if isinstance(error, openai.APIStatusError):
        return _status(error, where)
    return Misconfigured(
        f"{where} cannot be asked ({error}): see SLOWWAVE_MODEL_KEY and SLOWWAVE_MODEL_URL"
    )


def _status(error: openai.APIStatusError, where: str) -> SlowwaveError:
    status, said = error.status_code, error.message
    if status in {401, 403}:
        return Misconfigured(f"{where} refuses the key (HTTP {status}): set SLOWWAVE_MODEL_KEY")
    if status == 404:  # noqa: PLR2004 - HTTP's own number
        return Misconfigured(
            f"{where} is not there (HTTP 404): check SLOWWAVE_MODEL and SLOWWAVE_MODEL_URL"
        )
    if status == 429 or status == 408 or status >= 500:  # noqa: PLR2004, PLR1714 - HTTP's own numbers
        return Unavailable(f"{where} is not answering now (HTTP {status}: {said})", _hint(error))
    if any(words in said.lower() for words in TOO_LONG):
        return Unprocessable(f"{where} finds the prompt too long: {said}")
    return Unprocessable(f"{where} refuses the request (HTTP {status}): {said}")


def _hint(error: openai.APIStatusError) -> float | None:
    """Seconds of a Retry-After header, given as a number or as a date (RFC 9110, 10.2.3)."""
    value = error.response.headers.get("retry-after", "")
    try:
        return max(0.0, float(value))
    except ValueError:
        return _until(value)


def _until(value: str) -> float | None:
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (moment - datetime.now(moment.tzinfo or UTC)).total_seconds())
