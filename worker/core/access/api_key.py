"""API keys: who may speak for which app over HTTP. What is kept of a key does not let anybody in."""

import hashlib
import hmac
import re
from dataclasses import dataclass

from pydantic import AwareDatetime

from schemas.base import Stored
from schemas.scope import Name

_SHAPE = re.compile(r"sw_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
#: Random characters of an id (hex) and of a secret (URL-safe base64 of 32 bytes).
ID_BYTES, SECRET_BYTES = 6, 32


class ApiKey(Stored):
    """What is kept: the secret is 256 random bits, so that a plain SHA-256 of it is no less hard to turn round."""

    id: str
    digest: str
    app: Name
    #: None for all users of the app.
    user: Name | None = None
    #: What a person calls it.
    label: str = ""
    created_at: AwareDatetime


@dataclass(frozen=True)
class Shown:
    """A key as a client sends it."""

    id: str
    secret: str

    @property
    def text(self) -> str:
        return f"sw_{self.id}_{self.secret}"

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.secret.encode()).hexdigest()


def read(text: str) -> Shown | None:
    """None for what is no key of ours."""
    found = _SHAPE.fullmatch(text.strip())
    return Shown(*found.groups()) if found else None


def opens(shown: Shown, kept: ApiKey | None) -> bool:
    """Whether this is the key that is kept, in the same time whether or not there is one."""
    known = kept.digest if kept else "0" * 64
    return hmac.compare_digest(shown.digest, known) and kept is not None
