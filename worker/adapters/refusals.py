"""What an endpoint says when it refuses: whether the text is at fault, and its words without people's own."""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isnan
from typing import Any, Protocol

import openai

from schemas.masking import mask
from worker.core.failing.retry import LONGEST_HINT_SECONDS
from worker.errors import (
    Misconfigured,
    Part,
    SlowwaveError,
    TooLong,
    TooSlow,
    Unavailable,
    Unprocessable,
)

#: As OpenAI, Azure, Anthropic, Gemini, vLLM, llama.cpp, Ollama and text-embeddings-inference say it.
TOO_LONG = (
    "context_length",
    "context length",
    "context size",
    "context limit",
    "context window",
    "maximum context",
    "too long",
    "too many tokens",
    "string_above_max_length",
    "must have less than",
    "`max_new_tokens` must be",
    "maximum number of tokens",
    "tokens exceed",
    "exceeds the maximum length",
    "reduce the length",
    "reduce your message",
    "request too large",
    "range of input length",
)
#: As OpenAI, Azure, Anthropic, Gemini, OpenRouter, DeepSeek and Qwen say it.
FILTERED = (
    "content_filter",
    "content filter",
    "content management policy",
    "content_policy",
    "content policy",
    "usage policy",
    "safety system",
    "input was flagged",
    "requires moderation",
    "prohibited_content",
    "content exists risk",
    "inappropriate content",
    "data_inspection_failed",
)

CREDIT = 402
NOT_THERE = frozenset({404, 405})
PAYLOAD_TOO_LARGE = 413
#: The same request may do later (RFC 9110, 15.5 and RFC 8470, 5.2); so may any from here on.
LATER, SERVER_FAULT = frozenset({408, 409, 425, 429}), 500
#: The server gave up waiting, itself or for another behind it.
TIMED_OUT = frozenset({408, 504})
#: What these refuse is never the text. 403 is not among them: OpenRouter's moderation answers with it.
NEVER_THE_TEXT = LATER | NOT_THERE | {401, CREDIT, 502, 503, 504}

#: Most characters of a server's own words that are quoted.
QUOTED = 200
#: So many characters that also stand in the texts that were sent are an echo.
ECHO = 10

#: Status → what the endpoint does, and what to do; `{0}` is the setting that names the model.
REMEDIES = {
    401: ("refuses the key", "set {0}_KEY"),
    403: ("refuses the key", "set {0}_KEY"),
    CREDIT: ("wants to be paid first", "add credit to the account that {0}_KEY belongs to"),
    404: ("is not there", "check {0} and {0}_URL (often ends in /v1)"),
    405: ("is not there", "check {0} and {0}_URL (often ends in /v1)"),
}
#: Redirects are not followed.
ELSEWHERE = frozenset({301, 302, 303, 307, 308})
OTHERWISE = (
    "does not take the request",
    "check {0}, and that {0}_URL is the base of an OpenAI-compatible API",
)


#: Part → the setting that names what it asks for.
SETTINGS: Mapping[Part, str] = {"model": "SLOWWAVE_MODEL", "embedder": "SLOWWAVE_EMBEDDER"}


def refused(
    error: openai.APIStatusError, where: str, part: Part, sent: Iterable[str]
) -> SlowwaveError:
    """What it means for the worker.

    Only a text that is too long or filtered out is `Unprocessable`: any other refusal meets every turn of
    every scope, and to park them all would hide what a person has to mend.
    """
    status = error.status_code
    if finds_too_long(error):
        return TooLong(f"{where} finds the text too long (HTTP {status})")
    if _filters_out(error):
        return Unprocessable(f"{where} refuses the text for its content (HTTP {status})")
    told = f"HTTP {status}: {said(error, sent)}"
    may_be_text = status not in NEVER_THE_TEXT
    if status in LATER or status >= SERVER_FAULT:
        kind = TooSlow if status in TIMED_OUT else Unavailable
        message = f"{where} is not answering now ({told})"
        return kind(message, _hint(error), part=part, may_be_text=may_be_text)
    fault, remedy = REMEDIES.get(status, OTHERWISE)
    if status in ELSEWHERE:
        fault, remedy = "sends elsewhere", "set {0}_URL to where it leads"
    message = f"{where} {fault} ({told}): {remedy.format(SETTINGS[part])}"
    return Misconfigured(message, part=part, may_be_text=may_be_text)


def finds_too_long(error: openai.APIStatusError) -> bool:
    """Whether a shorter text would do."""
    told, status = str(error).lower(), error.status_code
    if status in NEVER_THE_TEXT:
        return False
    return any(words in told for words in TOO_LONG) or (
        status == PAYLOAD_TOO_LARGE and "batch" not in told
    )


def _filters_out(error: openai.APIStatusError) -> bool:
    told = str(error).lower()
    return error.status_code not in NEVER_THE_TEXT and any(words in told for words in FILTERED)


class Spoken(Protocol):
    """An error of the client, as far as the server's words are concerned."""

    @property
    def message(self) -> str: ...

    #: JSON as it was parsed, text that is none, or null where nothing came.
    @property
    def body(self) -> object | None: ...


def said(error: Spoken, sent: Iterable[str] = ()) -> str:
    """The server's own words, up to where they repeat a text that was sent: such words go to logs."""
    body = error.body
    told = "; ".join(_messages(body)) if body is not None else error.message
    told = mask(" ".join(told.split())[:QUOTED])
    echo = _echo(told, sent)
    return told if echo is None else f"{told[:echo]}…"


def _echo(told: str, sent: Iterable[str]) -> int | None:
    """Where a text that was sent begins to be repeated, in whatever spelling: only letters and digits are compared."""
    places = [(sign, at) for at, one in enumerate(told) for sign in _bare(one)]
    bare = "".join(sign for sign, _ in places)
    texts = [_bare(text) for text in sent]
    starts = range(len(bare) - ECHO + 1)
    found = (at for at in starts if any(bare[at : at + ECHO] in text for text in texts))
    start = next(found, None)
    return None if start is None else places[start][1]


def _bare(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, plain))


def _messages(body: Any) -> Iterator[str]:
    """What is meant for people in the shapes of OpenAI, OpenRouter (`raw`), FastAPI (`detail`, `msg`) and others."""
    if isinstance(body, str):
        yield body
    elif isinstance(body, list):
        for item in body:
            yield from _messages(item)
    elif isinstance(body, dict):
        for name in ("message", "msg", "detail", "error", "metadata", "raw"):
            yield from _messages(body.get(name))


def _hint(error: openai.APIStatusError) -> float | None:
    """Seconds of a Retry-After header, given as a number or as a date (RFC 9110, 10.2.3).

    At most `LONGEST_HINT_SECONDS`: a server that says ten years stops nobody for so long.
    """
    value = error.response.headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        moment = _moment(value)
        if moment is None:
            return None
        seconds = (moment - datetime.now(UTC)).total_seconds()
    return None if isnan(seconds) else min(max(0.0, seconds), LONGEST_HINT_SECONDS)


def _moment(value: str) -> datetime | None:
    """A date without a zone is in UTC, as HTTP has no other."""
    try:
        moment = parsedate_to_datetime(value)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
