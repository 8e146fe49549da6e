"""How far a file was taken, kept in the Redis that has its turns: what forgets the one forgets the other."""

from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError
from redis import Redis

from schemas.base import Stored
from worker.adapters.redis_server import reachable

#: A file that is not read for so long is read from the start again, which finds duplicates.
KEPT_SECONDS = 90 * 86_400


class Place(Stored):
    """Everything before it is settled."""

    #: Byte of the file.
    end: int
    #: BLAKE2b of all lines before it: another file of that name is no continuation.
    digest: str


class Places:
    """The place of one file. Raises as `reachable`."""

    def __init__(self, client: Redis, path: Path) -> None:
        self._client = client
        # A file's name may say whose it is, and keys are seen by everyone.
        self._key = f"slowwave:place:{sha256(str(path.absolute()).encode()).hexdigest()}"

    def read(self) -> Place | None:
        with reachable():
            stored = self._client.get(self._key)
        try:
            return Place.model_validate_json(stored) if stored else None
        except ValidationError:
            return None

    def keep(self, place: Place) -> None:
        with reachable():
            self._client.set(self._key, place.model_dump_json(), ex=KEPT_SECONDS)
