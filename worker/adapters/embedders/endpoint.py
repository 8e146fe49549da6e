"""Any OpenAI-compatible `/embeddings`, through the `openai` package."""

import base64
from collections.abc import Sequence
from threading import Lock

import httpx2
import numpy as np
import openai
from numpy.typing import NDArray
from pydantic import BaseModel

from schemas.base import Vector
from worker.adapters.embedders.unit import fingerprint, readable, unit
from worker.adapters.refusals import QUOTED, refused, said
from worker.errors import Misconfigured, Retryable, SlowwaveError, TooSlow, Unavailable

OPENAI_URL = "https://api.openai.com/v1"
#: Texts of one request; text-embeddings-inference takes no more unless told otherwise.
BATCH = 32
#: What stands in for a text without content: endpoints refuse the empty string.
BLANK = "."
#: Bytes of one number of a vector.
NUMBER = 4
#: Statuses under which the size of the vectors may be refused.
SHAPE_REFUSED = frozenset({400, 422})


class _Item(BaseModel):
    index: int | None = None
    embedding: str | list[float]


class _Reply(BaseModel):
    data: list[_Item]


class EndpointEmbedder:
    """Asks once for a probe where its size is not set; safe for threads. Call `close` when done."""

    #: A start for common models, measured for none: SLOWWAVE_THRESHOLD is the one to set.
    floor = 0.35
    #: Likewise; it only counts where identifiers, names and polarity agree as well.
    same = 0.9

    def __init__(
        self,
        model: str,
        url: str | None = None,
        key: str | None = None,
        dimensions: int | None = None,
        timeout_seconds: float = 30.0,
    ) -> None:
        self.model = model
        self._url = url or OPENAI_URL
        self._wanted = dimensions
        self._found = dimensions
        self._lock = Lock()
        self._client = openai.OpenAI(
            api_key=key or "none", base_url=self._url, timeout=timeout_seconds, max_retries=0
        )

    @property
    def dimensions(self) -> int:
        """As set, else as the endpoint answers; raises what `embed` raises."""
        with self._lock:
            if self._found is None:
                self._found = _size(self._request(["size"]))
            return self._found

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.model, self.dimensions)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Raises `Unavailable`, `Retryable`, `Misconfigured` or `Unprocessable`, by what went wrong."""
        clean = [readable(text) or BLANK for text in texts]
        vectors: list[Vector] = []
        for start in range(0, len(clean), BATCH):
            batch = self._request(clean[start : start + BATCH])
            self._check(_size(batch))
            vectors += batch
        return vectors

    def close(self) -> None:
        self._client.close()

    def _request(self, texts: list[str]) -> list[Vector]:
        try:
            reply = self._client.embeddings.with_raw_response.create(
                model=self.model,
                input=texts,
                dimensions=self._wanted or openai.omit,
                encoding_format="base64",
            )
        except openai.APIError as error:
            raise self._translated(error, texts) from error
        try:
            return unit(_rows(reply.content, len(texts)))
        except ValueError as error:
            raise Retryable(
                f"embedder {self._named} sent no usable vectors for {len(texts)} texts"
                f" ({str(error)[:QUOTED]}): check that SLOWWAVE_EMBEDDER_URL is the base of an"
                " OpenAI-compatible API and SLOWWAVE_EMBEDDER a model for embeddings",
                part="embedder",
                may_be_text=True,
            ) from error

    def _check(self, size: int) -> None:
        if size != self.dimensions:
            raise Misconfigured(
                f"embedder {self._named} answers with {size} dimensions, {self.dimensions} are"
                f" expected: set SLOWWAVE_EMBEDDER_DIMENSIONS to {size}, or name a model that can give"
                f" {self.dimensions}",
                part="embedder",
            )

    def _translated(self, error: openai.APIError, texts: list[str]) -> SlowwaveError:
        told = said(error, texts)
        if not isinstance(error, openai.APIStatusError):
            kind = TooSlow if isinstance(error, openai.APITimeoutError) else Unavailable
            return kind(
                f"embedder {self._named} is out of reach ({told}): is it running, is"
                " SLOWWAVE_EMBEDDER_URL right?",
                part="embedder",
                # Unless nothing was sent, a text may have ended the server.
                may_be_text=not isinstance(error.__cause__, httpx2.ConnectError),
            )
        if error.status_code in SHAPE_REFUSED and "dimension" in told.lower():
            return Misconfigured(
                f"embedder {self._named} refuses {self._wanted} dimensions ({told}): unset"
                " SLOWWAVE_EMBEDDER_DIMENSIONS or set what the model can give",
                part="embedder",
            )
        return refused(error, f"embedder {self._named}", "embedder", texts)

    @property
    def _named(self) -> str:
        return f"{self.model} at {self._url}"


def _rows(body: bytes, wanted: int) -> NDArray[np.float64]:
    """The vectors in the order of the texts. Raises `ValueError` where they are not what was asked for."""
    items = _Reply.model_validate_json(body).data
    if len(items) != wanted:
        raise ValueError(f"{len(items)} vectors")
    if {item.index for item in items} == set(range(wanted)):
        items.sort(key=lambda item: item.index or 0)
    rows = [_numbers(item.embedding) for item in items]
    if len({row.size for row in rows}) != 1 or not rows[0].size:
        raise ValueError("vectors of different or no length")
    return np.stack(rows)


def _numbers(embedding: str | list[float]) -> NDArray[np.float64]:
    if isinstance(embedding, str):
        packed = np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
        return packed.astype(np.float64)
    return np.array(embedding, dtype=np.float64)


def _size(vectors: Sequence[Vector]) -> int:
    return len(vectors[0]) // NUMBER
