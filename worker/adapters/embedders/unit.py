"""What every embedder does to texts before and to vectors after."""

import re
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from schemas.base import Vector

#: Longest text that is embedded; what follows is left out. A statement is far shorter.
MAX_CHARACTERS = 2_000

#: Longest readable part of a fingerprint; Weaviate takes names of up to 230 characters.
MAX_NAME = 80


def readable(text: str) -> str:
    """The text as every model can take it: no NUL (C strings end there), no half of a surrogate pair."""
    whole = (
        text[:MAX_CHARACTERS].encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    )
    return whole.replace("\0", " ").strip()


def unit(rows: NDArray[np.floating]) -> list[Vector]:
    """Each row at length 1, little endian. Raises `ValueError` for a row without a direction."""
    wide = rows.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths == 0).any():
        raise ValueError("a vector is zero or not finite")
    return [row.tobytes() for row in (wide / lengths).astype("<f4")]


def fingerprint(name: str, dimensions: int) -> str:
    """Legal as a vector's name in Weaviate (`[_A-Za-z][_0-9A-Za-z]*`); each model and size has another."""
    legal = re.sub(r"\W", "_", name, flags=re.ASCII)[:MAX_NAME]
    if legal != name or name[:1].isdigit():
        legal = f"m_{legal}_{blake2b(name.encode(), digest_size=4).hexdigest()}"
    return f"{legal}_{dimensions}"
