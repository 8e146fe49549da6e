"""A reranker behind HTTP: `/rerank` as Cohere, Jina, vLLM, llama.cpp and text-embeddings-inference serve it."""

import json
import os
import threading
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

import httpx2

from worker.adapters.bounded import BoundedClient
from worker.core.reply_fields import printable
from worker.errors import Misconfigured, Retryable, SlowwaveError, TooSlow, Unavailable

#: A call that was given up ends by then.
TIMEOUT_SECONDS = 10.0
#: Statuses by which a server says that the fields are not those that it knows.
SHAPE_REFUSED = frozenset({400, 422})
#: Status → what to do.
REMEDIES = {
    401: "set SLOWWAVE_RECALL_RERANKER_KEY",
    403: "set SLOWWAVE_RECALL_RERANKER_KEY",
    404: "check SLOWWAVE_RECALL_RERANKER and SLOWWAVE_RECALL_RERANKER_URL (often ends in /v1)",
    405: "check SLOWWAVE_RECALL_RERANKER_URL (often ends in /v1)",
}
LATER, SERVER_FAULT, REDIRECTS = frozenset({408, 425, 429}), 500, range(300, 400)


class EndpointReranker:
    """One for each process; its client is made when first needed, since none survives a fork. Safe from any thread."""

    def __init__(self, model: str, url: str, key: str | None = None) -> None:
        """`url` is the base, or names `/rerank` itself."""
        base = url.rstrip("/")
        self._model, self._key = model, key
        self._url = base if base.endswith("/rerank") else f"{base}/rerank"
        self._clients: dict[int, BoundedClient] = {}
        self._lock = threading.Lock()
        #: Whether it wants `texts`, learned from its refusal of `documents`.
        self._takes_texts = False

    def order(self, query: str, texts: Sequence[str]) -> list[int]:
        """Places of the texts, the best first. Raises `Unavailable` or `Misconfigured`."""
        query, texts = printable(query), [printable(text) for text in texts]
        reply = self._sent(query, texts)
        if reply.status_code in SHAPE_REFUSED and not self._takes_texts:
            other = self._sent(query, texts, as_texts=True)
            if other.status_code == httpx2.codes.OK:
                self._takes_texts = True
                reply = other
        if reply.status_code != httpx2.codes.OK:
            raise self._refused(reply.status_code)
        return self._read(reply.content, len(texts))

    def close(self) -> None:
        with self._lock:
            for client in self._clients.values():
                client.close()
            self._clients.clear()

    def _sent(self, query: str, texts: Sequence[str], *, as_texts: bool = False) -> httpx2.Response:
        body: dict[str, Any] = {"query": query}
        if as_texts or self._takes_texts:
            body |= {"texts": texts, "truncate": True}
        else:
            body |= {"model": self._model, "documents": texts, "top_n": len(texts)}
        try:
            return self._client().post(self._url, json=body, headers=self._headers)
        except httpx2.TimeoutException as error:
            raise TooSlow(f"{self._named} did not answer in time") from error
        except (httpx2.HTTPError, httpx2.InvalidURL, Retryable) as error:
            raise Unavailable(
                f"{self._named} cannot be asked ({type(error).__name__}): is it running, is"
                " SLOWWAVE_RECALL_RERANKER_URL right?"
            ) from error

    @property
    def _headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self._key}"} if self._key else {}

    def _refused(self, status: int) -> SlowwaveError:
        if status in LATER or status >= SERVER_FAULT:
            return Unavailable(f"{self._named} is not answering now (HTTP {status})")
        remedy = REMEDIES.get(status, "check SLOWWAVE_RECALL_RERANKER and its URL")
        if status in REDIRECTS:
            remedy = "it sends elsewhere: set SLOWWAVE_RECALL_RERANKER_URL to where it leads"
        return Misconfigured(f"{self._named} does not take the request (HTTP {status}): {remedy}")

    def _read(self, body: bytes, many: int) -> list[int]:
        try:
            order = places(json.loads(body), many)
        except (ValueError, RecursionError):
            order = []
        if not order:
            raise Unavailable(
                f"{self._named} sent no order: check that SLOWWAVE_RECALL_RERANKER_URL is the base of a"
                " /rerank API",
                may_be_text=True,
            )
        return order

    @property
    def _named(self) -> str:
        return f"reranker {self._model} at {self._url}"

    def _client(self) -> BoundedClient:
        with self._lock:
            if os.getpid() not in self._clients:
                self._clients[os.getpid()] = BoundedClient(TIMEOUT_SECONDS)
            return self._clients[os.getpid()]


def places(reply: Any, many: int) -> list[int]:
    """The places that a reply names, each once; by score where all have one, since some servers do not sort.

    What is no place of `many` is left out.
    """
    results = reply.get("results", reply.get("data")) if isinstance(reply, dict) else reply
    found: dict[int, float | None] = {}
    for one in results if isinstance(results, list) else []:
        place = _place(one, many)
        if place is not None:
            found.setdefault(place, _score(one))
    scores = {place: score for place, score in found.items() if score is not None}
    if len(scores) < len(found):
        return [*found]
    return sorted(scores, key=lambda place: -scores[place])


def _place(result: Any, many: int) -> int | None:
    place = result.get("index") if isinstance(result, dict) else None
    is_place = isinstance(place, int) and not isinstance(place, bool) and 0 <= place < many
    return place if is_place else None


def _score(result: Mapping[str, Any]) -> float | None:
    score = result.get("relevance_score", result.get("score"))
    if isinstance(score, bool) or not isinstance(score, int | float):
        return None
    try:
        return float(score) if isfinite(score) else None
    except OverflowError:
        return None
