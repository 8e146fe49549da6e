"""How a Weaviate server is used, beside where it is."""

from dataclasses import dataclass

REST_SECONDS = 600.0
ACTIVE_SCOPES = 2_000


@dataclass(frozen=True)
class Tuning:
    """The defaults fit one server that nobody else writes to."""

    #: `ONE`, `QUORUM` or `ALL` replicas that have to agree; null for the server's default.
    consistency: str | None = None
    #: Copies of each scope, where the collections are made.
    replicas: int = 1
    #: A scope untouched by this process for so long is put to rest; 0 for never.
    rest_seconds: float = REST_SECONDS
    #: Most scopes that this process leaves awake.
    active_scopes: int = ACTIVE_SCOPES


DEFAULT = Tuning()
