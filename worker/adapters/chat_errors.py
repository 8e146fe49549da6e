"""A chat endpoint's errors in our words: what to do about each."""

from collections.abc import Iterable, Mapping
from typing import Any

import httpx2
import openai

from worker.adapters.refusals import finds_too_long, refused, said
from worker.errors import Misconfigured, SlowwaveError, TooSlow, Unavailable

#: Statuses under which a feature may be refused.
FEATURE_REFUSED = frozenset({400, 415, 422, 500, 501})


def refused_feature(error: openai.APIStatusError, sent: Mapping[str, Any]) -> str | None:
    """The optional part of the request that the endpoint does not take, if that is what it complains about.

    Some servers call it a fault of theirs (500), some an unprocessable entity (422).
    """
    text = str(error).lower()
    if error.status_code not in FEATURE_REFUSED or finds_too_long(error):
        return None
    form = sent.get("response_format", {}).get("type")
    if form and any(word in text for word in ("response_format", "json_schema", "schema", form)):
        return str(form)
    if "temperature" in sent and "temperature" in text:
        return "temperature"
    return None


def written(error: openai.APIStatusError) -> str | None:
    """What the model wrote where the endpoint itself found no JSON in it, as Groq does: a bad reply like any other."""
    if error.code != "json_validate_failed" or not isinstance(error.body, dict):
        return None
    return str(error.body.get("failed_generation") or "")


def translated(
    error: openai.OpenAIError, model: str, url: str | None, sent: Iterable[str] = ()
) -> SlowwaveError:
    """Says what happened, at which endpoint, and what to do; never what the texts say that were sent."""
    where = f"model {model} at {url or 'the OpenAI API'}"
    if isinstance(error, openai.APITimeoutError):
        return TooSlow(
            f"{where} did not answer in time: see that it runs, or raise SLOWWAVE_MODEL_TIMEOUT_SECONDS",
            part="model",
            may_be_text=True,
        )
    if isinstance(error, openai.APIConnectionError):
        return Unavailable(
            f"{where} cannot be reached ({error.__cause__ or error}): see SLOWWAVE_MODEL_URL",
            part="model",
            # Unless nothing was sent, a text may have ended the server.
            may_be_text=not isinstance(error.__cause__, httpx2.ConnectError),
        )
    if isinstance(error, openai.APIStatusError):
        return refused(error, where, "model", sent)
    told = said(error, sent) if isinstance(error, openai.APIError) else str(error)
    return Misconfigured(
        f"{where} cannot be asked ({told}): see SLOWWAVE_MODEL_KEY and SLOWWAVE_MODEL_URL",
        part="model",
    )
